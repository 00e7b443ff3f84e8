"""A quote stands in its source literally, or by Unicode form and white space alone, and never nearly."""

import random
import time
import unicodedata
from typing import Literal

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.knowledge import quotes
from sophia.capabilities.knowledge.folding import BLOCK, fold, folded
from sophia.capabilities.knowledge.quotes import Found, Match, Missing, Standing, find, occurrences, reverified
from sophia.core.source_text import stored

TEXT = stored(
    "The contract of 12 March 2026 names Anna Meyer.\r\nThe fee is 1,200.50 EUR, due in May.\r\n"
    "The fee is 1,200.50 EUR, paid by Zo\u00eb \U0001f389 at caf\u00e9 "
    "\u05e9\u05dc\u05d5\u05dd.\tThe e\ufb03cient o\ufb00er ends."
)


def exact(text: str, quote: str, quote_start: int | None = None) -> Found:
    found = find(text, quote, quote_start)
    assert isinstance(found, Found), found
    assert text[found.start : found.end] == quote
    assert found.match is Match.EXACT
    return found


def normalized(text: str, quote: str, quote_start: int | None = None) -> str:
    found = find(text, quote, quote_start)
    assert isinstance(found, Found), found
    assert found.match is Match.NORMALIZED
    return text[found.start : found.end]


def missing(text: str, quote: str, quote_start: int | None = None) -> Missing:
    found = find(text, quote, quote_start)
    assert isinstance(found, Missing), found
    return found


def test_a_literal_quote_is_found_with_its_offsets() -> None:
    assert exact(TEXT, "names Anna Meyer").start == TEXT.index("names Anna Meyer")


@pytest.mark.guarantee("V1")
@pytest.mark.parametrize(
    "quote",
    [
        "names Hanna Meyer", "names Anna Meier", "names anna meyer", "NAMES ANNA MEYER", "The contract of 13 March",
        "The contract … names Anna Meyer", "The contract ... Anna Meyer", "contract names Anna", "caf\u00e8", "cafe",
        "12March", "AnnaMeyer", "1200.50 EUR", "\u201cnames Anna Meyer\u201d", "names Anna Meyer..",
    ],
)  # fmt: skip
def test_a_quote_that_is_nearly_there_is_refused_with_the_closest_passage(quote: str) -> None:
    refused = missing(TEXT, quote)
    assert refused.reason == "quote_not_found"
    assert refused.hint


def test_the_hint_shows_the_passage_that_was_probably_meant() -> None:
    hint = missing(TEXT, "contract of 12 March 2025 names Anna Meyer").hint
    assert "contract of 12 March 2026 names Anna Meyer" in hint
    assert "Nothing like it" in missing(TEXT, "xyzzy plugh").hint


@pytest.mark.guarantee("V2")
def test_quote_start_picks_an_occurrence_and_nothing_near_it() -> None:
    first, second = TEXT.index("The fee"), TEXT.rindex("The fee")
    assert exact(TEXT, "The fee is 1,200.50 EUR", second) == Found(second, second + 23, Match.EXACT)
    assert exact(TEXT, "The fee is 1,200.50 EUR", first).ambiguous is False
    for wrong in (second + 1, second - 1, first - 1, -1, -len(TEXT), len(TEXT), len(TEXT) + 5, 10**12):
        refused = missing(TEXT, "The fee is 1,200.50 EUR", wrong)
        assert refused.reason == "quote_start_mismatch"
        assert str(first) in refused.hint
        assert str(second) in refused.hint
    assert missing(TEXT, "not there", 3).reason == "quote_not_found"


@pytest.mark.guarantee("V2")
def test_without_quote_start_the_first_is_taken_and_said_to_be_ambiguous() -> None:
    found = exact(TEXT, "The fee is")
    assert (found.start, found.ambiguous) == (TEXT.index("The fee"), True)
    assert exact(TEXT, "due in May").ambiguous is False


