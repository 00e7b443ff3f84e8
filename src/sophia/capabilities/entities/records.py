"""Entities at rest: SQL beside the shapes it fills."""

import json
from typing import Any, ClassVar

from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.page import Page, Row, Window


class Entity(Row, frozen=True):
    """Something that facts are about."""

    COMPACT: ClassVar[tuple[str, ...]] = ("entity_id", "kind", "name", "status")

    entity_id: str
    kind: str
    name: str
    status: str
    created_at: str
    updated_at: str
    aliases: list[str] = []
    summary: str | None = None
    attributes: dict[str, Any] = {}


_SELECT = """
    SELECT e.id, e.kind, e.name, e.summary, e.attributes, e.status, e.created_at, e.updated_at,
           (SELECT json_group_array(alias) FROM (SELECT alias FROM entity_alias a WHERE a.entity_id = e.id ORDER BY alias)) AS aliases
      FROM entity e
"""


def _filled(row: dict[str, Any]) -> Entity:
    return Entity(
        entity_id=row["id"], kind=row["kind"], name=row["name"], status=row["status"], summary=row["summary"],
        attributes=json.loads(row["attributes"]), aliases=json.loads(row["aliases"]),
        created_at=rfc3339(row["created_at"]), updated_at=rfc3339(row["updated_at"]),
    )  # fmt: skip


def find(db: Reader, entity_id: str) -> Entity | None:
    """The entity of this id, or `None`."""
    row = db.row(f"{_SELECT} WHERE e.id = :id", id=entity_id)
    return _filled(row) if row else None


def listed(db: Reader, window: Window, *, kind: str | None, status: str) -> Page[Entity]:
    """The entities of a kind and status, by name."""
    after = window.after or ("", "")
    rows = db.rows(
        f"""{_SELECT}
         WHERE (:kind IS NULL OR e.kind = :kind) AND e.status = :status AND (e.name_key, e.id) > (:name, :id)
         ORDER BY e.name_key, e.id LIMIT 0 + :limit""",
        kind=kind, status=status, name=after[0], id=after[1], limit=window.limit + 1,
    )  # fmt: skip
    total = db.value(
        "SELECT count(*) FROM entity e WHERE (:kind IS NULL OR e.kind = :kind) AND e.status = :status",
        kind=kind, status=status,
    )  # fmt: skip
    kept = rows[: window.limit]
    keys = [(row["name"].casefold(), row["id"]) for row in kept]
    return Page([_filled(row) for row in kept], total, keys, more=len(rows) > window.limit)
