"""Approvals at rest: what an agent asked of the owner, and how it ended."""

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from sophia.core.access import ApprovalStatus
from sophia.core.clock import MINUTE, Clock, rfc3339
from sophia.core.listing import Part, paged
from sophia.core.page import Listed, Window

MAX_PENDING = 20
MAX_PENDING_BYTES = 32_000_000
"""Of the arguments in one connection's requests that wait, together."""
REPEAT_US = 10 * MINUTE
LISTED = Listed("created_at", "approval_id")
"""By what requests are listed, as an agent reads them."""
_COLUMNS = (
    "id, connection_id, epoch, tool, arguments, arguments_sha256, preview, preview_sha256, status, created_at,"
    " boot_id, expires_awake, expires_at, decided_at, decided_awake, reason, result, error"
)


_STANDS = (
    "CASE WHEN status = 'pending' AND (boot_id <> :boot OR expires_awake <= :awake) THEN 'expired' ELSE status END"
)
"""What `Approval.stands` says, in SQL."""
_WANTED = f"(:connection IS NULL OR connection_id = :connection) AND (:status IS NULL OR {_STANDS} = :status)"
_WAITS = "status = 'pending' AND boot_id = :boot AND expires_awake > :awake"


class Rows(Protocol):
    """A reader of the ops database."""

    def row(self, sql: str, **values: Any) -> dict[str, Any] | None: ...
    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...
    def value(self, sql: str, **values: Any) -> Any: ...


class Writes(Rows, Protocol):
    """A transaction of the ops database."""

    def run(self, sql: str, **values: Any) -> int: ...


@dataclass(frozen=True, slots=True)
class Approval:
    """One request to the owner."""

    id: str
    connection_id: str
    epoch: int
    tool: str
    arguments: str
    arguments_sha256: str
    preview: str
    preview_sha256: str
    status: str
    created_at: int
    boot_id: str
    expires_awake: int
    expires_at: int
    decided_at: int | None
    decided_awake: int | None
    reason: str | None
    result: str | None
    error: str | None

    def lapsed(self, clock: Clock) -> bool:
        """Whether it has waited too long: by time awake or asleep since it was filed, whatever the wall clock says."""
        return self.boot_id != clock.boot_id() or clock.awake() >= self.expires_awake

    def stands(self, clock: Clock) -> str:
        """How it stands: a pending one that waited too long has expired."""
        return "expired" if self.status == "pending" and self.lapsed(clock) else self.status

    def told(self, clock: Clock, epoch: int) -> dict[str, Any]:
        """The request as its own connection may see it: without what came of it, once its rights have changed."""
        shown = self.epoch == epoch
        return {
            "approval_id": self.id,
            "status": self.stands(clock),
            "tool": self.tool,
            "created_at": rfc3339(self.created_at),
            "result": json.loads(self.result) if self.result and shown else None,
            "error": json.loads(self.error) if self.error and shown else None,
            "reason": self.reason,
        }


def find(rows: Rows, approval_id: str) -> Approval | None:
    """The request of this id, or `None`."""
    row = rows.row(f"SELECT {_COLUMNS} FROM approval WHERE id = :id", id=approval_id)
    return Approval(**row) if row else None


