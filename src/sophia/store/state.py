"""The state database at work: scoped readers, and the one writer that journals."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import apsw

from sophia.core.caller import Caller
from sophia.core.clock import Clock
from sophia.core.errors import ReadOnly
from sophia.core.scope import EVERYTHING
from sophia.core.waiter import PATIENT, Waiter
from sophia.store import fence, import_session, journal, once
from sophia.store.deadline import Deadline
from sophia.store.erasing import Eraser
from sophia.store.failpoints import Failpoints
from sophia.store.gate import Gate
from sophia.store.journal import Change, Entry, Head, Journal
from sophia.store.pool import Pool
from sophia.store.schema import described
from sophia.store.snapshot import ScopedReader, Snapshot
from sophia.store.tx import Tx
from sophia.store.writer import Writer

READERS = 19
"""One for each thread that calls run in, and one each for the chores, for what a search brings into memory, and for
what the access log takes from the journal."""
READ_S = 10.0
WRITE_S = 30.0
TAIL = 1_000
"""How many of the last mutations the start looks at; `sophia verify` looks at all."""
Connect = Callable[[], apsw.Connection]
Follower = Callable[[Tx, int], Callable[[], None] | None]
"""Writes what follows from a write, at its time; what it returns is called once all of it is kept."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One write as it runs: the transaction that the handler is handed, and what the store knows of it."""

    tx: Tx
    seq: int
    changes: Callable[[], list[Change]]
    changed: Callable[[], bool]
    done: Callable[[str], once.Done | None]
    keep: Callable[[str, once.Done], None]


class State:
    """All reading and writing of the state goes through here."""

    def __init__(self, connect: Connect, seal: bytes, clock: Clock, failpoints: Failpoints) -> None:
        self._connect = connect
        self._clock = clock
        self._failpoints = failpoints
        self._seal = seal
        self._readers = Pool(lambda: ScopedReader(connect()), READERS)
        self.writer = Writer(connect())
        self._db = self.writer.db
        self._deadline = Deadline(self._db)
        self._journal = Journal(self._db, seal)
        self._gate = Gate(self._db, writes=True)
        self.found_epoch = fence.epoch(self._db)
        """The last epoch of which the file knows, before this owner takes its own."""
        self.read_only: str | None = None
        """Why nothing may be written, where that is so."""
        self.head = self._journal.head()
        self.followers: list[Follower] = []
        """What every write is followed by, whoever makes it and whatever it may see."""

    @property
    def epoch(self) -> int:
        """The epoch of the owner that this process is."""
        return self.writer.epoch

    @property
    def trouble(self) -> str | None:
        """Why the last write could not be kept, until one can."""
        return self.writer.trouble

    def reading(self, caller: Caller, waiter: Waiter = PATIENT) -> Snapshot:
        """What the caller can see, as it stands at one moment, for as long as somebody waits for it."""
        return Snapshot(self._readers, caller, READ_S, waiter)

    @contextmanager
    def writing(self, caller: Caller, entry: Entry) -> Generator[Unit]:
        """A write: kept, journaled and in scope as a whole, or not at all."""
        self._require_writable()
        with self.writer.alone():
            with self.writer.transaction() as db:
                fence.require_party(db, caller, self._clock.now())
                seq = self._journal.open()
                try:
                    scope = self._gate.bound(caller.user_id, caller.scope, caller.connection_id)
                    with scope, self._deadline.within(WRITE_S):
                        tx = Tx(db, self._gate, caller.user_id)
                        import_session.require(tx, caller, entry, self._clock)
                        yield self._unit(tx, seq, caller)
                        tx.settle()
                        counted = import_session.Counted(seq, self._journal.imported)
                        entry = import_session.used(tx, caller, entry, counted, self._clock)
                    after = self._followed(tx, caller, entry.at)
                    head = self._journaled(entry, tx.reverted)
                    self._join(caller, tx.joined)
                    fence.require_party(db, caller, self._clock.now())
                finally:
                    self._journal.close()
                self._failpoints.reach("before_commit")
            self._failpoints.reach("after_commit")
            self.head = head or self.head
        for then in after:
            then()

    @contextmanager
    def erasing(self) -> Generator[Eraser]:
        """Below the scope, within a write of the owner's: for what goes for good, journal and indexes included."""
        if not self._gate.sees_all:
            raise PermissionError("only the owner has something forgotten")
        with self._gate.lifted() as db:
            yield Eraser(db)

    def _followed(self, tx: Tx, caller: Caller, now: int) -> list[Callable[[], None]]:
        """What is to be done once the write is kept, after what follows from it was written with it."""
        with self._gate.bound(caller.user_id, EVERYTHING, caller.connection_id), self._deadline.within(WRITE_S):
            return [then for follow in self.followers if (then := follow(tx, now)) is not None]

    def _journaled(self, entry: Entry, reverted: Mapping[int, bool]) -> Head | None:
        self._failpoints.reach("before_journal")
        head = self._journal.keep(entry, reverted)
        self._failpoints.reach("after_journal")
        return head

    def _unit(self, tx: Tx, seq: int, caller: Caller) -> Unit:
        return Unit(
            tx,
            seq,
            self._journal.changes,
            self._journal.changed,
            lambda key: once.done(self._db, caller.connection_id, key),
            lambda key, what: once.keep(self._db, caller.connection_id, key, what, self._clock.now()),
        )

    def _join(self, caller: Caller, entity_ids: list[str]) -> None:
        """An entity that a list-scoped connection made belongs to its scope from here on."""
        if caller.scope.is_all:
            return
        for entity_id in entity_ids:
            self._db.execute("INSERT INTO main.joined_scope VALUES (?, ?)", (caller.connection_id, entity_id))

    def done(self, connection_id: str, key: str) -> once.Done | None:
        """What a connection did under this key before, or `None`."""
        with self.writer.alone() as db:
            return once.done(db, connection_id, key)

    def tables(self) -> dict[str, list[tuple[str, str, str | None]]]:
        """The tables that a scoped reader can read, with their columns."""
        return {name: described(shape) for name, shape in self._gate.tables.items()}

    @contextmanager
    def parties(self) -> Generator[apsw.Connection]:
        """A write of the fence alone: admit a connection, or end what it was allowed."""
        self._require_writable()
        with self.writer.alone():
            with self.writer.transaction() as db:
                yield db
                self._failpoints.reach("fence_before_commit")
            self._failpoints.reach("fence_after_commit")

    def _require_writable(self) -> None:
        if self.read_only:
            raise ReadOnly(self.read_only)

    def passed(self, seq: int, link: str) -> bool:
        """Whether the journal has come to, or past, the mutation of this number and hash."""
        if seq == 0:
            return True
        with self.writer.alone():
            return self._journal.hash_at(seq) == link

    def broken_at(self, accepted: int) -> int | None:
        """The first of the last mutations, after what was accepted, at which the journal is not what was written."""
        db = self._connect()
        try:
            return next(journal.broken(db, self._seal, after=max(self.head.seq - TAIL, accepted)), None)
        finally:
            db.close()

    def take_epoch(self) -> int:
        """Begin the epoch of this owner."""
        return self.writer.take_epoch()

    def checkpoint(self) -> None:
        """Fold the write-ahead log back into the database."""
        self.writer.checkpoint()

    def close(self) -> None:
        """Close every connection; nothing is read or written after."""
        for reader in self._readers.made:
            reader.db.close()
        self._db.close()