@pytest.mark.guarantee("V2", "V3")
def test_offsets_are_code_points_of_the_stored_text() -> None:
    found = exact(TEXT, "at caf\u00e9")
    assert found.start == len(TEXT[: TEXT.index("at caf\u00e9")])
    assert "\U0001f389" in TEXT[: found.start]


@pytest.mark.guarantee("V3")
@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("at cafe\u0301", "at caf\u00e9"),
        ("Anna Meyer.\r\nThe fee", "Anna Meyer.\nThe fee"),
        ("Anna Meyer. The fee", "Anna Meyer.\nThe fee"),
        ("names\u00a0Anna  Meyer", "names Anna Meyer"),
        (" names Anna Meyer\n", "names Anna Meyer"),
        ("na\u00admes Anna\u200b Meyer", "names Anna Meyer"),
        ("The efficient offer", "The e\ufb03cient o\ufb00er"),
        ("\uff11\uff12 March", "12 March"),
        ("\u05e9\u05dc\u05d5\u05dd\u200f. The", "\u05e9\u05dc\u05d5\u05dd.\tThe"),
        ("Zo\u00eb \U0001f389  at", "Zo\u00eb \U0001f389 at"),
    ],
)
def test_what_differs_by_form_or_white_space_alone_is_normalized_and_never_exact(quote: str, stands: str) -> None:
    assert normalized(TEXT, quote) == stands
    assert normalized(TEXT, quote, TEXT.index(stands)) == stands
    assert missing(TEXT, quote, TEXT.index(stands) + 1).reason == "quote_start_mismatch"


@pytest.mark.guarantee("V3")
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_unicode_form_of_a_passage_leads_back_to_its_stored_offsets(
    form: Literal["NFC", "NFD", "NFKC", "NFKD"],
) -> None:
    passage = "Zo\u00eb \U0001f389 at caf\u00e9 \u05e9\u05dc\u05d5\u05dd.\tThe e\ufb03cient"
    found = find(TEXT, unicodedata.normalize(form, passage))
    assert isinstance(found, Found)
    assert TEXT[found.start : found.end] == passage
    assert (found.match is Match.EXACT) == (unicodedata.normalize(form, passage) == passage)


@pytest.mark.guarantee("V3")
@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("costs 10\u00b2 units", "costs 102 units"),
        ("about 1\u00bd pages", "about 11/2 pages"),
        ("about 1\u00bd pages", "about 11\u20442 pages"),
        ("see \u2460 there", "see 1 there"),
        ("na\u00efve", "nai"),
        ("o\ufb03ce", "of"),
        ("o\ufb03ce", "ce of"),
        ("x\u0323\u0301 y", "x\u0323  y"),
        ("12 34", "1234"),
        ("1234", "12 34"),
    ],
)
def test_forms_that_say_something_else_are_not_folded_and_no_letter_is_cut(text: str, quote: str) -> None:
    assert missing(stored(text), quote).reason == "quote_not_found"


@pytest.mark.guarantee("V8")
def test_a_quote_has_bounds() -> None:
    text = "x" * 400 + " y"
    assert exact(text, "x" * 300).ambiguous
    assert missing(text, "x" * 301).reason == "quote_too_long"
    assert missing(text, "x" * 1_000_000).reason == "quote_too_long"
    assert exact(text, "y").start == 401
    for blank in ("", " ", "\n\t", "\u00ad", "\u200b\u00a0"):
        assert missing(text + blank, blank).reason == "quote_not_found"
        assert missing(text + blank, blank, 0).reason == "quote_not_found"
    assert missing("", "x").reason == "quote_not_found"


def test_all_places_are_told_up_to_a_bound() -> None:
    places = occurrences("ab " * 5, "ab")
    assert places.spans == ((0, 2), (3, 5), (6, 8), (9, 11), (12, 14))
    assert not places.more
    many = occurrences("ab " * 500, "ab")
    assert (len(many.spans), many.more) == (quotes.MAX_OCCURRENCES, True)
    assert occurrences("a\u00a0b a\u00a0b", "a b").spans == ((0, 3), (4, 7))
    assert occurrences("nothing", "there").spans == ()
    assert occurrences("nothing", "").spans == ()


