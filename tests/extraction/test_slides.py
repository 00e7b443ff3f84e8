"""Of a deck, the slides that are shown are read."""

from pptx.presentation import Presentation
from pptx.util import Inches

from tests.support.files import pptx_of
from tests.support.reading import places, read, unread


def test_slides_groups_tables_and_notes_know_their_slide():
    def write(deck: Presentation) -> None:
        first = deck.slides.add_slide(deck.slide_layouts[0])
        first.shapes.title.text = "The e\u0301 title"
        first.notes_slide.notes_text_frame.text = "say\vthis"
        hidden = deck.slides.add_slide(deck.slide_layouts[5])
        hidden.shapes.title.text = "secret"
        hidden._element.set("show", "0")
        third = deck.slides.add_slide(deck.slide_layouts[6])
        table = third.shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table
        table.cell(0, 0).text, table.cell(0, 1).text = "a", "b\nc"
        box = third.shapes.add_group_shape().shapes.add_textbox(0, 0, Inches(1), Inches(1))
        box.text_frame.text = "日本語 שלום"
        unseen = third.shapes.add_textbox(0, 0, Inches(1), Inches(1))
        unseen.text_frame.text = "secret"
        unseen._element.nvSpPr.cNvPr.set("hidden", "1")

    found = read(pptx_of(write), "d.pptx")
    assert places(found) == [
        ("The é title", "slide 1"),
        ("say\nthis", "slide 1 notes"),
        ("a\tb c\n日本語 שלום", "slide 3"),
    ]
    assert found.title == "The é title"


def test_a_deck_without_words_or_that_is_none_is_told():
    assert unread(pptx_of(lambda deck: deck.slides.add_slide(deck.slide_layouts[6])), "d.pptx").reason == "no_text"
    assert unread(pptx_of(lambda _: None)[:5000], "d.pptx").reason == "corrupt"
    assert unread(b"%PDF-1.7", "d.pptx").reason == "corrupt"
