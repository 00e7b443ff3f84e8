"""Approvals at rest: what an agent asked of the owner, and how it ended."""

import json
from dataclasses import dataclass
from typing import Any, Protocol

from sophia.core.clock import MINUTE, Clock

MAX_PENDING = 20
REPEAT_US = 10 * MINUTE
_COLUMNS = (
    "id, connection_id, epoch, tool, arguments, arguments_sha256, preview, preview_sha256, status, created_at,"
    " boot_id, expires_awake, expires_at, decided_at, decided_awake, reason, result, error"
)


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


def listed(rows: Rows, clock: Clock, *, connection_id: str | None = None, status: str | None = None) -> list[Approval]:
    """The requests, newest first: of one connection or of all, of one status or of any; at most 200."""
    found = [
        Approval(**row)
        for row in rows.rows(
            f"SELECT {_COLUMNS} FROM approval WHERE (:connection IS NULL OR connection_id = :connection)"
            " ORDER BY created_at DESC, id DESC LIMIT 200",
            connection=connection_id,
        )
    ]
    return [approval for approval in found if status is None or approval.stands(clock) == status]


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
            "SELECT count(*) FROM approval WHERE connection_id = :connection AND status = 'pending'"
            " AND boot_id = :boot AND expires_awake > :awake",
            connection=connection_id,
            boot=clock.boot_id(),
            awake=clock.awake(),
        )
    )


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
