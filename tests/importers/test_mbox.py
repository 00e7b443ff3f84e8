"""Mailboxes: streamed, message by message, whatever their encodings, parts and order."""

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from sophia.importers import mbox
from sophia.importers.mbox import messages
from tests.support.house import House, house
from tests.support.sources import brought, documents, reasons


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing
        standing.parts.intake.extracting.close()


FIRST = b"""From ada@example.org Thu Mar 12 09:30:00 2026
Message-ID: <one@example.org>
From: =?utf-8?q?Ad=C3=A8le?= <ada@example.org>
To: harbour@example.org
Subject: =?iso-8859-1?Q?The_pi=E8r?=
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

The pi=E8r is open.

>From here on it is free.
From the quay it is not seen.
"""
REPLY = b"""
From harbour@example.org Thu Mar 12 10:30:00 2026
Message-ID: <two@example.org>
In-Reply-To: <one@example.org>
From: harbour@example.org
Subject: Re: The pier
Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain; charset=utf-8

Thank you, we come at noon.
--b
Content-Type: text/html

<p>Thank you</p>
--b--
"""
NO_HEAD = b"\nFrom nobody Thu Mar 12 11:30:00 2026\n\nno header at all\n"


def test_each_message_is_a_document_with_its_thread(home: House):
    path = home.directory / "all.mbox"
    path.write_bytes(FIRST + REPLY + NO_HEAD)
    told = brought(home, path)
    assert told["kinds"] == {str(path): "mbox"}
    assert reasons(told) == {"all.mbox#3": "corrupt"}
    found = documents(home)
    assert set(found) == {"The pièr", "Re: The pier"}
    assert "The pièr is open." in found["The pièr"]["text"]
    assert "\nFrom here on it is free.\nFrom the quay" in found["The pièr"]["text"]
    reply = found["Re: The pier"]["text"]
    assert reply.startswith("Thread: The pièr\nFrom: harbour@example.org")
    assert reply.count("Thank you") == 1
    facts = home.call(home.owner, "query_knowledge", limit=100)["items"]
    assert {one["trust_tier"] for one in facts} <= {"imported", "inferred"}
    before = home.dump()
    assert brought(home, path)["mutation_seq"] is None
    assert home.dump() == before


def test_a_mailbox_is_read_a_message_at_a_time_and_one_too_large_is_not_held(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(mbox, "MAX_MESSAGE", 1000)
    huge = b"\nFrom a Thu Mar 12 09:30:00 2026\n" + b"x" * 99 + b"\n" + (b"y" * 99 + b"\n") * 50
    sizes = [None if one is None else len(one) for one in messages(io.BytesIO(FIRST + huge + REPLY))]
    assert sizes[1] is None
    assert len(sizes) == 3


def test_a_folder_of_mailboxes_is_one_source(home: House, tmp_path: Path):
    for name in ("a.mbox", "b.mbox"):
        (tmp_path / name).write_bytes(FIRST)
    told = brought(home, tmp_path, dry_run=True)
    assert told["kinds"] == {str(tmp_path): "mbox"}
