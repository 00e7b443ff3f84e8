"""The owner's commands that take back: one mutation, or all that a connection and its workers did since a time."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.capabilities.reverting import restoring, undo as undo_of
from sophia.capabilities.reverting.differences import Told, difference
from sophia.capabilities.reverting.undo import Undo
from sophia.core.clock import rfc3339
from sophia.core.errors import BadArguments
from sophia.owner import records, tools
from sophia.owner.connections import ConnectionId, found
from sophia.owner.office import OWNER, Office
from sophia.owner.past import Time, moment
from sophia.owner.presence import Confirmation
from sophia.owner.tools import Call
from sophia.store.journal import Entry

TOOL = "sophia undo"
_MOST_KEPT = 200
Reason = Annotated[str, Meta(max_length=1000)]


class Reverting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One mutation, and whether what came after it goes with it."""

    mutation_seq: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    cascade: bool = False
    dry_run: bool = False
    reason: Reason | None = None


class Undoing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A connection, and since when what it did is undone."""

    connection_id: ConnectionId
    since: Time
    dry_run: bool = False
    reason: Reason | None = None


def revert(office: Office, asked: Reverting) -> dict[str, Any]:
    """What the tool answers; of a dry run, what it would do."""
    if asked.dry_run:
        return _checked(office, asked)
    given = {"mutation_seq": asked.mutation_seq, "cascade": asked.cascade, "reason": asked.reason}
    return tools.call(office, Call("revert_mutation", {key: one for key, one in given.items() if one is not None}))


def _checked(office: Office, asked: Reverting) -> dict[str, Any]:
    return tools.call(office, Call("check_revert", {"mutation_seq": asked.mutation_seq, "cascade": asked.cascade}))


def revert_confirmed(office: Office, asked: Reverting) -> Confirmation | None:
    """What a revert confirms: what was done, by whom, and what goes with it. Nothing for a dry run."""
    if asked.dry_run:
        return None
    one = tools.call(office, Call("get_mutation", {"mutation_seq": asked.mutation_seq, "max_bytes": 40_000}))
    told = _checked(office, asked)
    more = len(told["would_revert"]) - 1
    return Confirmation(
        f"Take back mutation {asked.mutation_seq} ({one['tool']} by {one['actor_name']!r}, {one['at']})"
        + (f" and {more} after it" if more > 0 else "") + f": {told.get('rows', 0)} rows.",
        f"revert {asked.mutation_seq}",
    )  # fmt: skip


def undo(office: Office, asked: Undoing) -> dict[str, Any]:
    """What is undone and what is kept; of a dry run, what would be, and how."""
    one, line, since = _meant(office, asked)
    told: dict[str, Any] = {"connection_ids": line, "name": one["name"], "since": rfc3339(since)}
    state, owner, now = office.parts.databases.state, office.parts.owner, office.parts.clock.now()
    if asked.dry_run:
        with state.reading(owner) as db:
            plan, shown = undo_of.undo(db, line, since), Told()
            for some in restoring.restored(db, plan.undone):
                shown.add(difference((each.table, each.row_id), each.op, each.before, each.after) for each in some)
        changes = msgspec.to_builtins(shown.shown)
        return told | _answer(plan, shown.total) | {"would_change": changes, "changes_left_out": shown.left_out}
    reason = asked.reason or f"Undo {one['name']} since {rfc3339(since)}"
    entry = Entry(owner.user_id, owner.connection_id, owner.name, TOOL, office.parts.ids.new("call"), now, reason)
    with state.writing(owner, entry) as unit:
        plan = undo_of.undo(unit.tx, line, since)
        rows = restoring.carry_out(unit.tx, plan.undone)
        unit.tx.reverts(plan.whole, whole=True)
        unit.tx.reverts(plan.part, whole=False)
        seq = unit.seq if rows else None
    with office.parts.databases.ops.writing() as tx:
        tx.log("undone", OWNER, one["connection_id"], since=rfc3339(since), mutation_seq=seq, rows=rows)
    office.parts.chores.wake()
    return told | ({} if seq is None else {"mutation_seq": seq}) | _answer(plan, rows)


def _answer(plan: Undo, rows: int) -> dict[str, Any]:
    return {
        "rows": rows, "undone": sorted(plan.whole), "undone_in_part": sorted(plan.part),
        "kept": msgspec.to_builtins(list(plan.kept[:_MOST_KEPT])), "kept_total": len(plan.kept),
    }  # fmt: skip


def undo_confirmed(office: Office, asked: Undoing) -> Confirmation | None:
    """What an undo confirms: whose work, since when, how much of it, and what stays. Nothing for a dry run."""
    if asked.dry_run:
        return None
    one, line, since = _meant(office, asked)
    with office.parts.databases.state.reading(office.parts.owner) as db:
        plan = undo_of.undo(db, line, since)
    workers = len(line) - 1
    whose = f"{one['name']!r} ({one['connection_short']})" + (f" and {workers} workers" if workers else "")
    kept = f"; {len(plan.kept)} rows stay, because of what others did since" if plan.kept else ""
    return Confirmation(
        f"Undo what {whose} did since {rfc3339(since)}: {len(plan.undone.touches)} rows of"
        f" {len(plan.whole | plan.part)} mutations{kept}.",
        f"undo {one['connection_short']}",
    )


def _meant(office: Office, asked: Undoing) -> tuple[dict[str, Any], list[str], int]:
    """The connection, with the ids of its whole line, and since when."""
    one = found(office, asked.connection_id, live=False)
    with office.parts.databases.ops.reading() as rows:
        line = records.line(rows, one["connection_id"])
    since = moment(asked.since, office.parts.clock.now())
    if since > office.parts.clock.now():
        raise BadArguments("That time is still to come.", argument="since")
    return one, line, since
