"""The owner's commands over what agents ask: list, approve, deny, allow for a while."""

import json
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.access import approvals as requests
from sophia.access.approvals import Approval, Wanted
from sophia.core.access import Access, ApprovalStatus
from sophia.core.clock import MINUTE, rfc3339
from sophia.core.errors import NotFound, NotPermitted
from sophia.core.page import Window
from sophia.owner import elided, records
from sophia.owner.connections import ConnectionId, found
from sophia.owner.elided import AMPLE, BRIEF, WHOLE, Bounds
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation
from sophia.owner.relayed import Relayed
from sophia.store.reader import Reader

MOST_MINUTES = 24 * 60
_SHOWN = 400
_MOST = 200
ApprovalId = Annotated[str, Meta(min_length=1, max_length=64)]


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request."""

    approval_id: ApprovalId


class Listing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which requests are listed."""

    status: ApprovalStatus | None = "pending"


class Denial(Which, frozen=True, forbid_unknown_fields=True):
    """One request and why it is denied."""

    reason: Annotated[str, Meta(max_length=1000)] | None = None


class Allowance(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool, a connection, and for how long it may call it unasked."""

    tool: str
    connection_id: ConnectionId
    minutes: Annotated[int, Meta(ge=1, le=MOST_MINUTES)]


def listed(office: Office, which: Listing) -> list[dict[str, Any]]:
    """The requests, those of one connection together and the newest first, each with who asks and what would change.

    Long values are cut.
    """
    clock = office.parts.clock
    with office.parts.databases.ops.reading() as rows:
        found = requests.listed(rows, clock, Wanted(status=which.status), Window(_MOST, None))
        told = [_told(office, rows, one, BRIEF) for one in requests.whole(rows, found)]
    newest = {one["connection_id"]: n for n, one in reversed(list(enumerate(told)))}
    return sorted(told, key=lambda one: newest[one["connection_id"]])


def shown(office: Office, which: Which) -> dict[str, Any]:
    """The one request as it is; where no frame takes that, with its longest values cut."""
    with office.parts.databases.ops.reading() as rows:
        approval = _found(rows, which.approval_id)
        whole = _told(office, rows, approval, None)
        return whole if elided.size(whole) <= WHOLE else _told(office, rows, approval, AMPLE)


def _found(rows: Reader, approval_id: str) -> Approval:
    approval = requests.find(rows, approval_id)
    if approval is None:
        raise NotFound("There is no such approval.", hint="`sophia approvals` lists those that wait.")
    return approval


def _told(office: Office, rows: Reader, approval: Approval, bounds: Bounds | None) -> dict[str, Any]:
    now = office.parts.clock.now()
    asking = records.connection(rows, approval.connection_id, now)
    arguments, preview = json.loads(approval.arguments), json.loads(approval.preview)
    return {
        "approval_id": approval.id,
        "status": approval.stands(office.parts.clock),
        "connection_id": approval.connection_id,
        "connection_name": asking["name"] if asking else None,
        "lineage": _lineage(rows, asking, now),
        "tool": approval.tool,
        "arguments": arguments if bounds is None else elided.arguments(arguments, bounds),
        "arguments_bytes": len(approval.arguments.encode()),
        "arguments_sha256": approval.arguments_sha256,
        "preview": preview if bounds is None else elided.preview(preview, bounds),
        "sources": _sources(preview),
        "created_at": rfc3339(approval.created_at),
        "expires_at": rfc3339(approval.expires_at),
        "reason": approval.reason,
    }


def _sources(preview: dict[str, Any]) -> list[str]:
    """On what the facts would stand that it would make: a document or a word, and how far they are trusted."""
    images = [change["after"] for change in preview["changes"] if change["table"] == "fact" and change["after"]]
    return sorted({f"{image['trust_tier']}, from a {image['source_kind']}" for image in images})


def _lineage(rows: Reader, asking: dict[str, Any] | None, now: int) -> list[str]:
    """The names of those that minted whoever asks, nearest first."""
    names: list[str] = []
    while asking and asking["parent_id"] and len(names) < 16:
        asking = records.connection(rows, asking["parent_id"], now)
        names += [asking["name"]] if asking else []
    return names


def approve(office: Office, which: Which) -> dict[str, Any]:
    """How the run of the stored arguments ended. Raises what it met where it was void or failed."""
    try:
        ended = office.parts.approvals.approve(which.approval_id, OWNER)
    finally:
        office.parts.waiting.decide(which.approval_id)
    told = ended.told(office.parts.clock, ended.epoch)
    if ended.status != "approved":
        raise Relayed(told["error"] or {}, approval_id=ended.id, status=ended.status)
    return {name: value for name, value in told.items() if value is not None}


def deny(office: Office, denial: Denial) -> dict[str, Any]:
    """The request, ended without a run."""
    ended = office.parts.approvals.deny(denial.approval_id, OWNER, denial.reason)
    office.parts.waiting.decide(denial.approval_id)
    return {"approval_id": ended.id, "status": ended.status, "reason": ended.reason}


def approve_confirmed(office: Office, which: Which) -> Confirmation:
    """What an approval confirms: who asked for what, exactly."""
    return _confirmed(office, which.approval_id, "approve")


def deny_confirmed(office: Office, denial: Denial) -> Confirmation:
    """What a denial confirms."""
    return _confirmed(office, denial.approval_id, "deny")


def _confirmed(office: Office, approval_id: str, verb: str) -> Confirmation:
    with office.parts.databases.ops.reading() as rows:
        approval = _found(rows, approval_id)
        asking = records.connection(rows, approval.connection_id, office.parts.clock.now())
    text = approval.arguments
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
    who = f"{asking['name'] if asking else None!r} ({approval.connection_id[:8]})"
    return Confirmation(
        f"{verb.capitalize()}: {who} calls {approval.tool} with {shown}; SHA-256 {approval.arguments_sha256[:16]}.",
        f"{verb} {approval.id[-6:]}",
    )


def allow(office: Office, allowance: Allowance) -> dict[str, Any]:
    """Until when the connection may call the tool unasked. Never an elevated one."""
    one, name = _allowed(office, allowance)
    clock = office.parts.clock
    lasts = allowance.minutes * MINUTE
    with office.parts.databases.ops.writing() as tx:
        records.allow(tx, one["connection_id"], name, clock.boot_id(), clock.awake() + lasts)
        tx.log("allowed", OWNER, one["connection_id"], tool=name, minutes=allowance.minutes)
    return {"connection_id": one["connection_id"], "tool": name, "until": rfc3339(clock.now() + lasts)}


def allow_confirmed(office: Office, allowance: Allowance) -> Confirmation:
    """What an allowance confirms."""
    one, name = _allowed(office, allowance)
    short = one["connection_short"]
    return Confirmation(
        f"Let {one['name']!r} ({short}) call {name} unasked for {allowance.minutes} minutes.", f"allow {short}"
    )


def _allowed(office: Office, allowance: Allowance) -> tuple[dict[str, Any], str]:
    one = found(office, allowance.connection_id)
    tool = office.parts.catalog.find(allowance.tool)
    if tool is None:
        raise NotFound(f"There is no tool {allowance.tool[:80]!r}.", argument="tool")
    if tool.access is not Access.WRITE:
        why = "is elevated: each call of it asks, always" if tool.access is Access.ELEVATED else "never asks"
        raise NotPermitted(f"{tool.short} {why}; there is nothing to allow.", argument="tool")
    return one, tool.name
