"""The ops database at work: who may do what, and the security log that keeps every act on it."""

import hashlib
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import apsw

from sophia.core.clock import Clock
from sophia.store.failpoints import Failpoints
from sophia.store.faults import translated
from sophia.store.pool import Pool
from sophia.store.reader import Reader

GENESIS = "0" * 64


class OpsTx(Reader):
    """One write of the ops database."""

    def __init__(self, db: apsw.Connection, clock: Clock) -> None:
        super().__init__(db)
        self._clock = clock

    def run(self, sql: str, **values: Any) -> int:
        """Execute a write; how many rows it changed."""
        self._db.execute(sql, values)
        return int(self._db.changes())

    def log(self, what: str, who: str, about: str | None = None, **details: Any) -> None:
        """Keep a security event, chained to the one before. It fails with the act that it records, and never alone."""
        last = self._db.execute("SELECT hash FROM security_event ORDER BY n DESC LIMIT 1").get or GENESIS
        row = (self._clock.now(), what, who, about, json.dumps(details, sort_keys=True))
        self._db.execute(
            "INSERT INTO security_event (at, what, who, about, details, hash) VALUES (?, ?, ?, ?, ?, ?)",
            (*row, event_hash(last, row)),
        )


def event_hash(before: str, row: tuple[Any, ...]) -> str:
    """The hash of a security event over the one before it and its own columns."""
    return hashlib.sha256(json.dumps([before, *row]).encode()).hexdigest()


def broken_event(db: apsw.Connection) -> int | None:
    """The number of the first security event that is not what was written, `None` where all are."""
    before, last = GENESIS, 0
    for n, *row, link in db.execute("SELECT n, at, what, who, about, details, hash FROM security_event ORDER BY n"):
        if n != last + 1 or event_hash(before, tuple(row)) != link:
            return int(last + 1)
        before, last = link, n
    return None


class Ops:
    """All reading and writing of the ops database goes through here."""

    def __init__(self, connect: Callable[[], apsw.Connection], clock: Clock, failpoints: Failpoints) -> None:
        self._clock = clock
        self._failpoints = failpoints
        self._readers = Pool(connect, 4)
        self._writing = Lock()
        self._db = connect()
        self.version = 0
        """Moves with every write, kept or not: what was found out under the same version still holds."""

    @contextmanager
    def reading(self) -> Generator[Reader]:
        """The ops database as it stands."""
        db = self._readers.take()
        try:
            with translated():
                yield Reader(db)
        finally:
            self._readers.give(db)

    @contextmanager
    def writing(self) -> Generator[OpsTx]:
        """A write of the ops database, kept as a whole or not at all."""
        with self._writing, translated():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield OpsTx(self._db, self._clock)
                self._failpoints.reach("ops_before_commit")
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
            finally:
                self.version += 1

    def checkpoint(self) -> None:
        """Fold the write-ahead log back into the database."""
        with self._writing, translated():
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        """Close every connection."""
        for db in self._readers.made:
            db.close()
        self._db.close()
