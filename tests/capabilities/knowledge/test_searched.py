"""Many quotes of one source: it is prepared once, and what they cost together is bounded."""

import random
import time

import pytest

from sophia.capabilities.knowledge import searched
from sophia.capabilities.knowledge.quotes import Found, Match, Missing, find
from sophia.capabilities.knowledge.searched import Searched
from tests.support import shelf
from tests.support.house import house

chance = random.Random(5)
WORDS = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz\u00e9", k=chance.randint(2, 9))) for _ in range(4000)]


def written(length: int) -> str:
    """Words in lines, of about this length."""
    return "\n".join(" ".join(chance.choices(WORDS, k=12)) for _ in range(length // 78))


@pytest.fixture(scope="module")
def long_text() -> str:
    return written(2_600_000)


def test_a_graph_of_a_hundred_quotes_that_a_long_text_does_not_hold_is_judged_at_once(long_text: str):
    claims = [
        {"id": str(n), "entity": "Ada", "predicate": "note", "object": "x", "quote": written(400)[:280]}
        for n in range(100)
    ]
    with house() as home:
        home.entity("Ada")
        document = shelf.put(home, long_text)
        agent = home.agent("observer")
        began = time.thread_time()
        told = home.call(agent, "check_claim_graph", source_id=document, claims=claims)
        # The processor's time of this thread alone, twice what it may take when nothing else runs.
        assert time.thread_time() - began < 3
    assert {verdict["reason"] for verdict in told["verdicts"]} == {"quote_not_found"}
    assert told["rejected"] == 100


def test_passages_like_a_quote_are_looked_for_until_that_has_cost_enough(long_text: str):
    source = Searched(long_text)
    refused = [find(source, written(400)[:280]) for _ in range(30)]
    hints = [each.hint for each in refused if isinstance(each, Missing)]
    shown = ["The closest one stands at" in hint for hint in hints]
    assert shown == sorted(shown, reverse=True)
    assert shown[0]
    assert "check_quote" in hints[-1]
    assert searched.MAX_COMPARED <= source.compared < searched.MAX_COMPARED + 25 * len(long_text)
    line = long_text.splitlines()[-1]
    assert find(source, line) == Found(len(long_text) - len(line), len(long_text), Match.EXACT)
    spaced = find(source, line.replace(" ", "  "))
    assert isinstance(spaced, Found)
    assert spaced.match is Match.NORMALIZED


def test_a_short_text_has_a_hint_for_every_quote_of_a_graph():
    text = written(10_000)
    source = Searched(text)
    for line in text.splitlines()[:100]:
        refused = find(source, " ".join(reversed(line.split())))
        assert isinstance(refused, Missing)
        assert "The closest one stands at" in refused.hint


def test_places_that_cut_through_characters_are_not_looked_at_for_ever():
    source = Searched("\ufb01" * 200_000)
    for n in range(100):
        refused = find(source, "i" + "fi" * n)
        assert isinstance(refused, Missing)
        assert n < 99 or "check_quote" in refused.hint
        assert source.traced < searched.MAX_TRACED + 10_000
