"""The ops database at work: who may do what, and the security log that keeps every act on it."""

import hashlib
import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import apsw

from sophia.core.clock import Clock
from sophia.store.failpoints import Failpoints
from sophia.store.faults import translated
from sophia.store.pool import Pool
from sophia.store.reader import Reader
from sophia.store.writer import Writer

GENESIS = "0" * 64
TAIL = 10_000
"""How many of the last security events the start looks at; `sophia verify` looks at all."""


@dataclass(frozen=True, slots=True)
class LogHead:
    """Where the security log ends."""

    n: int
    hash: str


class OpsTx(Reader):
    """One write of the ops database."""

    def __init__(self, db: apsw.Connection, clock: Clock, head: LogHead) -> None:
        super().__init__(db)
        self._clock = clock
        self.head = head

    def run(self, sql: str, **values: Any) -> int:
        """Execute a write; how many rows it changed."""
        self._db.execute(sql, values)
        return int(self._db.changes())

    def log(self, what: str, who: str, about: str | None = None, **details: Any) -> None:
        """Keep a security event, chained to the one before. It fails with the act that it records, and never alone."""
        row = (self._clock.now(), what, who, about, json.dumps(details, sort_keys=True))
        head = LogHead(self.head.n + 1, event_hash(self.head.hash, row))
        self._db.execute(
            "INSERT INTO security_event (n, at, what, who, about, details, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (head.n, *row, head.hash),
        )
        self.head = head


def event_hash(before: str, row: tuple[Any, ...]) -> str:
    """The hash of a security event over the one before it and its own columns."""
    return hashlib.sha256(json.dumps([before, *row]).encode()).hexdigest()


def broken_event(db: apsw.Connection, *, after: int = 0) -> int | None:
    """The number of the first security event that is not what was written, `None` where all are.

    Only what comes after the event `after` is looked at, whose own hash is then taken as it stands.
    """
    last = max(after, 0)
    before = db.execute("SELECT hash FROM security_event WHERE n = ?", (last,)).get if last else GENESIS
    for n, *row, link in db.execute(
        "SELECT n, at, what, who, about, details, hash FROM security_event WHERE n > ? OR n < 1 ORDER BY n", (last,)
    ):
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
        self.writer = Writer(connect())
        self.version = 0
        """Moves with every write, kept or not: what was found out under the same version still holds."""
        self.head = self._head()

    @property
    def trouble(self) -> str | None:
        """Why the last write could not be kept, until one can."""
        return self.writer.trouble

    def _head(self) -> LogHead:
        found = self.writer.db.execute("SELECT n, hash FROM security_event ORDER BY n DESC LIMIT 1").get
        return LogHead(*(found or (0, GENESIS)))

    def broken_at(self, accepted: int) -> int | None:
        """The first of the last security events, after what was accepted, that is not what was written."""
        with self.writer.alone() as db:
            return broken_event(db, after=max(self.head.n - TAIL, accepted))

    def passed(self, n: int, link: str) -> bool:
        """Whether the security log has come to, or past, the event of this number and hash."""
        with self.writer.alone() as db:
            return n == 0 or db.execute("SELECT hash FROM security_event WHERE n = ?", (n,)).get == link

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
        with self.writer.alone():
            try:
                with self.writer.transaction() as db:
                    tx = OpsTx(db, self._clock, self.head)
                    yield tx
                    self._failpoints.reach("ops_before_commit")
            finally:
                self.version += 1
            self._failpoints.reach("ops_after_commit")
            self.head = tx.head

    def checkpoint(self) -> None:
        """Fold the write-ahead log back into the database."""
        self.writer.checkpoint()

    def close(self) -> None:
        """Close every connection."""
        for db in self._readers.made:
            db.close()
        self.writer.db.close()
