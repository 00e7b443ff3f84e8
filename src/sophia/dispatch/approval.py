"""Approvals at work: filing what an agent asks, and executing what the owner approves, once."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import msgspec

from sophia.access import approvals, connections
from sophia.access.approvals import MAX_PENDING, MAX_PENDING_BYTES, REPEAT_US, Approval
from sophia.catalog.catalog import Catalog
from sophia.core import errors
from sophia.core.caller import Agent
from sophia.core.clock import MINUTE, Clock, rfc3339
from sophia.core.errors import (
    ApprovalDenied,
    ApprovalPending,
    ApprovalVoid,
    Conflict,
    LimitReached,
    NotFound,
    PreviewChanged,
    ReadOnly,
    SophiaError,
    StorageFull,
    Unauthenticated,
    Unavailable,
)
from sophia.core.ids import Ids
from sophia.dispatch.arguments import validated
from sophia.dispatch.writes import APPROVED, Order, Writes, kept
from sophia.store.fence import RIGHTS_CHANGED
from sophia.store.ops import Ops

_PASSING = (StorageFull, ReadOnly, Unavailable)
"""What ends no request: nothing is wrong with it, and the owner can decide again."""
HOW = "The owner decides in Sophia itself; this call returns the result when it is repeated after the decision."


@dataclass(frozen=True)
class Approvals:
    """Every request that waits for the owner, and how each one ends."""

    ops: Ops
    writes: Writes
    catalog: Catalog
    clock: Clock
    ids: Ids
    ttl_minutes: int
    filed: Callable[[], None]
    """Called when a request came in."""
    _deciding: Lock = field(default_factory=Lock)
    """The owner decides one thing at a time: no request is both approved and denied."""

    def settle(self, order: Order) -> bytes:
        """The result of this call's own approved run; otherwise a request is filed, or still waits, or was denied."""
        caller = order.caller
        if not isinstance(caller, Agent):
            raise TypeError("the owner asks nobody")
        self._require_unchanged(caller)
        if (done := self.writes.earlier(order)) is not None:
            return done
        with self.ops.reading() as rows:
            last = approvals.latest(rows, caller.connection_id, order.sha256)
        if last is not None and (answer := self._answered(last, caller)) is not None:
            return answer
        raise self._pending(self._file(order, caller, last))

    def _require_unchanged(self, caller: Agent) -> None:
        """Refuse a call that began before its connection ended, or before its rights changed."""
        with self.ops.reading() as rows:
            now = connections.by_id(rows, caller.connection_id, self.clock.now())
        if now is None:
            raise Unauthenticated
        if now.epoch != caller.epoch:
            raise ApprovalVoid(RIGHTS_CHANGED)

    def _answered(self, last: Approval, caller: Agent) -> bytes | None:
        """What a repeat of an earlier call is told; `None` where it is to ask anew."""
        recent = last.decided_at is not None and self.clock.awake() - (last.decided_awake or 0) < REPEAT_US
        recent = recent and last.boot_id == self.clock.boot_id()
        match last.status:
            case "pending" if not last.lapsed(self.clock):
                raise self._pending(last)
            case "approved" if recent and last.result is not None:
                return kept(last.result, since=last.epoch, caller=caller)
            case "failed" if recent and last.error is not None:
                raise errors.again(json.loads(last.error))
            case "denied" if recent:
                raise ApprovalDenied(approval_id=last.id, reason=last.reason)
            case _:
                return None

    def _file(self, order: Order, caller: Agent, earlier: Approval | None) -> Approval:
        preview = self.writes.preview(order)
        now, awake, ttl = self.clock.now(), self.clock.awake(), self.ttl_minutes * MINUTE
        told: dict[str, Any] = {"changes": preview.shown, "total": preview.total}
        if earlier is not None and earlier.status == "denied":
            told["denied_before"] = {"approval_id": earlier.id, "reason": earlier.reason}
        approval = Approval(
            id=self.ids.new("appr"), connection_id=caller.connection_id, epoch=caller.epoch, tool=order.tool.name,
            arguments=msgspec.json.encode(_as_asked(order)).decode(), arguments_sha256=order.sha256,
            preview=json.dumps(told), preview_sha256=preview.digest, status="pending", created_at=now,
            boot_id=self.clock.boot_id(), expires_awake=awake + ttl, expires_at=now + ttl, decided_at=None,
            decided_awake=None, reason=None, result=None, error=None,
        )  # fmt: skip
        with self.ops.writing() as tx:
            same = approvals.latest(tx, caller.connection_id, order.sha256)
            if same is not None and same.status == "pending" and not same.lapsed(self.clock):
                return same  # the same call, made at the same time
            if approvals.pending(tx, caller.connection_id, self.clock) >= MAX_PENDING:
                raise LimitReached(
                    f"{MAX_PENDING} requests of this connection already wait for the owner.", limit=MAX_PENDING
                )
            held = approvals.pending_bytes(tx, caller.connection_id, self.clock)
            if held + len(approval.arguments.encode()) > MAX_PENDING_BYTES:
                raise LimitReached(
                    f"What this connection asked of the owner and waits for already holds {held} bytes of arguments.",
                    hint="It is free again when the owner decides, or when a request expires.",
                    limit=MAX_PENDING_BYTES,
                )
            approvals.file(tx, approval)
            tx.log("approval_filed", caller.connection_id, approval.id, tool=order.tool.name)
        self.filed()
        return approval

    def _pending(self, approval: Approval) -> ApprovalPending:
        return ApprovalPending(approval_id=approval.id, expires_at=rfc3339(approval.expires_at), how=HOW)

    def approve(self, approval_id: str, by: str) -> Approval:
        """Execute the stored arguments, once, in the agent's name, in the state as it is now; how it ended."""
        with self._deciding:
            approval = self._open(approval_id)
            try:
                body = self.writes.run(self._order(approval))
            except _PASSING:
                raise
            except (ApprovalVoid, PreviewChanged) as error:
                return self._end(approval, "void", by, error=error)
            except SophiaError as error:
                return self._end(approval, "failed", by, error=error)
            return self._end(approval, "approved", by, result=body.decode())

    def deny(self, approval_id: str, by: str, reason: str | None) -> Approval:
        """End the request without running it; `Conflict` where it ran already, and only its record was missing."""
        with self._deciding:
            approval = self._open(approval_id)
            ran = self.writes.state.done(approval.connection_id, APPROVED + approval.id)
            if ran is not None:
                self._end(approval, "approved", by, result=ran.result)
                raise Conflict("This approval is approved; it cannot be decided again.", approval_id=approval_id)
            return self._end(approval, "denied", by, reason=reason)

    def _open(self, approval_id: str) -> Approval:
        with self.ops.reading() as rows:
            approval = approvals.find(rows, approval_id)
        if approval is None:
            raise NotFound("There is no such approval.")
        status = approval.stands(self.clock)
        if status != "pending":
            raise Conflict(f"This approval is {status}; it cannot be decided again.", approval_id=approval_id)
        return approval

    def _order(self, approval: Approval) -> Order:
        with self.ops.reading() as rows:
            caller = connections.by_id(rows, approval.connection_id, self.clock.now())
        if caller is None or caller.epoch != approval.epoch:
            raise ApprovalVoid
        tool = self.catalog.names.get(approval.tool)
        if tool is None:
            raise ApprovalVoid
        arguments = validated(tool, json.loads(approval.arguments))
        return Order(caller, tool, arguments, approval.id, approval.id, approval.preview_sha256)

    def _end(
        self, approval: Approval, status: str, by: str, *,
        reason: str | None = None, result: str | None = None, error: SophiaError | None = None,
    ) -> Approval:  # fmt: skip
        told = json.dumps(error.wire(approval.id)) if error else None
        with self.ops.writing() as tx:
            ended = approvals.end(tx, approval.id, status, self.clock, reason=reason, result=result, error=told)
            if ended:
                tx.log(f"approval_{status}", by, approval.id, tool=approval.tool, connection=approval.connection_id)
            return approvals.find(tx, approval.id) or approval


def _as_asked(order: Order) -> dict[str, Any]:
    """The arguments as they would be sent again, defaults left out."""
    given = {name: getattr(order.arguments, name) for name in order.arguments.__struct_fields__}
    names, values = order.arguments.__struct_fields__, order.arguments.__struct_defaults__
    defaults = dict(zip(reversed(names), reversed(values), strict=False))
    return {name: value for name, value in given.items() if name not in defaults or value != defaults[name]}