def test_a_stored_quote_holds_or_moves_or_is_lost() -> None:
    text = "one two three"
    assert reverified(text, "two", 4, 7) == (Standing.HOLDS, Found(4, 7, Match.EXACT))
    assert reverified("zero " + text, "two", 4, 7) == (Standing.MOVED, Found(9, 12, Match.EXACT))
    assert reverified("one\u00a0 two three", "one two", 0, 8) == (Standing.HOLDS, Found(0, 8, Match.NORMALIZED))
    assert reverified("one four three", "two", 4, 7) == (Standing.QUOTE_LOST, None)
    assert reverified("", "two", 4, 7) == (Standing.QUOTE_LOST, None)


letters = st.sampled_from(
    "ab \n\t\u00a0\u00ad\u200be\u0301\u0316\ufb01\u00e9\uac00\u1100\u00b2\U0001f389\u05e9\uff76\uff9e\u00a8"
)


@given(st.text(letters, max_size=60), st.data())
def test_every_cut_of_a_text_is_found_where_it_was_cut(raw: str, data: st.DataObject) -> None:
    text = stored(raw)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + quotes.MAX_QUOTE)))
    quote = text[start:end]
    found = find(text, quote, start)
    if fold(quote):
        assert found == Found(start, end, Match.EXACT)
    else:
        assert isinstance(found, Missing)


@given(st.text(letters, max_size=60), st.text(letters, min_size=1, max_size=12))
def test_what_is_found_folds_to_what_was_asked(raw: str, quote: str) -> None:
    text = stored(raw)
    found = find(text, quote)
    if isinstance(found, Found):
        assert fold(text[found.start : found.end]) == fold(stored(quote))
        assert (found.match is Match.EXACT) == (quote in text)
    else:
        assert quote not in text or not fold(quote)


@given(st.text(letters, max_size=80), st.integers(1, 9))
def test_folding_in_blocks_is_folding_at_once(raw: str, block: int) -> None:
    text = stored(raw)
    with pytest.MonkeyPatch.context() as patch:
        whole = folded(text)
        patch.setattr("sophia.capabilities.knowledge.folding.BLOCK", block)
        parts = folded(text)
    assert parts.text == whole.text
    for part, one in zip(parts.blocks, parts.blocks[1:], strict=False):
        assert part.start + len(part.text) == one.start
    for begin, end, start, stop in (letter for part in parts.blocks for letter in part.letters()):
        assert parts.span(begin, end) in {(start, stop), None}
        assert parts.position(start) == begin


def test_a_match_may_span_blocks() -> None:
    text = "x" * (BLOCK - 3) + "  one\n two  " + "y" * BLOCK
    assert normalized(text, "one two") == "one\n two"


@pytest.mark.guarantee("V8")
@pytest.mark.parametrize("shape", ["words", "cyrillic", "ligatures", "blanks", "nearly", "marks"])
def test_a_megabyte_is_searched_in_one_pass_even_when_it_was_made_to_be_slow(shape: str) -> None:
    text = _text(shape, 1_000_000, random.Random(7))
    begin = time.process_time()
    for quote in ("\u0430" * 150 + " " + "q" * 149, "a" * 299 + "c", "a " * 150, "fi" * 150, text[500:700] + "\u00a4"):
        find(text, quote[:300])
        find(text, quote[:300], 500_000)
    assert time.process_time() - begin < 10, "ten searches of one pass each take half a second"


def _text(shape: str, size: int, chance: random.Random) -> str:
    made = {
        "words": lambda: " ".join(chance.choice(("alpha", "beta", "gamma\n", "delta,")) for _ in range(size // 6)),
        "cyrillic": lambda: "".join(chance.choice("\u0430\u0431\u0432\u0439 ") for _ in range(size)),
        "ligatures": lambda: "\ufb01" * size,
        "blanks": lambda: "a" + " " * size,
        "nearly": lambda: ("a" * 299 + "b") * (size // 300),
        "marks": lambda: "e\u0316\u0301" * (size // 3),
    }
    return stored(made[shape]())
