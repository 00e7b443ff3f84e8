"""The index in memory answers as comparing one by one would, whatever came and went."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from sophia.search import nearest
from sophia.search.nearest import Nearest, quantized, units
from sophia.search.vectors import Vector

DIMENSIONS = 16


def made(many: int, seed: int, each: int = 3, first: int = 1) -> list[Vector]:
    """So many vectors, `each` of them of one document."""
    scales, whole = quantized(units(np.random.default_rng(seed).standard_normal((many, DIMENSIONS)).tolist()))
    return [
        Vector(first + n, 1000 + n, f"doc-{(first + n) // each}", float(scales[n]), whole[n].tobytes())
        for n in range(many)
    ]


def plainly(vectors: list[Vector], asked: np.ndarray, floor: float, limit: int, among: set[str] | None) -> list[str]:
    """The same, one by one."""
    best: dict[str, float] = {}
    for each in vectors:
        cosine = float(np.frombuffer(each.vector, np.int8).astype(np.float32) @ asked * np.float32(each.scale))
        if among is None or each.document_id in among:
            best[each.document_id] = max(cosine, best.get(each.document_id, -2))
    return [one for one, cosine in sorted(best.items(), key=lambda each: -each[1]) if cosine >= floor][:limit]


@settings(max_examples=40, deadline=None)
@given(
    many=st.integers(1, 80),
    seed=st.integers(0, 2**32 - 1),
    floor=st.floats(-1, 0.9),
    limit=st.integers(1, 40),
    gone=st.sets(st.integers(1, 80)),
    scope=st.none() | st.sets(st.integers(0, 27)),
    small=st.booleans(),
)
def test_it_finds_what_comparing_one_by_one_finds(
    many: int, seed: int, floor: float, limit: int, gone: set[int], scope: set[int] | None, small: bool
):
    with pytest.MonkeyPatch.context() as patch:
        if not small:
            patch.setattr(nearest, "SMALL", 0)
        vectors = made(many, seed)
        index = Nearest(DIMENSIONS, capacity=2)
        index.add(vectors[: many // 2])
        index.add(vectors)
        index.drop(gone)
        left = [each for each in vectors if each.n not in gone]
        among = None if scope is None else {f"doc-{n}" for n in scope}
        asked = units(np.random.default_rng(seed + 1).standard_normal((1, DIMENSIONS)).tolist())[0]
        found = index.best(asked, floor, limit, among)
        assert len(index) == len(left)
        # A rough comparison comes first: what it leaves is so many times more than is wanted that nothing is missed.
        assert [one.document_id for one in found] == plainly(left, asked, floor, limit, among)
        told = index.cosines(asked, [each.document_id for each in left])
        for one in found:
            assert told[one.document_id] == pytest.approx(one.cosine, abs=1e-6)


def test_the_whole_product_agrees_with_floating_point_numbers():
    vectors = made(5_000, 3)
    index = Nearest(DIMENSIONS)
    index.add(vectors)
    asked = units(np.random.default_rng(9).standard_normal((1, DIMENSIONS)).tolist())[0]
    rough, slack, _ = index._rough(asked)
    exact = index._cosines(np.arange(5_000), asked)
    assert float(np.abs(rough - exact).max()) < slack < 0.05


@pytest.mark.parametrize("among", [None, {f"doc-{n}" for n in range(40)}])
def test_a_long_document_crowds_no_other_out(among: set[str] | None):
    chance = np.random.default_rng(5)
    asked = units(chance.standard_normal((1, DIMENSIONS)).tolist())[0]
    # One document with thousands of passages that all say what is asked for, and others that say it less clearly.
    others = [asked + chance.standard_normal(DIMENSIONS) * (0.1 + n / 40) for n in range(40)]
    crowd = [asked + chance.standard_normal(DIMENSIONS) * 0.01 for _ in range(nearest.SMALL * 2)]
    scales, whole = quantized(units([list(map(float, each)) for each in [*others, *crowd]]))
    vectors = [
        Vector(n + 1, n, f"doc-{min(n, 39)}", float(scales[n]), whole[n].tobytes()) for n in range(len(whole))
    ]  # fmt: skip
    index = Nearest(DIMENSIONS)
    index.add(vectors)
    for limit in (1, 5, 30):
        found = index.best(asked, 0.2, limit, among)
        assert [one.document_id for one in found] == plainly(vectors, asked, 0.2, limit, among)
        assert len(found) >= min(limit, 20)


def test_no_product_overflows_whatever_is_asked():
    """Both ends of what a vector holds, beside each other: on some processors a sum of two such products is cut off."""
    index = Nearest(DIMENSIONS)
    index.add([Vector(1, 1, "doc-1", 1 / 508, bytes([127] * DIMENSIONS)), *made(10, 3, first=2)])
    rough, _, _ = index._rough(units([[1.0] * DIMENSIONS])[0])
    assert rough[0] == pytest.approx(1, abs=0.01)


def test_a_vector_of_another_length_is_never_taken_in():
    index = Nearest(DIMENSIONS)
    index.add([Vector(1, 1, "doc-1", 0.01, bytes(DIMENSIONS - 1))])
    assert len(index) == 0


def test_what_is_added_twice_is_there_once_and_what_is_dropped_stays_away():
    vectors = made(10, 1)
    index = Nearest(DIMENSIONS)
    index.add(vectors)
    index.drop([4, 4, 99])
    index.add(vectors)
    assert len(index) == 9


def test_numbers_that_are_none_are_near_to_nothing():
    made_units = units([[float("nan")] * 4, [0.0] * 4, [float("inf"), 0, 0, 0], [2.0, 0, 0, 0]])
    assert np.isfinite(made_units).all()
    assert made_units[3].tolist() == [1, 0, 0, 0]
