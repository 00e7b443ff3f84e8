"""Of a PDF, the words of each page are read."""

import pytest

from sophia.extraction.limits import Limits
from tests.support.files import pdf_of
from tests.support.reading import places, read, unread


def test_a_page_knows_its_number_and_pages_without_words_are_passed_over():
    found = read(pdf_of(["First page\nsecond line e\u0301", "", "日本語\xa0x"], "The título"), "scan.pdf")
    assert places(found) == [("First page\nsecond line é", "page 1"), ("日本語\xa0x", "page 3")]
    assert (found.title, found.mime) == ("The título", "application/pdf")
    assert read(pdf_of(["x"]), "My scan.pdf").title == "My scan"


def test_ligatures_are_read_as_letters_and_what_runs_from_the_right_in_the_order_of_reading():
    assert read(pdf_of(["\ufb01nd", "שלום"[::-1]]), "a.pdf").text == "find\n\nשלום"


def test_a_hyphen_at_the_end_of_a_line_stays():
    assert read(pdf_of(["a hyphen-\nated word"]), "a.pdf").text == "a hyphen-ated word"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (pdf_of(["x"], encrypted=True), "encrypted"),
        (pdf_of(["", ""]), "no_text"),
        (b"", "corrupt"),
        (b"PK\x03\x04", "corrupt"),
        (b"%PDF-1.7\nnothing", "corrupt"),
        (pdf_of(["x"])[:300], "corrupt"),
        (pdf_of(["x"]).replace(b"/Kids [8 0 R]", b"/Kids [2 0 R]"), "corrupt"),
    ],
    ids=["encrypted", "pictures", "empty", "archive", "header only", "cut off", "pages in a circle"],
)
def test_a_pdf_without_a_text_is_told_why(data: bytes, reason: str):
    assert unread(data, "a.pdf").reason == reason


def test_a_pdf_that_was_damaged_a_little_is_read():
    damaged = pdf_of(["still here"]).replace(b"startxref", b"startxxxx")
    assert read(b"mail header\n" + damaged, "a.pdf").text == "still here"


def test_more_pages_than_the_bound_are_told():
    assert unread(pdf_of(["x"] * 4), "a.pdf", Limits(pieces=3)).reason == "too_large"
