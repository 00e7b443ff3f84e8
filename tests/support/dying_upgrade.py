"""Opens an older state in children that die at one statement of its upgrade each: at the first, and so on.

Every few statements are tried: each migration runs some two hundred, most of them the same triggers.

`python -m tests.support.dying_upgrade PLACE DATABASE NUMBER ADDED` prints, for each statement of migration NUMBER of
DATABASE, how the database is found after the death. ADDED, if any, is that migration: one of a release to come.
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sophia.opening import opened
from sophia.store import migrate
from sophia.store.databases import prepare
from sophia.store.failpoints import Failpoints
from tests.support.beneath import bare, owned
from tests.support.process import settings

STRIDE, STRIDE_ADDED = 41, 11


def opening(place: Path, failpoint: str) -> None:
    """Open and close the data directory, or die on the way."""
    opened(replace(settings(place), failpoint=failpoint)).close()


def migrating(place: Path, failpoint: str) -> None:
    """Bring both databases up to date and no more, or die on the way."""
    with owned(place) as (ownership, keys):
        for name, key in (("state", keys.state), ("ops", keys.ops)):
            prepare(ownership, ownership.directory / f"{name}.db", key, name, Failpoints(failpoint))


def look(place: Path, name: str) -> None:
    """Say how the database is, as whoever opens it next finds it."""
    with owned(place) as (ownership, keys), bare(ownership, keys, name) as db:
        version = db.execute("PRAGMA user_version").get
        sound = db.execute("PRAGMA integrity_check").get == "ok"
        schema = migrate.fingerprint(db)
    sys.stdout.write(json.dumps({"version": version, "sound": sound, "schema": schema}) + "\n")
    sys.stdout.flush()


def child(act: Callable[..., None], *arguments: object) -> int:
    """How the act ended in a process of its own: 0, or minus the signal."""
    pid = os.fork()
    if pid == 0:
        try:
            act(*arguments)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent tells it
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Tell of every statement."""
    place, database, number, added = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
    real = migrate.migrations
    if added:
        migrate.migrations = lambda name: [*real(name), (number, added)] if name == database else real(name)
    else:  # this code cannot open what is brought up to a release before it
        migrate.migrations = lambda name: [one for one in real(name) if one[0] <= number]
    act = opening if added else migrating
    at, stride = 1, STRIDE_ADDED if added else STRIDE
    while (died := child(act, place, f"migrate_{database}_{number}:kill:{at}")) == -signal.SIGKILL:
        if child(look, place, database):
            sys.exit("what it left cannot be looked at")
        at += stride
    sys.exit(1 if died > 0 else 0)


if __name__ == "__main__":
    main()
