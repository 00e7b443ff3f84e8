"""Import sessions at rest: SQL beside the shape it fills."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sophia.catalog.call import Reader, Writer
from sophia.core.caller import Caller
from sophia.core.clock import MINUTE, Clock, rfc3339
from sophia.core.errors import NotFound
from sophia.core.listing import paged
from sophia.core.page import Listed, Page, Row, Window

Kept = Literal["begun", "committed", "aborted"]
Status = Literal["open", "expired", "committed", "aborted", "reverted"]


class ImportSession(Row, frozen=True):
    """What one approval lets a connection bring in from a source, and how far that has come."""

    COMPACT: ClassVar[tuple[str, ...]] = ("import_session_id", "source", "kind", "status", "rows")
    LISTED: ClassVar[Listed] = Listed("created_at", "import_session_id")

    import_session_id: str
    connection_id: str
    connection_name: str
    source: str
    kind: str
    status: Status
    """An expired one takes no more writes; it can still be committed or aborted."""
    writes: int
    rows: int
    """Rows that its writes added, changed or took away."""
    created_at: str
    max_rows: int | None = None
    left: int | None = None
    """Rows that it still takes."""
    expires_at: str | None = None
    ended_at: str | None = None
    mutations: list[int] | None = None
    """The newest of its writes, by mutation_seq, where the session is asked for by itself."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What an import session is begun for."""

    source: str
    kind: str
    max_rows: int | None
    ttl_minutes: int | None


SHOWN = 100
"""Of the writes of a session so many are told."""
_SELECT = """
    SELECT s.id AS import_session_id, s.connection_id, s.connection_name, s.source, s.kind, s.max_rows, s.ttl_minutes,
           s.created_at, s.updated_at, ifnull(u.writes, 0) AS writes, ifnull(u.rows, 0) AS rows,
           CASE WHEN s.status <> 'begun' THEN s.status
                WHEN u.ended_by IS NOT NULL THEN 'reverted'
                WHEN s.ttl_minutes IS NOT NULL AND (u.boot_id IS NOT :boot OR u.expires_awake <= :awake
                     OR (s.connection_id = :connection AND s.epoch <> :epoch)) THEN 'expired'
                ELSE 'open' END AS status
      FROM import_session s LEFT JOIN import_session_use u ON u.id = s.id
"""


def _values(caller: Caller, clock: Clock) -> dict[str, Any]:
    return {
        "boot": clock.boot_id(), "awake": clock.awake(), "connection": caller.connection_id, "epoch": caller.epoch,
    }  # fmt: skip


def begin(db: Writer, session_id: str, caller: Caller, terms: Terms, clock: Clock, *, status: Kept = "begun") -> None:
    """Write the session down; it lasts as long as its terms say, by a clock that goes on through sleep.

    One that is `committed` at once is an import that was a single mutation.
    """
    now = clock.now()
    db.insert(
        "import_session", id=session_id, connection_id=caller.connection_id, connection_name=caller.name,
        epoch=caller.epoch, source=terms.source, kind=terms.kind, max_rows=terms.max_rows,
        ttl_minutes=terms.ttl_minutes, status=status, created_at=now, updated_at=now,
    )  # fmt: skip
    lasts = terms.ttl_minutes is not None
    db.index(
        "INSERT INTO main.import_session_use (id, user_id, boot_id, expires_awake, ended_by)"
        " VALUES (:id, :user_id, :boot, :until, CASE WHEN :ended THEN journal_seq() END)",
        id=session_id, user_id=db.user_id, boot=clock.boot_id() if lasts else None,
        until=clock.awake() + (terms.ttl_minutes or 0) * MINUTE if lasts else None, ended=status != "begun",
    )  # fmt: skip


def end(db: Writer, session_id: str, status: Literal["committed", "aborted"], now: int) -> None:
    """End the session for good: a revert brings back neither its rows nor its time."""
    if db.update("import_session", session_id, status=status, updated_at=now):
        db.index("UPDATE main.import_session_use SET ended_by = journal_seq() WHERE id = :id", id=session_id)


def find(db: Reader, session_id: str, caller: Caller, clock: Clock) -> ImportSession:
    """The session of this id; `NotFound` where the caller sees none."""
    row = db.row(f"{_SELECT} WHERE s.id = :id", id=session_id, **_values(caller, clock))
    if row is None:
        raise NotFound(argument="import_session_id")
    return _filled(row)


def open_with(db: Reader, caller: Caller, clock: Clock) -> ImportSession | None:
    """The caller's own session that takes writes, or `None`."""
    row = db.row(
        f"SELECT * FROM ({_SELECT} WHERE s.connection_id = :connection AND s.status = 'begun') WHERE status = 'open'",  # noqa: S608
        **_values(caller, clock),
    )
    return _filled(row) if row else None


def left_open(db: Reader, connection_id: str, source: str, kind: str) -> str | None:
    """The id of the session that such an import of the connection's began and did not end, or `None`."""
    found: str | None = db.value(
        "SELECT s.id FROM import_session s JOIN import_session_use u ON u.id = s.id WHERE s.status = 'begun'"
        " AND s.connection_id = :connection AND s.source = :source AND s.kind = :kind AND u.ended_by IS NULL"
        " ORDER BY s.id DESC LIMIT 1",
        connection=connection_id, source=source, kind=kind,
    )  # fmt: skip
    return found


def listed(db: Reader, window: Window, caller: Caller, clock: Clock) -> Page[ImportSession]:
    """The sessions that the caller sees."""
    part = paged(db, window, ImportSession.LISTED, _SELECT, **_values(caller, clock))
    return part.page([_filled(row) for row in part.rows])


def writes_of(db: Reader, session_id: str, most: int | None = None) -> list[int]:
    """The writes of the session that the caller sees, newest first, by their mutation_seq."""
    rows = db.rows(
        "SELECT m.seq FROM mutation m WHERE m.import_session_id = :id ORDER BY m.seq DESC LIMIT :most",
        id=session_id, most=-1 if most is None else most,
    )  # fmt: skip
    return [row["seq"] for row in rows]


def _filled(row: dict[str, Any]) -> ImportSession:
    limit, ended = row["max_rows"], row["status"] in ("committed", "aborted", "reverted")
    return ImportSession(
        import_session_id=row["import_session_id"], connection_id=row["connection_id"],
        connection_name=row["connection_name"], source=row["source"], kind=row["kind"], status=row["status"],
        writes=row["writes"], rows=row["rows"], max_rows=limit,
        left=None if limit is None else max(0, limit - row["rows"]), created_at=rfc3339(row["created_at"]),
        expires_at=None if row["ttl_minutes"] is None else rfc3339(row["created_at"] + row["ttl_minutes"] * MINUTE),
        ended_at=rfc3339(row["updated_at"]) if ended else None,
    )  # fmt: skip
