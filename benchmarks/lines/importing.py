"""A thousand notes from files to searchable, beside only reading and hashing the same files."""

import gc
import hashlib
import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.bench import Bench
from benchmarks.figures import Figure
from benchmarks.serving.house import settings
from sophia.importers.house import Intake
from sophia.importers.paths import import_paths
from sophia.opening import opened

NOTES = 1_000
PARTS = 4
WORDS = 80


def measured(bench: Bench) -> list[Figure]:
    """CPU and time of one import, and of the next, which finds everything as it was."""
    bench.say("importing a thousand notes")
    with tempfile.TemporaryDirectory(dir=bench.place) as made:
        folder = _notes(Path(made) / "notes")
        rounds = [_round(bench.place, folder) for _ in range(bench.rounds + 1)][1:]
    found = []
    for index, what in enumerate(("CPU", "time")):
        own, other = [one[index] for one in rounds], [one[2 + index] for one in rounds]
        ratios = [a / b for a, b in zip(own, other, strict=True)]
        found.append(Figure(f"{NOTES} notes to searchable, {what}", "s", own, "reading and hashing", ratios, 10.0))
    again = [one[4] for one in rounds]
    return [*found, Figure(f"{NOTES} notes looked through again, time", "s", again)]


def _notes(folder: Path) -> Path:
    """Notes of some two kilobytes each, in the words of a vocabulary that is used as a language's is."""
    chance = random.Random(3)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(8_000)]
    weights = [1 / (n + 1) for n in range(len(words))]
    folder.mkdir()
    for n in range(NOTES):
        parts = (f"## Part {k}\n\n{' '.join(chance.choices(words, weights, k=WORDS))}.\n" for k in range(PARTS))
        (folder / f"{n:04}.md").write_text(f"# Note {n}\n\n" + "\n".join(parts))
    return folder


def _round(place: Path, folder: Path) -> tuple[float, float, float, float, float]:
    """Seconds of CPU and of time: the import's, those of reading and hashing; and the time of the second import."""
    cpu, began = time.process_time(), time.perf_counter()
    for path in sorted(folder.iterdir()):
        hashlib.sha256(path.read_bytes()).digest()
    other = time.process_time() - cpu, time.perf_counter() - began
    with tempfile.TemporaryDirectory(dir=place) as made:
        house = opened(settings(Path(made)))
        gc.collect()
        gc.freeze()  # as the daemon does
        gc.set_threshold(50_000, 20, 20)
        try:
            cpu, began = time.process_time(), time.perf_counter()
            told = _imported(house.parts.intake, folder)
            own = time.process_time() - cpu, time.perf_counter() - began
            assert told["documents"] == NOTES, told
            began = time.perf_counter()
            assert _imported(house.parts.intake, folder)["mutation_seq"] is None
            return *own, *other, time.perf_counter() - began
        finally:
            house.close()


def _imported(intake: Intake, folder: Path) -> dict[str, Any]:
    return import_paths(intake, [str(folder)], lambda _stage, _done, _total: None).told()
