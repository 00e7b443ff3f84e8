"""Values that were rejected: each leaves a tombstone, by which it is known when it comes back."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge.sameness import Said
from sophia.capabilities.knowledge.values import Value, ValueType
from sophia.catalog.call import Reader, WriteCall
from sophia.core.clock import rfc3339
from sophia.core.errors import RejectedValue
from sophia.core.page import Row

PASSES = "Another value passes, and only the owner's own word brings this one back."
HINT = f"This value was rejected before; `rejected` says by whom and why. {PASSES}"


class RejectedBy(Row, frozen=True):
    """Who rejected a value, when and why."""

    rejection_id: str
    rejected_by_connection_id: str
    rejected_by_name: str
    rejected_at: str
    why: str


class Rejection(RejectedBy, frozen=True):
    """The tombstone of a value: what was rejected, by whom, when and why."""

    entity_id: str
    predicate: str
    object: str
    value_type: str
    object_entity_id: str | None = None
    unit: str | None = None

    @property
    def by(self) -> RejectedBy:
        """What whoever says the value again is told of it: the value itself they know."""
        return RejectedBy(**{name: getattr(self, name) for name in RejectedBy.__struct_fields__})

    @property
    def said(self) -> Said:
        """The value."""
        return said(self.object, self.value_type, self.unit, self.object_entity_id)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A value that is about to be said of an entity."""

    entity_id: str | None
    """`None` for one that is only being made."""
    predicate: str
    said: Said


_STANDING = """
    SELECT r.id AS rejection_id, w.value ->> 2 AS entity_id, r.predicate,
           coalesce((SELECT e.name FROM entity e WHERE e.id = r.object_entity_id), r.object) AS object,
           r.object_entity_id, r.value_type, r.unit, r.rejected_by_connection_id, r.rejected_by_name,
           r.created_at AS rejected_at, r.reason AS why
      FROM json_each(:pairs) w CROSS JOIN rejected_value r
     WHERE r.entity_id = w.value ->> 0 AND r.predicate = w.value ->> 1 AND r.lifted_at IS NULL
     ORDER BY r.created_at, r.id
"""
_CURRENT = """
    SELECT f.id, coalesce((SELECT e.name FROM entity e WHERE e.id = f.object_entity_id), f.object) AS object,
           f.object_entity_id, f.value_type, f.unit
      FROM fact f WHERE f.entity_id IN (SELECT value FROM json_each(:about)) AND f.predicate = :predicate
           AND f.status = 'current'
     ORDER BY f.recorded_at, f.id
"""
_OF_EITHER_END = """
    SELECT f.id, f.entity_id, f.predicate, f.object, f.object_entity_id, f.value_type, f.unit
      FROM (SELECT a.id FROM json_each(:about) w CROSS JOIN fact a ON a.entity_id = w.value
             UNION SELECT a.id FROM json_each(:about) w CROSS JOIN fact a ON a.object_entity_id = w.value) o
           CROSS JOIN fact f ON f.id = o.id
     WHERE f.status = 'current'
       AND f.predicate IN (SELECT r.predicate FROM rejected_value r WHERE r.lifted_at IS NULL)
     ORDER BY f.recorded_at, f.id
"""


def said(text: str, value_type: str, unit: str | None, entity_id: str | None) -> Said:
    """The value that a row holds."""
    return Said(Value(ValueType(value_type), text, unit), entity_id)


def against(db: Reader, attempts: Sequence[Attempt]) -> list[Rejection | None]:
    """For each attempt the rejection that stands against it, or `None`. Entities that were merged are one."""
    pairs = {(each.entity_id, each.predicate) for each in attempts if each.entity_id is not None}
    whole = merging.parts(db, (entity_id for entity_id, _ in pairs)) if pairs else {}
    asked = [[part, predicate, entity_id] for entity_id, predicate in sorted(pairs) for part in whole[entity_id]]
    rows = _now(db, db.rows(_STANDING, pairs=json.dumps(asked)) if asked else [])
    standing: dict[tuple[str | None, str], list[Rejection]] = {}
    for row in rows:
        one = _told(row)
        standing.setdefault((one.entity_id, one.predicate), []).append(one)
    return [
        next((one for one in standing.get((each.entity_id, each.predicate), ()) if one.said.same(each.said)), None)
        for each in attempts
    ]


def refuse(rejection: RejectedBy) -> RejectedValue:
    """The error that tells of the rejection."""
    return RejectedValue(argument="object", hint=PASSES, **msgspec.structs.asdict(rejection))


def lift(call: WriteCall, rejection: Rejection) -> None:
    """Let the value be said again."""
    call.db.update("rejected_value", rejection.rejection_id, lifted_at=call.now)


def leave(call: WriteCall, attempt: Attempt, reason: str) -> tuple[Rejection, bool]:
    """The tombstone of the value, and whether it was left only now: one that stood there already stays as it is."""
    held = against(call.db, [attempt])[0]
    if held is not None:
        return held, False
    value = attempt.said.value
    row: dict[str, Any] = {
        "id": call.new_id("rej"), "entity_id": attempt.entity_id, "predicate": attempt.predicate,
        "object": value.text, "object_entity_id": attempt.said.entity_id, "value_type": value.value_type.value,
        "unit": value.unit, "reason": reason, "rejected_by_connection_id": call.caller.connection_id,
        "rejected_by_name": call.caller.name, "created_at": call.now,
    }  # fmt: skip
    call.db.insert("rejected_value", **row)
    told = {name: value for name, value in row.items() if name not in ("id", "reason", "created_at")}
    return _told({**told, "rejection_id": row["id"], "why": reason, "rejected_at": call.now}), True


def saying(db: Reader, attempt: Attempt) -> list[str]:
    """The ids of the current facts that say the value."""
    about = merging.about(db, attempt.entity_id or "")
    rows = _now(db, db.rows(_CURRENT, about=about, predicate=attempt.predicate))
    return [
        row["id"]
        for row in rows
        if said(row["object"], row["value_type"], row["unit"], row["object_entity_id"]).same(attempt.said)
    ]


def returned(db: Reader, entity_id: str) -> dict[str, Rejection]:
    """The current facts from or to the entity whose values are rejected, each with the rejection against it."""
    rows = _now(db, db.rows(_OF_EITHER_END, about=merging.about(db, entity_id)))
    now = merging.standing(db, {row["entity_id"] for row in rows}) if rows else {}
    attempts = [
        Attempt(
            now[row["entity_id"]].entity_id, row["predicate"],
            said(row["object"], row["value_type"], row["unit"], row["object_entity_id"]),
        )
        for row in rows
    ]  # fmt: skip
    held = zip(rows, against(db, attempts), strict=True)
    return {row["id"]: rejection for row, rejection in held if rejection is not None}


def _now(db: Reader, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows, with the entity that each object stands for now."""
    ends = {row["object_entity_id"] for row in rows if row["object_entity_id"] is not None}
    now = merging.standing(db, ends) if ends else {}
    return [
        {**row, "object_entity_id": now[end].entity_id, "object": now[end].name} if (end := row["object_entity_id"])
        else row for row in rows
    ]  # fmt: skip


def _told(row: dict[str, Any]) -> Rejection:
    return Rejection(**{**row, "rejected_at": rfc3339(row["rejected_at"])})
