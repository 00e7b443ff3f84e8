"""Half a gigabyte of transcripts beside a tenth of it: what the import takes of time, and of memory."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.bench import ROOT, Bench
from benchmarks.figures import Figure
from benchmarks.serving.transcripts import written

LARGE, SMALL = 500, 50


def measured(bench: Bench) -> list[Figure]:
    """Memory that the import adds at its most, and CPU for each megabyte; once, as it takes a while."""
    bench.say(f"importing {LARGE} MB of transcripts")
    large, small = _taken(bench.place, LARGE), _taken(bench.place, SMALL)
    name = f"{LARGE} MB of transcripts taken in, {large['documents']} documents"
    each = [large["cpu"] / LARGE * 1000], [small["cpu"] / SMALL * 1000]
    return [
        Figure(f"{name}: memory that it adds", "MB", [large["grown"]], f"{SMALL} MB, {small['grown']:.0f} MB",
               [large["grown"] / small["grown"]], 1.5),
        Figure(f"{name}: CPU for each MB", "ms", each[0], f"{SMALL} MB, {each[1][0]:.0f} ms",
               [each[0][0] / each[1][0]], 1.5),
    ]  # fmt: skip


def _taken(place: Path, megabytes: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=place) as made:
        folder = Path(made) / "sessions"
        written(folder, megabytes)
        command = [sys.executable, "-m", "benchmarks.serving.transcripts", made, str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told
