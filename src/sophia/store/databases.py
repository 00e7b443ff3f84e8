"""Both databases, opened in one place, by the owner of their directory and by nobody else."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from sophia.core.clock import Clock
from sophia.core.errors import SophiaError
from sophia.core.refusals import DbUnavailable, SqliteUnsafe
from sophia.store import journal
from sophia.store.engine import connect, is_plaintext, require_safe_library
from sophia.store.failpoints import Failpoints
from sophia.store.journal import Head
from sophia.store.keys import Keys
from sophia.store.migrate import migrate
from sophia.store.ops import LogHead, Ops
from sophia.store.ownership import Ownership
from sophia.store.state import State


@dataclass(frozen=True, slots=True)
class Databases:
    """The state and the ops database of one data directory."""

    state: State
    ops: Ops

    def close(self) -> None:
        """Fold the logs back and close both. A log that cannot be folded back stays, and is read at the next start."""
        for database in (self.state, self.ops):
            try:
                database.checkpoint()
            except SophiaError:
                continue
        self.drop()

    def drop(self) -> None:
        """Close both as they are."""
        self.state.close()
        self.ops.close()

    def take_epoch(self) -> None:
        """End the authority of every owner before this one."""
        self.state.take_epoch()
        self.ops.writer.take_epoch()

    @contextmanager
    def still(self) -> Generator[tuple[Head, LogHead]]:
        """Nothing is written to either for the block; where both stand. The state first, as every act has it."""
        with self.state.writer.alone(), self.ops.writer.alone():
            yield self.state.head, self.ops.head

    def probe(self) -> None:
        """Try whether writes commit again, where they did not; fold back logs that have grown."""
        for writer in (self.state.writer, self.ops.writer):
            if writer.trouble:
                writer.probe()
            writer.tidy()

    def troubles(self) -> list[str]:
        """Why writes cannot be kept now."""
        found = (self.state.read_only, self.state.trouble, self.ops.trouble)
        return list(dict.fromkeys(trouble for trouble in found if trouble))

    def warnings(self) -> list[str]:
        """What is not as it should be, though writes commit."""
        return [told for told in (self.state.writer.swollen, self.ops.writer.swollen) if told]


Doubt = Callable[[State, Ops], str | None]
"""Why the databases that were found are not to be written to, or `None`."""


def open_databases(
    ownership: Ownership,
    keys: Keys,
    clock: Clock,
    failpoints: Failpoints = Failpoints(),
    doubt: Doubt = lambda _state, _ops: None,
    folder: Path | None = None,
) -> Databases:
    """Both databases at this version's schema, in a new epoch unless there is a `doubt`; `Refusal` 86–88 else.

    They lie in the data directory, or in a `folder` of it.
    """
    require_safe_library()
    paths = {name: (folder or ownership.directory) / f"{name}.db" for name in ("state", "ops")}
    for name, key in (("state", keys.state), ("ops", keys.ops)):
        prepare(ownership, paths[name], key, name, failpoints)
    made: list[apsw.Connection] = []

    def opened(name: str, key: str) -> apsw.Connection:
        made.append(connect(ownership, paths[name], key))
        return made[-1]

    try:
        state = State(lambda: opened("state", keys.state), keys.seal, clock, failpoints)
        databases = Databases(state, Ops(lambda: opened("ops", keys.ops), clock, failpoints))
        _begun(databases, doubt)
    except BaseException as error:
        for db in made:
            db.close()
        if isinstance(error, (apsw.Error, SophiaError)):
            raise DbUnavailable(f"The databases cannot be read: {type(error).__name__}.") from error
        raise
    return databases


def _begun(databases: Databases, doubt: Doubt) -> None:
    """A state in doubt gets no new epoch: taking one would be the write that makes an old copy look current."""
    databases.state.read_only = doubt(databases.state, databases.ops)
    if databases.state.read_only is None:
        databases.take_epoch()
    else:
        databases.state.writer.share_epoch()
        databases.ops.writer.share_epoch()


def prepare(ownership: Ownership, path: Path, key: str, name: str, failpoints: Failpoints = Failpoints()) -> None:
    """Make or migrate the file, and check that it is encrypted and whole enough to start on."""
    try:
        fresh = not path.exists()
        if fresh:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        failpoints.reach(f"{name}_made")
        db = connect(ownership, path, key)
        try:
            migrate(db, name, journal.triggers if name == "state" else _nothing, failpoints)
        finally:
            db.close()
    except (apsw.Error, OSError) as error:
        raise DbUnavailable(f"{path.name} can be neither read nor made: {type(error).__name__}.") from error
    if is_plaintext(path):
        raise SqliteUnsafe(f"{path.name} was written unencrypted; Sophia does not start on it.")


def _nothing(_: apsw.Connection) -> tuple[str, ...]:
    return ()
