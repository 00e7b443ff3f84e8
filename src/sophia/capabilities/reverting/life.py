"""The life of rows: every change of them, in order, with who made it and why."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sophia.capabilities.reverting import clashes
from sophia.capabilities.reverting.differences import Difference, difference
from sophia.capabilities.reverting.undone import Place
from sophia.catalog.call import Reader
from sophia.store.rules import RULES

JOURNALED = tuple(sorted(name for name, rule in RULES.items() if rule.journaled))
"""The tables of which every change is kept."""


@dataclass(frozen=True, slots=True)
class Event:
    """A change of one row."""

    mutation_seq: int
    at: int
    connection_id: str
    actor_name: str
    tool: str
    reason: str | None
    change: Difference


def of_entity(db: Reader, entity_id: str) -> list[Place]:
    """The entity's own row, and those that name it."""
    found = [("entity", entity_id)]
    for name, shape in db.tables.items():
        for column, referred in shape.references:
            if referred == "entity" and RULES[name].journaled:
                rows = clashes.hanging(db, (name, column, referred), [entity_id])
                found += [(name, row_id) for row_id, _ in rows]
    return list(dict.fromkeys(found))


def of_id(row_id: str) -> list[Place]:
    """The rows of this id, wherever there are any."""
    return [(name, row_id) for name in JOURNALED]


def events(db: Reader, places: Sequence[Place] | None, table: str | None, since: int, limit: int) -> list[Event]:
    """The last changes at or after a time, the oldest of them first: of these rows, or of a table, or of everything."""
    if places is not None:
        source = (
            "json_each(:places) p CROSS JOIN mutation_change c ON c.table_name = p.value ->> 0"
            " AND c.row_id = p.value ->> 1 JOIN mutation m ON m.seq = c.mutation_seq WHERE m.at >= :since"
        )
    else:
        source = (
            "mutation m CROSS JOIN mutation_change c ON c.mutation_seq = m.seq WHERE m.at >= :since"
            " AND (:table IS NULL OR c.table_name = :table)"
        )
    rows = db.rows(
        "SELECT m.seq, m.at, m.connection_id, m.actor_name, m.tool, m.reason, c.table_name, c.row_id, c.op,"  # noqa: S608
        f" c.before, c.after FROM {source} ORDER BY c.n DESC LIMIT :limit",
        places=json.dumps(places), table=table, since=since, limit=limit,
    )  # fmt: skip
    return [_event(row) for row in reversed(rows)]


def _event(row: dict[str, Any]) -> Event:
    before, after = (None if image is None else json.loads(image) for image in (row["before"], row["after"]))
    return Event(
        row["seq"], row["at"], row["connection_id"], row["actor_name"], row["tool"], row["reason"],
        difference((row["table_name"], row["row_id"]), row["op"], before, after),
    )  # fmt: skip
