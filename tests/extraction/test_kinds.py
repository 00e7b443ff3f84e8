"""A file gives its text and title, or says why it has none."""

import pytest
from hypothesis import given, strategies as st

from sophia.core.errors import TooLarge
from sophia.core.source_text import stored
from sophia.extraction import composition
from sophia.extraction.extracted import Extracted, Unextracted
from sophia.extraction.kinds import MIMES, PLAIN, RISKY, extracted, mime_of
from sophia.extraction.readers import READERS


def got(data: bytes, name: str = "My note.md", mime: str | None = None) -> Extracted:
    result = extracted(data, name, mime)
    assert isinstance(result, Extracted), result
    return result


def none(data: bytes, name: str = "My note.md", mime: str | None = None) -> Unextracted:
    result = extracted(data, name, mime)
    assert isinstance(result, Unextracted), result
    assert result.message
    return result


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# The *Title* of `it` #\n\ntext", "The Title of it"),
        ("text\n\n## Second [level](https://x.y)\n", "Second level"),
        ("Title\n=====\n", "Title"),
        ('---\ntitle: "From front matter"\ntags: x\n---\n# Heading', "From front matter"),
        ("---\nTitle: it's plain\n---\n", "it's plain"),
        ("---\ntags: x\n---\n# Heading", "Heading"),
        ("---\ntags: x\n---\nno heading", "My note"),
        ("```\n# comment\n```\n# Real", "Real"),
        ("#hashtag only", "My note"),
        ("# \n\n# Second", "Second"),
        ("", "My note"),
        ("# " + "long " * 100, ("long " * 40).strip()),
        ("snake_case\n===", "snake_case"),
        ("a\n\n---\n\nb", "My note"),
    ],
)
def test_a_title_is_the_front_matters_or_the_first_headings_or_the_files_name(text: str, title: str):
    assert got(text.encode()).title == title


def test_a_text_is_stored_in_its_one_form_whatever_its_encoding_said():
    for data in (
        "\ufeffcafe\u0301\r\n".encode(),
        "cafe\u0301\n".encode(),
        "caf\u00e9\n".encode("utf-16"),
        "\ufeffcaf\u00e9\n".encode("utf-16-be"),
    ):
        assert got(data, "x.txt").text == "caf\u00e9\n"


@pytest.mark.guarantee("FS3")
@pytest.mark.parametrize(
    "data",
    ["caf\u00e9".encode("cp1252"), b"\x89PNG\r\n\x1a\n\0\0", b"a\0b", b"\xff\xfe\x00", b"\xed\xa0\x80", b"\xc0\x80"],
)
def test_what_is_no_text_is_told_and_never_guessed(data: bytes):
    assert none(data).reason == "not_text"
    assert none(data, "x.txt").reason == "not_text"


def test_a_kind_that_is_not_read_is_told():
    assert none(b"%PDF", "a.pdf").reason == "unsupported_type"
    assert none(b"x", "a.md", "application/pdf").reason == "unsupported_type"
    assert got(b"x", "a.pdf", "text/plain; charset=utf-8").mime == "text/plain"
    assert got(b"# t", "a.bin", "TEXT/Markdown").title == "t"


def test_a_text_beyond_the_bound_is_told(monkeypatch: pytest.MonkeyPatch):
    def refused(text: str) -> str:
        raise TooLarge

    monkeypatch.setattr(composition, "stored", refused)
    assert none(b"x").reason == "too_large"


def test_every_ending_that_is_known_leads_to_a_reader():
    assert set(READERS) == RISKY
    assert not RISKY & set(PLAIN)
    assert set(MIMES.values()) == {*PLAIN, *RISKY}
    assert (mime_of("A.MD"), mime_of("README"), mime_of("x.exe")) == ("text/markdown", "text/plain", None)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_text_or_a_reason(data: bytes):
    result = extracted(data, "x.md")
    if isinstance(result, Extracted):
        assert stored(result.text) == result.text
        assert result.title
        assert "\n" not in result.title
