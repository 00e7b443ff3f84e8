"""Of a message, its header, its words and the names of what is attached are read."""

import base64
from email.message import EmailMessage

import pytest

from tests.support.reading import places, read, unread


def written(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "Jörg <j@x.example>", "Subject": "Grüße – 日本", **headers}.items():
        message[name] = value
    return message


def test_a_message_is_read_with_its_header_and_its_attachments_by_name():
    message = written(To="ann@x.example", Date="Tue, 01 Dec 2026 10:00:00 +0000")
    message.set_content("Hello e\u0301\nthere\n")
    message.add_alternative("<p>Hello <b>html</b></p>", subtype="html")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="Rechnung für Ann.pdf")
    message.add_attachment("attached words", filename="note.txt")
    found = read(message.as_bytes(), "m.eml")
    assert places(found) == [
        ("From: Jörg <j@x.example>", "header From"),
        ("To: ann@x.example", "header To"),
        ("Date: Tue, 01 Dec 2026 10:00:00 +0000", "header Date"),
        ("Subject: Grüße – 日本", "header Subject"),
        ("Hello é\nthere", "part 1 text/plain"),
        ("Attachment: Rechnung für Ann.pdf (application/pdf)", "part 2 application/pdf"),
        ("Attachment: note.txt (text/plain)", "part 3 text/plain"),
    ]
    assert (found.title, found.mime) == ("Grüße – 日本", "message/rfc822")


def test_a_message_in_html_alone_is_read_as_it_is_seen():
    message = written()
    message.set_content("<style>x</style><p>Hello <b>there</b><p style='display:none'>secret", subtype="html")
    assert places(read(message.as_bytes(), "m.eml"))[-1] == ("Hello there", "part 1 text/html")


def test_an_empty_plain_part_gives_way_to_the_rich_one():
    message = written()
    message.set_content(" \n")
    message.add_alternative("<p>rich</p>", subtype="html")
    assert read(message.as_bytes(), "m.eml").text.endswith("\n\nrich")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"Subject: caf\xc3\xa9\n\nx", "Subject: café"),
        (b"Subject: =?nonsense?q?x?=\n\nx", "Subject: =?nonsense?q?x?="),
        (b"Subject: =?utf-8?b?****?=\n\nx", "Subject: =?utf-8?b?****?="),
        (b"Subject: a\n folded\n\nx", "Subject: a folded"),
        (b"From: x\nContent-Type: text/plain; charset=iso-8859-1\n\ncaf\xe9", "café"),
        (b"From: x\nContent-Type: text/plain; charset=nonsense\n\ncaf\xc3\xa9", "café"),
        (b"From: x\n\ncaf\xe9 here", "caf\ufffd here"),
        (b"From: x\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64.b64encode(b"line\r\nline"), "line\nline"),
        (b"From: x\nContent-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9=\n!", "café!"),
        (b"From: x\nContent-Type: multipart/mixed\n\nno boundary", "From: x"),
        (b"From: x\nContent-Type: message/rfc822\n\nSubject: inner\n\nforwarded", "(message/rfc822)"),
    ],
)
def test_messages_as_they_come_are_read_as_far_as_they_say(raw: bytes, said: str):
    assert said in read(raw, "m.eml").text


def test_what_is_no_message_is_told():
    assert unread(b"just some words", "m.eml").reason == "corrupt"
    assert unread(b"\x89PNG\r\n", "m.eml").reason == "corrupt"


def test_a_message_of_endless_parts_is_told():
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=B%d\n\n--B%d\n" % (n, n) for n in range(3000))
    assert unread(b"From: x\n" + nested, "m.eml").reason == "corrupt"
    many = b"From: x\nContent-Type: multipart/mixed; boundary=B\n\n" + b"--B\n\nx\n" * 2000
    assert unread(many, "m.eml").reason == "too_large"