def latest(rows: Rows, connection_id: str, arguments_sha256: str) -> Approval | None:
    """The newest request of this very call, or `None`."""
    row = rows.row(
        f"SELECT {_COLUMNS} FROM approval WHERE connection_id = :connection AND arguments_sha256 = :sha"
        " ORDER BY created_at DESC, id DESC LIMIT 1",
        connection=connection_id,
        sha=arguments_sha256,
    )
    return Approval(**row) if row else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which requests: of one connection or of all, of one status or of any."""

    connection_id: str | None = None
    status: ApprovalStatus | None = None

    def values(self, clock: Clock) -> dict[str, Any]:
        """The parameters of `_WANTED`, at this time."""
        told = {"connection": self.connection_id, "status": self.status}
        return {**told, "boot": clock.boot_id(), "awake": clock.awake()}


def counted(rows: Rows, clock: Clock, wanted: Wanted) -> int:
    """How many requests there are of those that are wanted."""
    return int(rows.value(f"SELECT count(*) FROM approval WHERE {_WANTED}", **wanted.values(clock)))


def listed(rows: Rows, clock: Clock, wanted: Wanted, window: Window) -> Part:
    """The ids of the wanted requests in the window."""
    return paged(
        rows, window, LISTED, f"SELECT id AS approval_id, created_at FROM approval WHERE {_WANTED}",
        **wanted.values(clock),
    )  # fmt: skip


def whole(rows: Rows, part: Part) -> Iterator[Approval]:
    """The requests of these ids. One at a time: they are long."""
    for row in part.rows:
        if (approval := find(rows, row["approval_id"])) is not None:
            yield approval


def awaited(rows: Rows, connection_ids: Collection[str], since_awake: int) -> list[str]:
    """The ids of these connections' requests for which a call may be waiting: pending ones, and those void since."""
    found = rows.rows(
        "SELECT id FROM approval WHERE connection_id IN (SELECT value FROM json_each(:connections))"
        " AND (status = 'pending' OR (status = 'void' AND decided_awake >= :since))",
        connections=json.dumps(sorted(connection_ids)), since=since_awake,
    )  # fmt: skip
    return [row["id"] for row in found]


def askers(rows: Rows) -> frozenset[str]:
    """The connections of which a request may still wait: where an id is not among them, none does."""
    return frozenset(
        row["connection_id"]
        for row in rows.rows("SELECT DISTINCT connection_id FROM approval WHERE status = 'pending'")
    )


def pending(rows: Rows, connection_id: str, clock: Clock) -> int:
    """How many of the connection's requests still wait."""
    return int(
        rows.value(
            f"SELECT count(*) FROM approval WHERE connection_id = :connection AND {_WAITS}",
            connection=connection_id, boot=clock.boot_id(), awake=clock.awake(),
        )
    )  # fmt: skip


def pending_bytes(rows: Rows, connection_id: str, clock: Clock) -> int:
    """How many bytes of arguments the connection's waiting requests hold."""
    return int(
        rows.value(
            "SELECT ifnull(sum(octet_length(arguments)), 0) FROM approval"
            f" WHERE connection_id = :connection AND {_WAITS}",
            connection=connection_id, boot=clock.boot_id(), awake=clock.awake(),
        )
    )  # fmt: skip


def file(tx: Writes, approval: Approval) -> None:
    """Write a new request."""
    names = _COLUMNS.split(", ")
    tx.run(
        f"INSERT INTO approval ({_COLUMNS}) VALUES ({', '.join(f':{name}' for name in names)})",
        **{name: getattr(approval, name) for name in names},
    )


def end(
    tx: Writes,
    approval_id: str,
    status: str,
    clock: Clock,
    *,
    reason: str | None = None,
    result: str | None = None,
    error: str | None = None,
) -> bool:
    """End a pending request, once; whether it was this call that ended it.

    What ran is told as `approved` even where something else ended the request at the same moment.
    """
    return (
        tx.run(
            "UPDATE approval SET status = :status, decided_at = :now, decided_awake = :awake, reason = :reason,"
            " result = :result, error = :error WHERE id = :id"
            " AND (status = 'pending' OR (:status = 'approved' AND status <> 'approved'))",
            id=approval_id,
            status=status,
            now=clock.now(),
            awake=clock.awake(),
            reason=reason,
            result=result,
            error=error,
        )
        == 1
    )


def allowed(rows: Rows, connection_id: str, tool: str, clock: Clock) -> bool:
    """Whether the owner allowed this tool to this connection for the time being."""
    return (
        rows.row(
            "SELECT 1 AS yes FROM allowance WHERE connection_id = :connection AND tool = :tool AND boot_id = :boot"
            " AND expires_awake > :awake",
            connection=connection_id,
            tool=tool,
            boot=clock.boot_id(),
            awake=clock.awake(),
        )
        is not None
    )
