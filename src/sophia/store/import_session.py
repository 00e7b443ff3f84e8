"""Import sessions as a write meets them: the one that it runs under, and what of it is left."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sophia.core.caller import Agent, Caller
from sophia.core.clock import Clock
from sophia.core.errors import ApprovalVoid, LimitReached
from sophia.store.journal import Entry
from sophia.store.reader import Reader
from sophia.store.tx import Tx

ENDED = "The import session that this write was let through by has ended; make the call again."
_OPEN = """
    SELECT s.id, s.max_rows, u.rows FROM import_session s JOIN import_session_use u ON u.id = s.id
     WHERE s.connection_id = :connection AND s.status = 'begun' AND s.epoch = :epoch
           AND u.ended_by IS NULL AND u.boot_id = :boot AND u.expires_awake > :awake
"""
_ENDED = "SELECT u.id FROM import_session_use u WHERE u.ended_by = :seq"
_USED = "UPDATE main.import_session_use SET writes = writes + 1, rows = rows + :rows WHERE id = :id"


@dataclass(frozen=True, slots=True)
class Session:
    """An import session that takes writes, with what it has room for in all and what of that is taken."""

    id: str
    max_rows: int
    rows: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A mutation, and how many rows it has changed so far, those of import sessions themselves aside."""

    seq: int
    rows: Callable[[], int]


def open_of(db: Reader, caller: Agent, clock: Clock) -> Session | None:
    """The session that the connection has open under the rights of now, in time awake and asleep; `None` for none."""
    row = db.row(_OPEN, connection=caller.connection_id, epoch=caller.epoch, boot=clock.boot_id(), awake=clock.awake())
    return Session(**row) if row else None


def require(db: Reader, caller: Caller, entry: Entry, clock: Clock) -> None:
    """Refuse the write of an agent that was let through by a session which has ended since."""
    if entry.import_session_id is None or not isinstance(caller, Agent):
        return
    found = open_of(db, caller, clock)
    if found is None or found.id != entry.import_session_id:
        raise ApprovalVoid(ENDED)


def used(tx: Tx, caller: Caller, entry: Entry, unit: Counted, clock: Clock) -> Entry:
    """The entry under the session that the write belongs to, of which it takes its rows; `LimitReached` beyond.

    A write that ends a session belongs to it and takes nothing of it.
    """
    ended = tx.value(_ENDED, seq=unit.seq) if "import_session_use" in tx.derived else None
    into = entry.import_session_id
    if isinstance(caller, Agent):
        session = None if ended else open_of(tx, caller, clock)
        rows = unit.rows() if session else 0
        if session is not None and session.rows + rows > session.max_rows:
            left = session.max_rows - session.rows
            raise LimitReached(
                f"This write takes {rows} rows, and the import session has {left} of its {session.max_rows} left.",
                hint="commit_import_session ends it; what is beyond its limit needs another one.",
                limit=session.max_rows, left=left,
            )  # fmt: skip
        into = session.id if session and rows else None
    if into is not None and (rows := unit.rows()):
        tx.index(_USED, rows=rows, id=into)
    return replace(entry, import_session_id=ended or into)
