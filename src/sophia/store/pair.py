"""Copies of both databases as they stand at one moment, while writes go on."""

import hashlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from threading import Event, Thread

import apsw

from sophia.core.errors import SophiaError, Unavailable
from sophia.store.container import MEMBERS, Marks, Part, Step
from sophia.store.engine import connect
from sophia.store.faults import meant
from sophia.store.journal import Head
from sophia.store.keys import Keys
from sophia.store.ops import GENESIS, LogHead
from sophia.store.ownership import Ownership
from sophia.store.verify import unsound

BEGUN_WITHIN_S = 10.0
_LOOK_S = 0.2
Still = Callable[[], AbstractContextManager[tuple[Head, LogHead] | None]]
"""Keeps both databases as they are for its block, and tells where they stand, if anybody writes at all."""


class BackupUnsound(SophiaError):
    """A copy of the data is not what was to be copied, so no backup was made; run `sophia verify`."""

    code = "backup_unsound"


def copied(ownership: Ownership, keys: Keys, folder: Path, still: Still, step: Step) -> tuple[Marks, list[Part]]:
    """Both databases in `folder`, encrypted as they are, checked by the engine, and of one and the same moment.

    Writes wait until both copies have begun, and no longer: a copy goes on from what was there when it began.
    """
    sources = [(ownership.directory / name, key) for name, key in zip(MEMBERS, (keys.state, keys.ops), strict=True)]
    total = sum(os.stat(path).st_size for path, _ in sources)
    with ExitStack() as held:
        copies = []
        for path, key in sources:
            db = connect(ownership, path, key)
            held.callback(db.close)
            copies.append(_Copy(db, folder / path.name))
            held.callback(copies[-1].stop)
        with still() as heads:
            for copy in copies:
                copy.start()
            for copy in copies:
                copy.has_begun()
        while any(copy.is_alive() for copy in copies):
            for copy in copies:
                copy.join(_LOOK_S)
            step("copying", min(sum(copy.size for copy in copies), total), total)
        for copy in copies:
            copy.settled()
    return _checked(ownership, keys, folder, heads, step)


class _Copy(Thread):
    """One database on its way into a file, in a thread of its own."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        super().__init__(name="sophia-copy", daemon=True)
        self._db = db
        self._path = path
        self._begun = Event()
        self._stopped = False
        self._error: BaseException | None = None

    @property
    def size(self) -> int:
        """Bytes that are there by now."""
        return os.stat(self._path).st_size if self._path.exists() else 0

    def run(self) -> None:
        """Copy all of it, as it is when the copy begins."""
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
            self._db.authorizer = self._seen
            self._db.set_progress_handler(lambda: self._stopped, 10_000)
            self._db.execute("VACUUM INTO ?", (str(self._path),))
        except BaseException as error:  # noqa: BLE001 - it is raised where the copy is waited for
            self._error = error
        finally:
            self._begun.set()

    def _seen(self, action: int, *_: str | None) -> int:
        """Tables are made in the copy only once the transaction that is copied from is open."""
        if action == apsw.SQLITE_CREATE_TABLE:
            self._begun.set()
        return apsw.SQLITE_OK

    def has_begun(self) -> None:
        """Return when nothing that is written from now on is in the copy any more."""
        if not self._begun.wait(BEGUN_WITHIN_S):
            raise Unavailable("The copy did not begin in time; try again.", retry_after_s=5)

    def stop(self) -> None:
        """Leave off where it has not ended by itself."""
        self._stopped = True
        if self.ident is not None:
            self.join()

    def settled(self) -> None:
        """Return where the copy is there; raise what it met where it is not."""
        if self._error is not None:
            raise meant(self._error) from self._error


def _checked(
    ownership: Ownership, keys: Keys, folder: Path, heads: tuple[Head, LogHead] | None, step: Step
) -> tuple[Marks, list[Part]]:
    opened: list[tuple[int, tuple[int, str], int]] = []
    for done, (name, key) in enumerate(zip(MEMBERS, (keys.state, keys.ops), strict=True)):
        step("checking", done, len(MEMBERS))
        db = connect(ownership, folder / name, key)
        try:
            if unsound(db):
                raise BackupUnsound
            opened.append((db.execute("PRAGMA user_version").get, _head(db, name), _epoch(db)))
        finally:
            db.close()
    (state_schema, (seq, link), epoch), (ops_schema, (event, event_link), _) = opened
    if heads is not None and heads != (Head(seq, link), LogHead(event, event_link)):
        raise BackupUnsound("The two copies are not of one moment, so no backup was made; try again.")
    parts = []
    for name, schema in zip(MEMBERS, (state_schema, ops_schema), strict=True):
        with (folder / name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            parts.append(Part(name, schema, file.tell(), digest))  # type: ignore[arg-type]
    return Marks(seq, link, event, event_link, epoch), parts


def _head(db: apsw.Connection, name: str) -> tuple[int, str]:
    if name == "state.db":
        found = db.execute("SELECT seq, hash FROM journal_head").get
    else:
        found = db.execute("SELECT n, hash FROM security_event ORDER BY n DESC LIMIT 1").get
    return found or (0, GENESIS)


def _epoch(db: apsw.Connection) -> int:
    return int(db.execute("SELECT epoch FROM owner_epoch WHERE id = 1").get or 0)
