"""query_knowledge by entity, on some facts and on a hundred times as many: in one process, without the wire."""

import shutil
import time
from pathlib import Path

from benchmarks.bench import ROOT, Bench
from benchmarks.figures import Figure, percentile
from benchmarks.ground import COLUMNS, FACTS_EACH, entity_id, facts
from benchmarks.serving.house import settings, without_journal
from sophia.opening import Opened, opened

FEW, MANY = 10_000, 1_000_000
CALLS = 400


def measured(bench: Bench) -> list[Figure]:
    """The middle of the calls' times in microseconds, on both."""
    few, many = _house(bench, FEW), _house(bench, MANY)
    try:
        rounds = [(_median(few, FEW), _median(many, MANY)) for _ in range(bench.rounds + 1)][1:]
    finally:
        few.close()
        many.close()
    small, large = [a for a, _ in rounds], [b for _, b in rounds]
    ratios = [b / a for a, b in rounds]
    against = f"on {FEW:,} facts, {percentile(small, 0.5):.0f} µs"
    return [Figure(f"query_knowledge by entity on {MANY:,} facts, p50", "µs", large, against, ratios, 1.5)]


def _house(bench: Bench, count: int) -> Opened:
    """A house with so many facts, five for each entity; made once and kept."""
    place = ROOT / "build" / f"facts-{count}"
    if not (place / "whole").exists():
        bench.say(f"making {count:,} facts")
        shutil.rmtree(place, ignore_errors=True)
        _fill(place, count)
        (place / "whole").touch()
    bench.say(f"query_knowledge on {count:,} facts")
    return opened(settings(place))


def _fill(place: Path, count: int) -> None:
    """Write them below the gate and the journal: it is reading that is measured."""
    house = opened(settings(place))
    user = house.parts.owner.user_id
    try:
        with without_journal(house) as db, db:
            db.executemany(
                "INSERT INTO entity (id, user_id, kind, name, name_key, created_at, updated_at)"
                " VALUES (?, ?, 'thing', ?, ?, 0, 0)",
                ((entity_id(n), user, f"Entity {n}", f"entity {n}") for n in range(count // FACTS_EACH)),
            )
            db.executemany(
                f"INSERT INTO fact ({', '.join(COLUMNS)}, user_id, object_key, value_type, observer_connection_id,"
                " observer_name, trust_rank, source_kind)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'text', 'owner', 'owner', 3, 'word')",
                ((*row, user, row[3]) for row in facts(count // FACTS_EACH)),
            )
    finally:
        house.close()


def _median(house: Opened, count: int) -> float:
    call, owner = house.parts.dispatcher.call, house.parts.owner
    times = []
    for n in range(CALLS):
        arguments = {"entity": entity_id(n * 7919 % (count // FACTS_EACH)), "limit": FACTS_EACH}
        began = time.perf_counter_ns()
        answer = call(owner, "sophia.query_knowledge", arguments)
        times.append((time.perf_counter_ns() - began) / 1000)
        assert not answer.is_error, answer.payload
    return percentile(times, 0.5)
