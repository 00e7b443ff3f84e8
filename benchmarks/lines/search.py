"""search_documents, against the full-text index alone on the same table: in one process, without the wire."""

import tempfile
import time
from pathlib import Path

import apsw

from benchmarks.bench import Bench
from benchmarks.figures import Figure, percentile
from benchmarks.serving.house import settings
from sophia.opening import Opened, opened
from sophia.store.engine import connect

DOCUMENTS = 1_500
CALLS = 100
_NOUNS = ("harbour", "ledger", "orchard", "engine", "garden", "letter", "market", "bridge", "window", "river")
_ALONE = "SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ? ORDER BY rank LIMIT 20"


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
    for n in range(DOCUMENTS):
        words = " ".join(f"{_NOUNS[(n * k + k) % 10]} number {n % 97} of {_NOUNS[(n + k) % 10]}." for k in range(1, 60))
        _called(house, "add_document", {"title": f"Text {n}", "body": words})


def _searches(house: Opened) -> float:
    times = []
    for n in range(CALLS):
        began = time.perf_counter_ns()
        _called(house, "search_documents", {"query": f"{_NOUNS[n % 10]} {n % 97}"})
        times.append((time.perf_counter_ns() - began) / 1000)
    return percentile(times, 0.5)


def _called(house: Opened, tool: str, arguments: dict[str, object]) -> None:
    answer = house.parts.dispatcher.call(house.parts.owner, f"sophia.{tool}", arguments)
    assert not answer.is_error, answer.payload


def _searches_alone(db: apsw.Connection) -> float:
    times = []
    for n in range(CALLS):
        began = time.perf_counter_ns()
        db.execute(_ALONE, (f"{_NOUNS[n % 10]} {n % 97}",)).fetchall()
        times.append((time.perf_counter_ns() - began) / 1000)
    return percentile(times, 0.5)
