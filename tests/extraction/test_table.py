"""Tables of text are read by what separates their cells, in encodings that are certain."""

import pytest

from tests.support.reading import places, read, unread


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"name,city\nAnn,Paris\n", ["name\tcity", "Ann\tParis"]),
        (b'name;sum\r\n"Smith; Ann";1.200,50\r\n', ["name\tsum", "Smith; Ann\t1.200,50"]),
        (b"a|b|c\n1|2|3", ["a\tb\tc", "1\t2\t3"]),
        (b"a\tb\n1\t2", ["a\tb", "1\t2"]),
        (b"only\none\n", ["only", "one"]),
        (b"sum;text\n1,5;a, b\n2,5;c\n", ["sum\ttext", "1,5\ta, b", "2,5\tc"]),
        (b"Bank statement\nIBAN;DE00;x\n1;2;3\n", ["Bank statement", "IBAN;DE00;x", "1;2;3"]),
        (b'a,b\n"say ""hi""",2', ["a\tb", 'say "hi"\t2']),
    ],
)
def test_cells_are_told_apart_by_what_the_records_agree_on(data: bytes, lines: list[str]):
    assert read(data, "t.csv").text.split("\n") == lines


def test_a_record_knows_its_first_line_and_stays_on_one():
    found = read(b'\xef\xbb\xbfname,note\r\n"A","two\r\nlines\tand tab"\r\n\r\n,,\r\nB,x\r\n', "people.csv")
    assert places(found) == [
        ("name\tnote", "header, line 1"),
        ("A\ttwo lines and tab", "line 2"),
        ("B\tx", "line 6"),
    ]
    assert (found.title, found.mime) == ("people", "text/csv")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encodings_that_say_what_they_are_are_read(encoding: str):
    assert read("köpf\t日本\u0301\nﬁ\t\xa0x".encode(encoding), "a.tsv").text == "köpf\t日本\u0301\nﬁ\tx"


@pytest.mark.parametrize("data", ["naïve;café\n".encode("cp1252"), b"PK\x03\x04\0\0", "a;b\n".encode("utf-16-le")])
def test_another_encoding_is_told_and_never_guessed(data: bytes):
    assert unread(data, "a.csv").reason == "not_text"


def test_what_is_no_table_is_told():
    assert unread(b" \n,,\n", "a.csv").reason == "no_text"
    assert unread(b"", "a.csv").reason == "no_text"
    assert unread(b'a,"' + b"x" * 1_100_000, "a.csv").reason == "too_large"
