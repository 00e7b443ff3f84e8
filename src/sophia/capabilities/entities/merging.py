"""Entities that went into others: two that were one all along. No row moves; reads follow where an entity went.

Whoever does not see both ends of a merge sees none: each of the two is to him what it was before.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sophia.catalog.call import Reader, Writer


@dataclass(frozen=True, slots=True)
class Standing:
    """The entity that an id stands for now: its own, or the one that it went into."""

    entity_id: str
    name: str
    kind: str
    status: str


_STANDING = """
    WITH RECURSIVE went (start, id, far) AS (
      SELECT value, value, 0 FROM json_each(:ids)
      UNION ALL
      SELECT went.start, m.into_id, went.far + 1 FROM went CROSS JOIN entity_merge m ON m.id = went.id
    )
    SELECT w.start, e.id, e.name, e.kind, e.status FROM went w CROSS JOIN entity e ON e.id = w.id ORDER BY w.far
"""
_PARTS = """
    WITH RECURSIVE whole (start, id) AS (
      SELECT value, value FROM json_each(:ids)
      UNION
      SELECT whole.start, m.id FROM whole CROSS JOIN entity_merge m ON m.into_id = whole.id
    )
    SELECT start, id FROM whole ORDER BY id
"""


def standing(db: Reader, entity_ids: Iterable[str]) -> dict[str, Standing]:
    """What each of these entities stands for, as far as the caller sees them and where they went."""
    rows = db.rows(_STANDING, ids=json.dumps(sorted(set(entity_ids))))
    return {row["start"]: Standing(row["id"], row["name"], row["kind"], row["status"]) for row in rows}


def parts(db: Reader, entity_ids: Iterable[str]) -> dict[str, list[str]]:
    """Each of these entities with everything that went into it, through others too."""
    told: dict[str, list[str]] = {}
    for row in db.rows(_PARTS, ids=json.dumps(sorted(set(entity_ids)))):
        told.setdefault(row["start"], []).append(row["id"])
    return told


def wholes(db: Reader, entity_ids: Iterable[str]) -> list[tuple[str, str]]:
    """Every id that stands for the same as one of these, with the one that it stands for, where that is several."""
    return [(part, now) for now, found in parts(db, entity_ids).items() if len(found) > 1 for part in found]


def groups(db: Reader) -> list[tuple[str, str]]:
    """Every id that was merged, and every one that it went into, with the one that it stands for now."""
    ids = {row[end] for row in db.rows("SELECT m.id, m.into_id FROM entity_merge m") for end in ("id", "into_id")}
    return [(entity_id, now.entity_id) for entity_id, now in standing(db, ids).items()] if ids else []


def about(db: Reader, entity_id: str) -> str:
    """The ids under which something may be linked to the entity, as a JSON array for `json_each`."""
    return json.dumps(parts(db, [entity_id])[entity_id])


def one_of(column: str, ids: str) -> tuple[str, dict[str, Any]]:
    """The condition that a column holds one of the ids that `about` gave, with its parameters.

    One id alone is compared by itself: an index then yields the rows in its own order.
    """
    listed = json.loads(ids)
    if len(listed) == 1:
        return f"{column} = :about", {"about": listed[0]}
    return f"{column} IN (SELECT value FROM json_each(:about))", {"about": ids}  # noqa: S608 (the column is ours)


def merge(tx: Writer, merge_id: str, keep_id: str, status: str, now: int) -> None:
    """Have the entity of this status stand for the other from here on."""
    tx.update("entity", merge_id, status="merged", updated_at=now)
    tx.insert("entity_merge", id=merge_id, into_id=keep_id, status_before=status, created_at=now)


def unmerge(tx: Writer, entity_id: str, now: int) -> str | None:
    """Have the entity stand for itself again; the one that it was in, `None` where the caller sees none."""
    row = tx.row("SELECT m.into_id, m.status_before FROM entity_merge m WHERE m.id = :id", id=entity_id)
    if row is None:
        return None
    tx.delete("entity_merge", entity_id)
    tx.update("entity", entity_id, status=row["status_before"], updated_at=now)
    into_id: str = row["into_id"]
    return into_id
