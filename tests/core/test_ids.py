"""Ids sort by time and use the whole of their chance."""

from hypothesis import given, strategies as st

from sophia.core.ids import ALPHABET, ulid

TIMES = st.integers(min_value=0, max_value=(1 << 48) - 1)
CHANCE = st.integers(min_value=0, max_value=(1 << 80) - 1)


def test_an_id_is_spelled_as_the_ulid_specification_says():
    assert ulid(1_469_918_176_385, 0).upper().startswith("01ARYZ6S41")
    assert ulid(0, 0) == "0" * 26
    assert ulid((1 << 48) - 1, (1 << 80) - 1) == "7" + "z" * 25


@given(earlier=TIMES, later=TIMES, one=CHANCE, other=CHANCE)
def test_ids_sort_by_time(earlier: int, later: int, one: int, other: int):
    if earlier < later:
        assert ulid(earlier, one) < ulid(later, other)


@given(at=TIMES, chance=CHANCE)
def test_an_id_keeps_its_time_and_its_chance(at: int, chance: int):
    number = 0
    for letter in ulid(at, chance):
        number = number * 32 + ALPHABET.index(letter)
    assert number == (at << 80) | chance


@given(at=TIMES, chance=CHANCE)
def test_more_chance_than_fits_never_reaches_the_time(at: int, chance: int):
    assert ulid(at, chance + (1 << 80)) == ulid(at, chance)
