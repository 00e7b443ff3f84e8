"""The state database at work: scoped readers, and the one writer that journals."""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Lock

import apsw

from sophia.core.caller import Caller
from sophia.core.clock import Clock
from sophia.core.errors import ReadOnly, SophiaError, Unavailable
from sophia.core.waiter import PATIENT, Waiter
from sophia.store import fence, once
from sophia.store.deadline import Deadline
from sophia.store.failpoints import Failpoints
from sophia.store.faults import STORAGE_FAULTS, translated
from sophia.store.gate import Gate
from sophia.store.journal import Change, Entry, Journal
from sophia.store.pool import Pool
from sophia.store.schema import described
from sophia.store.snapshot import ScopedReader, Snapshot
from sophia.store.tx import Tx

READERS = 8
READ_S = 10.0
WRITE_S = 30.0
Connect = Callable[[], apsw.Connection]


@dataclass(frozen=True, slots=True)
class Unit:
    """One write as it runs: the transaction that the handler is handed, and what the store knows of it."""

    tx: Tx
    seq: int
    changes: Callable[[], list[Change]]
    done: Callable[[str], once.Done | None]
    keep: Callable[[str, once.Done], None]


class State:
    """All reading and writing of the state goes through here."""

    def __init__(self, connect: Connect, seal: bytes, clock: Clock, failpoints: Failpoints) -> None:
        self._connect = connect
        self._clock = clock
        self._failpoints = failpoints
        self._readers = Pool(lambda: ScopedReader(connect()), READERS)
        self._writing = Lock()
        self._db = connect()
        self._deadline = Deadline(self._db)
        self._journal = Journal(self._db, seal)
        self._gate = Gate(self._db, writes=True)
        self.epoch = 0
        self.read_only: str | None = None
        """Why nothing may be written, where that is so."""
        self.trouble: str | None = None
        """Why the last write could not be kept, until one can."""
        self.head = self._journal.head()

    def reading(self, caller: Caller, waiter: Waiter = PATIENT) -> Snapshot:
        """What the caller can see, as it stands at one moment, for as long as somebody waits for it."""
        return Snapshot(self._readers, caller, READ_S, waiter)

    @contextmanager
    def writing(self, caller: Caller, entry: Entry) -> Generator[Unit]:
        """A write: kept, journaled and in scope as a whole, or not at all."""
        if self.read_only:
            raise ReadOnly(self.read_only)
        with self._alone(), translated(), self._transaction():
            fence.require_owner(self._db, self.epoch)
            fence.require_party(self._db, caller, self._clock.now())
            seq = self._journal.open()
            try:
                with self._gate.bound(caller.user_id, caller.scope), self._deadline.within(WRITE_S):
                    tx = Tx(self._db, self._gate, caller.user_id)
                    yield self._unit(tx, seq, caller)
                    tx.settle()
                self._failpoints.reach("before_journal")
                head = self._journal.keep(entry)
                self._failpoints.reach("after_journal")
                self._join(caller, tx.joined)
                fence.require_party(self._db, caller, self._clock.now())
            finally:
                self._journal.close()
            self._failpoints.reach("before_commit")
        self._failpoints.reach("after_commit")
        self.head = head or self.head

    def _unit(self, tx: Tx, seq: int, caller: Caller) -> Unit:
        return Unit(
            tx,
            seq,
            self._journal.changes,
            lambda key: once.done(self._db, caller.connection_id, key),
            lambda key, what: once.keep(self._db, caller.connection_id, key, what, self._clock.now()),
        )

    def _join(self, caller: Caller, entity_ids: list[str]) -> None:
        """An entity that a list-scoped connection made belongs to its scope from here on."""
        if caller.scope.is_all:
            return
        for entity_id in entity_ids:
            self._db.execute("INSERT INTO main.joined_scope VALUES (?, ?)", (caller.connection_id, entity_id))

    def tables(self) -> dict[str, list[tuple[str, str, str | None]]]:
        """The tables that a scoped reader can read, with their columns."""
        return {name: described(shape) for name, shape in self._gate.tables.items()}

    @contextmanager
    def parties(self) -> Generator[apsw.Connection]:
        """A write of the fence alone: admit a connection, or end what it was allowed."""
        if self.read_only:
            raise ReadOnly(self.read_only)
        with self._alone(), translated(), self._transaction():
            fence.require_owner(self._db, self.epoch)
            yield self._db

    def passed(self, seq: int, link: str) -> bool:
        """Whether the journal has come to, or past, the mutation of this number and hash."""
        if seq == 0:
            return True
        with self._alone(), translated():
            return self._journal.hash_at(seq) == link

    def take_epoch(self) -> int:
        """Begin the epoch of this owner."""
        with self._alone(), translated(), self._transaction():
            self.epoch = fence.take_epoch(self._db)
        return self.epoch

    @contextmanager
    def _alone(self) -> Generator[None]:
        if not self._writing.acquire(timeout=WRITE_S):
            raise Unavailable("Another write has been running too long; try again.", retry_after_s=5)
        try:
            yield
        finally:
            self._writing.release()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield
            self._db.execute("COMMIT")
            self.trouble = None
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, STORAGE_FAULTS):
                self.trouble = f"writes do not commit: {type(error).__name__}"
            raise

    def probe(self) -> None:
        """Try whether a write commits again, after one did not."""
        with suppress(SophiaError), self.parties() as db:
            db.execute("UPDATE main.owner_epoch SET epoch = epoch WHERE id = 1")

    def checkpoint(self) -> None:
        """Fold the write-ahead log back into the database."""
        with self._alone(), translated():
            self._db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def close(self) -> None:
        """Close every connection; nothing is read or written after."""
        for reader in self._readers.made:
            reader.db.close()
        self._db.close()
