"""One ranking of several signals, in pages; and the blend that refines it."""

from hypothesis import given, strategies as st

from sophia.core.page import Window
from sophia.search.blend import COMPARED, blended, standing
from sophia.search.ranking import Ranking

IDS = st.lists(st.sampled_from("abcdefghij"), unique=True)


@given(st.dictionaries(st.sampled_from(["bm25", "dense", "name"]), IDS), IDS, st.integers(1, 4))
def test_pages_are_the_ranking_and_scores_never_rise_along_it(
    signals: dict[str, list[str]], leading: list[str], limit: int
):
    ranking = Ranking.of(signals).led_by(leading)
    assert sorted(ranking.ids) == sorted({each for ids in signals.values() for each in ids})
    scores = [one.score for one in ranking.found]
    assert scores == sorted(scores, reverse=True)
    led = [each for each in leading if each in ranking.ids]
    assert ranking.ids[: len(led)] == led
    seen: list[str] = []
    window = Window(limit, None)
    while True:
        part = ranking.part(window, "id")
        seen += [row["id"] for row in part.rows]
        if not part.more:
            break
        window = Window(limit, part.keys[-1])
    assert seen == ranking.ids


def test_a_page_goes_on_at_its_rank_where_what_it_ended_with_is_gone():
    ranking = Ranking.of({"bm25": ["a", "b", "c", "d"]})
    assert [row["id"] for row in ranking.part(Window(2, (2, "gone")), "id").rows] == ["c", "d"]


def test_a_new_order_tells_places_only():
    ranking = Ranking.of({"bm25": ["a", "b", "c"]}).reordered([1, 0], "rerank")
    assert ranking.ids == ["b", "a", "c"]
    assert [round(1 / one.score) for one in ranking.found] == [61, 62, 63]
    assert ranking.found[0].ranks == {"bm25": 2, "rerank": 1}
    assert ranking.found[2].ranks == {"bm25": 3}


NUMBERS = st.floats(-100, 100, allow_nan=False)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=50), st.lists(NUMBERS, max_size=COMPARED))
def test_a_blend_is_an_order_of_everything_with_the_compared_first(
    given_: list[tuple[float, float]], likeness: list[float]
):
    likeness = likeness[: len(given_)]
    order = blended([b for b, _ in given_], [d for _, d in given_], likeness)
    assert sorted(order) == list(range(len(given_)))
    assert sorted(order[: len(likeness)]) == list(range(len(likeness)))


def test_likeness_counts_as_much_as_both_signals():
    assert blended([1, 0, 0], [1, 0, 0], [0, 1, 0])[0] in {0, 1}
    assert blended([1, 0], [0, 1], [0, 1]) == [1, 0]
    assert standing([5, 5, 5]) == [0, 0, 0]
