"""A program that takes ownership of data directories and says how it went: what tests start in numbers, and kill.

`starter.py DIR [CHILD]` takes one, starts a child of that kind, prints `{"pid", "child"}` and holds on until killed.
`starter.py` alone reads lines: a directory is taken and answered with `0` or the exit code, `release` gives it up.
"""

import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from sophia.core.refusals import Refusal, line
from sophia.store.ownership import Ownership, acquire, release

LONG_S = 60


def _say(told: object) -> None:
    sys.stdout.write(f"{told}\n")
    sys.stdout.flush()


def _exec() -> int:
    return subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG_S})"], close_fds=False).pid


def _fork() -> int:
    pid = os.fork()
    if pid == 0:
        time.sleep(LONG_S)
        os._exit(0)
    return pid


def _multiprocessing(method: str) -> Callable[[], int]:
    def start() -> int:
        process = multiprocessing.get_context(method).Process(target=time.sleep, args=(LONG_S,))  # type: ignore[attr-defined]
        process.start()
        return int(process.pid)

    return start


CHILDREN: dict[str, Callable[[], int]] = {
    "none": lambda: 0,
    "subprocess": _exec,
    "os.fork": _fork,
    "multiprocessing fork": _multiprocessing("fork"),
    "multiprocessing spawn": _multiprocessing("spawn"),
}


def _refused(refusal: Refusal) -> int:
    sys.stderr.write(line(refusal) + "\n")
    return refusal.exit_code


def _hold(directory: Path, child: str) -> int:
    try:
        acquire(directory)
    except Refusal as refusal:
        return _refused(refusal)
    _say(json.dumps({"pid": os.getpid(), "child": CHILDREN[child]()}))
    time.sleep(LONG_S)
    return 0


def _race() -> int:
    owned: Ownership | None = None
    _say("ready")
    for told in sys.stdin:
        if told == "release\n":
            if owned:
                release(owned)
            owned = None
            _say("released")
            continue
        try:
            owned = acquire(Path(told.rstrip("\n")))
            _say(0)
        except Refusal as refusal:
            _say(refusal.exit_code)
    return 0


if __name__ == "__main__":
    sys.exit(_hold(Path(sys.argv[1]), (sys.argv[2:] or ["none"])[0]) if len(sys.argv) > 1 else _race())
