"""Programs of the tests, and how to wait for what they do."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
STARTER = Path(__file__).parent / "starter.py"
ROOT = Path(__file__).parents[2]


def starter(*arguments: str, before: tuple[str, ...] = ()) -> "subprocess.Popen[str]":
    """A starter.py, its pipes open."""
    pipe = subprocess.PIPE
    command = [*before, sys.executable, str(STARTER), *arguments]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT)


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """Its exit code and its stderr, once it has ended by itself."""
    _, errors = process.communicate(timeout=20)
    return process.returncode, errors


def started(process: "subprocess.Popen[str]") -> dict[str, int]:
    """What a starter that got its directory says of itself."""
    assert process.stdout
    told = process.stdout.readline()
    assert told, process.communicate(timeout=5)[1]
    return dict(json.loads(told))


def until(look: Callable[[], T | None], within_s: float = 2.0) -> T:
    """What `look` finds, as soon as it finds something."""
    deadline = time.monotonic() + within_s
    while True:
        found = look()
        if found is not None:
            return found
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
