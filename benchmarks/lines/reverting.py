"""An import of ten thousand rows taken back, and that again, beside the import itself; and one row taken back."""

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench
from benchmarks.figures import Figure, percentile
from benchmarks.serving.house import settings
from sophia.capabilities.documents import intake
from sophia.capabilities.documents.intake import Act, Place, Text
from sophia.core.source_text import Origin
from sophia.opening import Opened, opened
from sophia.store.journal import Entry

ROWS = 10_000
EACH = 3
"""Rows of a document: itself, its text and its link."""
SINGLE = 200


def measured(bench: Bench) -> list[Figure]:
    """CPU of the import, of its revert and of the revert of that; and of the revert of one row."""
    bench.say(f"taking back an import of {ROWS} rows")
    rounds = [_round(bench.place) for _ in range(bench.rounds)]
    taken, back, again, one = (list(values) for values in zip(*rounds, strict=True))
    return [
        Figure(f"{ROWS} rows of an import taken back, CPU", "s", back, "the import", _ratios(back, taken), 3.0),
        Figure(f"{ROWS} rows brought back again, CPU", "s", again, "the import", _ratios(again, taken), 3.0),
        Figure("one row taken back, CPU, p50", "µs", one),
    ]


def _ratios(own: list[float], other: list[float]) -> list[float]:
    return [a / b for a, b in zip(own, other, strict=True)]


def _round(place: Path) -> tuple[float, float, float, float]:
    with tempfile.TemporaryDirectory(dir=place) as made:
        house = opened(settings(Path(made)))
        try:
            entity_id = _asked(house, "create_entity", kind="folder", name="Notes")["entity"]["entity_id"]
            began = time.process_time()
            seq = _imported(house, entity_id)
            imported = time.process_time()
            back = _asked(house, "revert_mutation", mutation_seq=seq)
            assert back["rows"] >= ROWS - EACH, back
            reverted = time.process_time()
            _asked(house, "revert_mutation", mutation_seq=back["mutation_seq"])
            again = time.process_time()
            return imported - began, reverted - imported, again - reverted, _single(house, entity_id)
        finally:
            house.close()


def _imported(house: Opened, entity_id: str) -> int:
    """The mutation that took in as many documents as come to so many rows."""
    parts, now = house.parts, house.parts.clock.now()
    entry = Entry(parts.owner.user_id, "owner", "owner", "bench", parts.ids.new("call"), now)
    act = Act(parts.owner.user_id, "owner", now, parts.ids.new)
    with house.databases.state.writing(parts.owner, entry) as unit:
        made = [
            intake.add(unit.tx, _text(house, n), Place(Origin.IMPORT, None, f"/notes/{n}", (entity_id,)), act)
            for n in range(ROWS // EACH)
        ]
        intake.settle(unit.tx, made)
        return unit.seq


def _text(house: Opened, n: int) -> Text:
    said = f"The quokka of {n} is called zebra{n:05d}.\n\n" * 20
    return Text.of(f"Note {n}", said, "text/markdown", house.parts.secrets.masking())


def _single(house: Opened, entity_id: str) -> float:
    """Microseconds of CPU, with all else that there is in the state."""
    times = []
    for n in range(SINGLE):
        seq = _asked(house, "update_entity", entity_id=entity_id, summary=str(n))["mutation_seq"]
        began = time.process_time()
        _asked(house, "revert_mutation", mutation_seq=seq)
        times.append((time.process_time() - began) * 1e6)
    return percentile(times, 0.5)


def _asked(house: Opened, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = house.parts.dispatcher.call(house.parts.owner, tool, arguments)
    told: dict[str, Any] = json.loads(answer.payload)
    assert not answer.is_error, told
    return told
