"""Reading as one caller: what it can see, as it stands at one moment."""

from types import TracebackType

import apsw

from sophia.core.caller import Caller
from sophia.core.waiter import Waiter
from sophia.store.deadline import Deadline
from sophia.store.faults import meant
from sophia.store.gate import Gate
from sophia.store.pool import Pool
from sophia.store.reader import Reader


class ScopedReader:
    """One reading connection, with its gate and its deadline."""

    def __init__(self, db: apsw.Connection) -> None:
        self.db = db
        self._deadline = Deadline(db)
        self._gate = Gate(db, writes=False)
        self.rows = Reader(db, self._gate.tables)

    def begin(self, caller: Caller, seconds: float, waiter: Waiter) -> None:
        """Let the rows within the caller's scope be read, as they are now, until `end` or the deadline."""
        self._gate.bind(caller.user_id, caller.scope, caller.connection_id)
        self._deadline.set(seconds, waiter)
        self.db.execute("BEGIN")

    def end(self) -> None:
        """Let nothing be read any more."""
        try:
            if self.db.in_transaction:
                self.db.execute("COMMIT")
        finally:
            self._deadline.clear()
            self._gate.unbind()


class Snapshot:
    """One unit of reading. A class and not a generator: it stands in the path of every call."""

    __slots__ = ("_caller", "_pool", "_reader", "_seconds", "_waiter")

    def __init__(self, pool: Pool[ScopedReader], caller: Caller, seconds: float, waiter: Waiter) -> None:
        self._pool = pool
        self._caller = caller
        self._seconds = seconds
        self._waiter = waiter

    def __enter__(self) -> Reader:
        """The rows that the caller can see."""
        self._reader = self._pool.take()
        try:
            self._reader.begin(self._caller, self._seconds, self._waiter)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the connection goes back
            self._over()
            raise meant(error) from None
        return self._reader.rows

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Give the connection back; a failure of the engine leaves as the structured error that it means."""
        self._over()
        if error is not None and (told := meant(error)) is not error:
            raise told from error

    def _over(self) -> None:
        try:
            self._reader.end()
        finally:
            self._pool.give(self._reader)
