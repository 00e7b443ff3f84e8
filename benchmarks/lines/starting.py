"""From the start of the process to its ready line, on an empty directory and on a large state; and memory at rest."""

import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.bench import OWN, ROOT, Bench, command, environ, running
from benchmarks.client import cpu_ns
from benchmarks.figures import Figure

MEGABYTES = 1024
AT_LEAST = 0.95
MAKING_S = 60.0
REST_S = 1.5


def measured(bench: Bench) -> list[Figure]:
    """Seconds and megabytes."""
    large = _large(bench)
    size = (large / "data" / "state.db").stat().st_size / 2**20
    found: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=bench.place) as made:
        for what, places in (
            ("an empty directory", [Path(made) / str(n) for n in range(bench.rounds)]),
            (f"a state of {size:.0f} MB", [large] * bench.rounds),
        ):
            bench.say(f"starting on {what}")
            samples = [_start(place) for place in places]
            found += [
                Figure(f"start to ready on {what}", "s", [ready for ready, _, _ in samples], at_most=1.0),
                Figure(f"start to ready on {what}, CPU", "s", [cpu for _, cpu, _ in samples]),
                Figure(f"memory at rest, on {what}", "MB", [rest for _, _, rest in samples], at_most=150.0),
            ]
    return found


def _large(bench: Bench) -> Path:
    """The large state, made once and kept."""
    place = ROOT / "build" / "large"
    state = place / "data" / "state.db"
    if not state.exists() or state.stat().st_size < AT_LEAST * MEGABYTES * 2**20:
        bench.say("making a large state, for up to a minute")
        making = [*command(OWN, "large"), str(place), str(MEGABYTES), str(MAKING_S)]
        subprocess.run(making, check=True, cwd=ROOT, env=environ())
    return place


def _start(place: Path) -> tuple[float, float, float]:
    """Seconds until it is ready, seconds of CPU until then, and megabytes at rest."""
    began = time.perf_counter()
    with running([*command(OWN, "house"), "start", str(place)]) as told:
        ready = time.perf_counter() - began
        cpu = cpu_ns(told["pid"]) / 1e9
        time.sleep(REST_S)
        status = Path(f"/proc/{told['pid']}/status").read_text()
        resident = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return ready, cpu, int(resident.split()[1]) / 1024
