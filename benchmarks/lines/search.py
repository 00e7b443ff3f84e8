"""search_documents, against the full-text index alone on the same table: in one process, without the wire."""

import random
import tempfile
import time
from pathlib import Path

import apsw

from benchmarks.bench import Bench
from benchmarks.figures import Figure, percentile
from benchmarks.serving.house import settings
from sophia.opening import Opened, opened
from sophia.search.lexicon import match_query
from sophia.store.engine import connect

DOCUMENTS = 1_500
CALLS = 100
WORDS = 20_000
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu")
_ALONE = "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? ORDER BY bm25(chunk_fts, 1.0, 0.0) LIMIT 20"


def measured(bench: Bench) -> list[Figure]:
    """The middle of the searches' times in microseconds."""
    with tempfile.TemporaryDirectory(dir=bench.place) as made:
        bench.say(f"adding {DOCUMENTS} documents")
        house = opened(settings(Path(made)))
        alone = connect(house.ownership, house.ownership.directory / "state.db", house.keys.state)
        try:
            _fill(house)
            bench.say("search_documents")
            chunks = alone.execute("SELECT count(*) FROM chunk").get
            rounds = [(_searches(house), _searches_alone(alone)) for _ in range(bench.rounds + 1)][1:]
        finally:
            alone.close()
            house.close()
    own, other = [a for a, _ in rounds], [b for _, b in rounds]
    against = f"FTS5 alone, {percentile(other, 0.5):.0f} µs"
    ratios = [a / b for a, b in rounds]
    return [Figure(f"search_documents, two words, {chunks:,} chunks, p50", "µs", own, against, ratios, 2.0)]


def _fill(house: Opened) -> None:
    chance = random.Random(7)
    for n in range(DOCUMENTS):
        words = " ".join(_word(chance) for _ in range(400))
        _called(house, "add_document", {"title": f"Text {n}", "body": words})


def _word(chance: random.Random) -> str:
    """A word as texts have them: a few come again and again, most hardly ever."""
    n = int(WORDS * chance.random() ** 3)
    return "".join(SYLLABLES[n // len(SYLLABLES) ** place % len(SYLLABLES)] for place in range(4))


def _queries() -> list[str]:
    chance = random.Random(11)
    return [f"{_word(chance)} {_word(chance)}" for _ in range(CALLS)]


def _searches(house: Opened) -> float:
    times = []
    for query in _queries():
        began = time.perf_counter_ns()
        _called(house, "search_documents", {"query": query})
        times.append((time.perf_counter_ns() - began) / 1000)
    return percentile(times, 0.5)


def _called(house: Opened, tool: str, arguments: dict[str, object]) -> None:
    answer = house.parts.dispatcher.call(house.parts.owner, f"sophia.{tool}", arguments)
    assert not answer.is_error, answer.payload


def _searches_alone(db: apsw.Connection) -> float:
    times = []
    for match in [f"body : ({match_query(query)})" for query in _queries()]:
        began = time.perf_counter_ns()
        db.execute(_ALONE, (match,)).fetchall()
        times.append((time.perf_counter_ns() - began) / 1000)
    return percentile(times, 0.5)
