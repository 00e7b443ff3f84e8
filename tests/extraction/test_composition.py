"""A text that is put together knows where each of its parts stood."""

import pytest
from hypothesis import given, strategies as st

from sophia.core.source_text import stored
from sophia.extraction.composition import Composition
from sophia.extraction.extracted import Refused
from sophia.extraction.limits import Limits

WILD = st.text(st.sampled_from("ae\u0301\u0327\u1100\u1161\u11a8\r\n\t \xa0\ufeff\0\ud800ﬁ中א😀\u2028"), max_size=12)
BLANK = " \t\n\xa0\ufeff\u2028"


@given(st.lists(st.tuples(WILD, st.sampled_from(["\n", "\n\n"])), min_size=1, max_size=8))
def test_the_pieces_are_the_parts_wherever_normalising_moves_them(parts: list[tuple[str, str]]):
    composition = Composition(Limits())
    for n, (part, gap) in enumerate(parts):
        composition.add(part, f"part {n}", gap)
    kept = [n for n, (part, _) in enumerate(parts) if stored(part).strip(BLANK)]
    if not kept:
        with pytest.raises(Refused, match="no text"):
            composition.extracted("title", "text/x")
        return
    found = composition.extracted("title", "text/x")
    assert stored(found.text) == found.text
    before = 0
    for piece in found.pieces:
        assert before <= piece.start < piece.end <= len(found.text)
        assert found.text[before : piece.start].strip("\n") == "", "nothing stands between pieces but line ends"
        part = stored(parts[int(piece.place.removeprefix("part "))][0])
        content = found.text[piece.start : piece.end]
        assert content in part
        assert part.replace(content, "", 1).strip(BLANK) == ""
        before = piece.end
    assert before == len(found.text)
    assert [piece.place for piece in found.pieces] == [f"part {n}" for n in kept]


@pytest.mark.parametrize(
    ("limits", "parts"),
    [
        (Limits(characters=10), ["x" * 11]),
        (Limits(characters=10), ["12345", "67890"]),
        (Limits(characters=10), [" " * 5 + "1" * 6]),
        (Limits(pieces=2), ["1", "2", "3"]),
    ],
)
def test_a_text_beyond_its_bounds_is_refused_while_it_grows(limits: Limits, parts: list[str]):
    composition = Composition(limits)
    for part in parts[:-1]:
        composition.add(part, "part")
    with pytest.raises(Refused) as refused:
        composition.add(parts[-1], "part")
    assert refused.value.unextracted.reason == "too_large"


def test_a_text_at_its_bounds_is_whole():
    composition = Composition(Limits(characters=5, pieces=2))
    composition.add("12", "a\nb" * 100)
    composition.add("34", "c")
    found = composition.extracted("t", "m")
    assert found.text == "12\n34"
    assert "\n" not in found.pieces[0].place
    assert len(found.pieces[0].place) <= 120
