"""Rotates the owner's key in children that die at some moment of it.

`python -m tests.support.dying_rotation PLACE DEATHS` prints, for each death, whether the data directory opens after it,
how many of the owner's keys are there, and how often the key was rotated so far.
"""

import json
import os
import random
import signal
import sys
from pathlib import Path

from sophia.store.keys import rewrap
from sophia.store.ownership import acquire
from tests.support.beneath import bare, owned

LONGEST_S = 0.03


def rotating(place: Path, alive_s: float) -> None:
    """Rotate once, and again until the timer kills: its signal has no handler, so nothing is tidied up."""
    ownership = acquire(place / "data")
    rewrap(ownership, place / "keys", keyring_allowed=False)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, alive_s)
    while True:
        rewrap(ownership, place / "keys", keyring_allowed=False)


def look(place: Path) -> None:
    """Say what is there, as whoever starts next finds it."""
    with owned(place) as (ownership, keys), bare(ownership, keys) as db:
        opens = db.execute("SELECT count(*) FROM entity").get == 1
    keys_there = len(list((place / "keys").glob("*.key")))
    turn = json.loads((place / "data" / "key.json").read_text())["turn"]
    sys.stdout.write(json.dumps({"opens": opens, "keys": keys_there, "turn": turn}) + "\n")


def main() -> None:
    """Tell of every death."""
    place, chance = Path(sys.argv[1]), random.Random(25)
    for _ in range(int(sys.argv[2])):
        pid = os.fork()
        if pid == 0:
            rotating(place, chance.uniform(0.001, LONGEST_S))
        _, status = os.waitpid(pid, 0)
        if os.waitstatus_to_exitcode(status) != -signal.SIGALRM:
            sys.exit("it ended by itself")
        look(place)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
