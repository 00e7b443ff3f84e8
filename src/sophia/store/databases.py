"""Both databases, opened in one place, by the owner of their directory and by nobody else."""

import os
from dataclasses import dataclass
from pathlib import Path

import apsw

from sophia.core.clock import Clock
from sophia.core.refusals import DbUnavailable, SqliteUnsafe
from sophia.store import journal
from sophia.store.engine import connect, is_plaintext, require_safe_library
from sophia.store.failpoints import Failpoints
from sophia.store.keys import Keys
from sophia.store.migrate import migrate
from sophia.store.ops import Ops
from sophia.store.ownership import Ownership
from sophia.store.state import State


@dataclass(frozen=True, slots=True)
class Databases:
    """The state and the ops database of one data directory."""

    state: State
    ops: Ops

    def close(self) -> None:
        """Fold the logs back and close both."""
        for database in (self.state, self.ops):
            database.checkpoint()
            database.close()


def open_databases(ownership: Ownership, keys: Keys, clock: Clock, failpoints: Failpoints = Failpoints()) -> Databases:
    """Both databases at this version's schema; the state in a new epoch. `Refusal` 86–88 where that cannot be."""
    require_safe_library()
    paths = {name: ownership.directory / f"{name}.db" for name in ("state", "ops")}
    for name, key in (("state", keys.state), ("ops", keys.ops)):
        prepare(ownership, paths[name], key, name)
    state = State(lambda: connect(ownership, paths["state"], keys.state), keys.seal, clock, failpoints)
    ops = Ops(lambda: connect(ownership, paths["ops"], keys.ops), clock, failpoints)
    state.take_epoch()
    return Databases(state, ops)


def prepare(ownership: Ownership, path: Path, key: str, name: str) -> None:
    """Make or migrate the file, and check that it is encrypted and whole enough to start on."""
    fresh = not path.exists()
    if fresh:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
    db = connect(ownership, path, key)
    try:
        migrate(db, name, journal.triggers if name == "state" else _nothing)
    except apsw.Error as error:
        raise DbUnavailable(f"{path.name} cannot be read: {type(error).__name__}.") from None
    finally:
        db.close()
    if is_plaintext(path):
        raise SqliteUnsafe(f"{path.name} was written unencrypted; Sophia does not start on it.")


def _nothing(_: apsw.Connection) -> tuple[str, ...]:
    return ()
