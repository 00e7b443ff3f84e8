"""Rankings are fused by reciprocal ranks, and by nothing else."""

import pytest
from hypothesis import given, strategies as st

from sophia.search.fusion import K, fuse

rankings = st.dictionaries(
    st.sampled_from(["bm25", "dense", "name"]),
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    max_size=3,
)


def test_what_both_signals_found_comes_before_what_one_did():
    fused = fuse({"bm25": ["a", "b"], "dense": ["c", "b"]})
    assert [one.id for one in fused] == ["b", "a", "c"]
    assert fused[0].ranks == {"bm25": 2, "dense": 2}
    assert fused[0].score == pytest.approx(2 / (K + 2))
    assert fused[1].score == pytest.approx(1 / (K + 1))


@given(rankings)
def test_the_union_is_kept_each_once_best_first(ranked: dict[str, list[str]]):
    fused = fuse(ranked)
    assert sorted(one.id for one in fused) == sorted({found for ranking in ranked.values() for found in ranking})
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
    for one in fused:
        assert one.ranks == {
            signal: ranking.index(one.id) + 1 for signal, ranking in ranked.items() if one.id in ranking
        }
        assert one.score == pytest.approx(sum(1 / (K + rank) for rank in one.ranks.values()))


@given(rankings)
def test_the_order_of_the_signals_does_not_matter(ranked: dict[str, list[str]]):
    assert fuse(dict(reversed(list(ranked.items())))) == fuse(ranked)


@given(st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8))
def test_one_signal_alone_keeps_its_order(ranking: list[str]):
    assert [one.id for one in fuse({"bm25": ranking})] == ranking


@given(rankings.filter(lambda ranked: bool(ranked.get("bm25"))))
def test_moving_up_in_one_signal_never_lowers_a_score(ranked: dict[str, list[str]]):
    last = ranked["bm25"][-1]
    raised = ranked | {"bm25": [last, *ranked["bm25"][:-1]]}
    scores = [{one.id: one.score for one in fuse(each)}[last] for each in (ranked, raised)]
    assert scores[0] <= scores[1]


def test_a_thing_named_twice_by_a_signal_counts_at_its_best_rank_only():
    assert fuse({"bm25": ["a", "a", "b"]}) == fuse({"bm25": ["a", "b"]})
