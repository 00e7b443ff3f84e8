"""What orient reads: bounded queries, each cheap at any size."""

from dataclasses import dataclass
from typing import Any

from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339

NEWEST = 5
_WINDOW = 500
"""How many of the newest facts decide which entities are hot: a bound, so that the cost does not grow."""


@dataclass(frozen=True, slots=True)
class Listed:
    """The newest rows of a kind, and how many there are."""

    total: int
    items: list[dict[str, Any]]


def documents(db: Reader) -> Listed:
    """The newest documents."""
    rows = db.rows(
        "SELECT id, title, origin, tier, created_at FROM document WHERE status = 'active'"
        " ORDER BY created_at DESC, id DESC LIMIT :limit",
        limit=NEWEST,
    )
    total = db.value("SELECT count(*) FROM document WHERE status = 'active'")
    return Listed(total, [_named(row, "document_id") for row in rows])


def mutations(db: Reader) -> Listed:
    """The newest mutations."""
    rows = db.rows("SELECT seq, at, tool, actor_name, rows FROM mutation ORDER BY seq DESC LIMIT :limit", limit=NEWEST)
    total = db.value("SELECT count(seq) FROM mutation")
    items = [
        {"mutation_seq": row["seq"], "at": rfc3339(row["at"]), "tool": row["tool"], "actor_name": row["actor_name"],
         "rows": row["rows"]}
        for row in rows
    ]  # fmt: skip
    return Listed(total, items)


def hot_entities(db: Reader, goal: str | None) -> Listed:
    """The entities that the newest facts are about, most facts first; those that the goal names before all others."""
    rows = db.rows(
        "SELECT e.id, e.kind, e.name, count(*) AS facts FROM"
        " (SELECT entity_id FROM fact ORDER BY recorded_at DESC LIMIT :window) f"
        " JOIN entity e ON e.id = f.entity_id"
        " WHERE e.status = 'active' GROUP BY e.id ORDER BY facts DESC, e.id LIMIT :limit",
        window=_WINDOW,
        limit=NEWEST * 4,
    )
    words = set(goal.casefold().split()) if goal else set()
    rows.sort(key=lambda row: not words & set(row["name"].casefold().split()))
    items = [{"entity_id": row["id"], "kind": row["kind"], "name": row["name"], "facts": row["facts"]} for row in rows]
    return Listed(len(items), items[:NEWEST])


def _named(row: dict[str, Any], key: str) -> dict[str, Any]:
    return {key: row.pop("id"), **row, "created_at": rfc3339(row["created_at"])}
