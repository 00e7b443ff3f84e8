"""The one connection that writes a database: a transaction at a time, and what it knows of its own health."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import Lock

import apsw

from sophia.core.errors import SophiaError, Unavailable
from sophia.store import fence
from sophia.store.faults import STORAGE_FAULTS, translated

PATIENCE_S = 30.0
FOLD_PAGES = 1_000
"""Pages of the write-ahead log at which it is folded back after a commit."""
LOG_LARGE = 16 * 1024 * 1024
"""Bytes of the write-ahead log at which it is folded back at once, whatever the engine does by itself."""
LOG_ALARMING = 64 * 1024 * 1024
BUSY_MS = 5000


class Writer:
    """All that is written to one database is written here."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db
        self._lock = Lock()
        self.epoch = 0
        self.trouble: str | None = None
        """Why the last write could not be kept, until one can."""
        self.swollen: str | None = None
        """That the write-ahead log has grown and cannot be folded back, while that is so."""
        self._logged = 0
        db.set_wal_hook(self._committed)

    @contextmanager
    def alone(self) -> Generator[apsw.Connection]:
        """The connection, for the block; `Unavailable` where another write keeps it too long."""
        if not self._lock.acquire(timeout=PATIENCE_S):
            raise Unavailable("Another write has been running too long; try again.", retry_after_s=5)
        try:
            with translated():
                yield self.db
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self) -> Generator[apsw.Connection]:
        """A transaction of the present owner, kept as a whole or not at all. Only within `alone`."""
        with self._kept():
            fence.require_owner(self.db, self.epoch)
            yield self.db

    def take_epoch(self) -> int:
        """Begin the epoch of this owner."""
        with self.alone(), self._kept():
            self.epoch = fence.take_epoch(self.db)
        return self.epoch

    def share_epoch(self) -> int:
        """Go on in the epoch that was found: for an owner that is not to write until it is told to."""
        with self.alone():
            self.epoch = fence.epoch(self.db)
        return self.epoch

    @contextmanager
    def _kept(self) -> Generator[None]:
        try:
            self._rolled_back()
            self.db.execute("BEGIN IMMEDIATE")
            yield
            self.db.execute("COMMIT")
            self.trouble = None
            self._fold()
        except BaseException as error:
            with suppress(apsw.Error):  # what it was rolled back for is what matters
                self._rolled_back()
            if isinstance(error, STORAGE_FAULTS):
                self.trouble = f"writes do not commit: {type(error).__name__}"
            raise

    def _committed(self, _db: apsw.Connection, _name: str, pages: int) -> int:
        """Instead of the engine's own checkpoint within the commit: a failure of it must not pass for the commit's."""
        self._logged = pages
        return apsw.SQLITE_OK

    def _fold(self) -> None:
        if self._logged >= FOLD_PAGES:
            with suppress(apsw.Error):  # the log keeps it all, and the next commit tries again
                self.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _rolled_back(self) -> None:
        if self.db.in_transaction:
            self.db.execute("ROLLBACK")

    def probe(self) -> None:
        """Try whether a write commits again, after one did not."""
        with suppress(SophiaError), self.alone(), self.transaction() as db:
            fence.prove_writable(db)

    def checkpoint(self) -> None:
        """Fold the write-ahead log back into the database."""
        with self.alone() as db:
            db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def tidy(self) -> None:
        """Fold a log back that has grown; where a reader keeps it open, go on, and say so once it is alarming."""
        if self._log_bytes() > LOG_LARGE:
            with self.alone() as db:
                db.set_busy_timeout(0)  # nobody waits for a reader here
                try:
                    db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                except apsw.BusyError:
                    pass
                finally:
                    db.set_busy_timeout(BUSY_MS)
        size = self._log_bytes()
        self.swollen = f"the write-ahead log has {size >> 20} MB and a reader holds it" if size > LOG_ALARMING else None

    def _log_bytes(self) -> int:
        try:
            return os.stat(self.db.filename_wal).st_size
        except FileNotFoundError:
            return 0
