"""The same write with the journal and without it, in one process, on a state of its own each."""

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.figures import Figure
from benchmarks.ground import entity_id
from benchmarks.serving.house import settings, without_journal
from sophia.opening import Opened, opened
from sophia.store.journal import Entry

WRITES = 400
ENTITIES = 50


def measured(bench: Bench) -> list[Figure]:
    """CPU and time of an entity's change, committed durably."""
    bench.say("the journal")
    with ExitStack() as stack:
        kept, bare = (_house(stack, bench.place) for _ in range(2))
        stack.enter_context(without_journal(bare))
        rounds = [(_writes(kept), _writes(bare)) for _ in range(bench.rounds + 1)][1:]
    found = []
    for index, what in enumerate(("CPU", "time")):
        own, other = [a[index] for a, _ in rounds], [b[index] for _, b in rounds]
        ratios = [a / b for a, b in zip(own, other, strict=True)]
        found.append(Figure(f"a write with its journal, {what}", "µs", own, "without it", ratios, 2.0))
    return found


def _house(stack: ExitStack, place: Path) -> Opened:
    """A house with some entities."""
    house = opened(settings(Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place)))))
    stack.callback(house.close)
    owner, now = house.parts.owner, house.parts.clock.now()
    entry = Entry(owner.user_id, owner.connection_id, owner.name, "sophia.bench", "call-bench", now)
    with house.databases.state.writing(owner, entry) as unit:
        for n in range(ENTITIES):
            unit.tx.insert(
                "entity", id=entity_id(n), kind="thing", name=f"Entity {n}", name_key=f"entity {n}", created_at=now,
                updated_at=now,
            )  # fmt: skip
    return house


def _writes(house: Opened) -> tuple[float, float]:
    """The microseconds of CPU and of time that one write takes."""
    call, owner = house.parts.dispatcher.call, house.parts.owner
    cpu, began = time.process_time_ns(), time.perf_counter_ns()
    for n in range(WRITES):
        arguments = {"entity_id": entity_id(n % ENTITIES), "name": f"Named {n} {began}"}
        answer = call(owner, "sophia.update_entity", arguments)
        assert not answer.is_error, answer.payload
    taken = time.process_time_ns() - cpu, time.perf_counter_ns() - began
    return taken[0] / WRITES / 1000, taken[1] / WRITES / 1000
