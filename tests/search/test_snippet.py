"""A search shows the part of a passage in which its words stand."""

from hypothesis import given, strategies as st

from sophia.search.lexicon import terms
from sophia.search.snippet import WIDTH, snippet

FILLER = "lorem ipsum dolor sit amet " * 20


def shown(passage: str, typed: str) -> list[str]:
    found = snippet(passage, terms(typed))
    assert found.text == passage[found.start : found.end]
    assert len(found.text) <= WIDTH
    return [passage[start:end] for start, end in found.highlights]


def test_the_window_holds_most_of_the_different_words():
    passage = f"quokka {FILLER} a quokka eats figs {FILLER} figs"
    assert shown(passage, "quokka figs") == ["quokka", "figs"]


def test_words_are_shown_whatever_their_ending_case_or_accents():
    assert shown(FILLER + "He was Running in the CAFÉ", "runs cafe") == ["Running", "CAFÉ"]
    assert shown(FILLER + "the Sentences of CAFÉS", "sentence café") == ["Sentences", "CAFÉS"]


def test_phrases_identifiers_and_cjk_are_shown():
    assert shown(FILLER + "the blue  car here", '"blue car"') == ["blue  car"]
    assert shown(FILLER + "calls parse_url and sophia.core", "parse_url sophia.core") == ["parse_url", "sophia.core"]
    assert shown("私は東京タワーの近く", "東京タワー") == ["東京タワー"]


def test_without_a_hit_the_beginning_is_shown():
    found = snippet(FILLER, ("absent",))
    assert (found.start, found.highlights) == (0, ())
    assert not found.text.endswith(" lor")
    assert snippet("", ("x",)).text == ""


@given(st.text("ab c\n東é\u0301", max_size=600), st.lists(st.text("abc東é ", min_size=1, max_size=4), max_size=4))
def test_highlights_lie_in_the_window_apart_and_in_order(passage: str, asked: list[str]):
    found = snippet(passage, asked, 40)
    assert found.text == passage[found.start : found.end]
    assert len(found.text) <= 40
    at = found.start
    for start, end in found.highlights:
        assert at <= start < end <= found.end
        at = end
