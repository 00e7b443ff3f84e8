"""The access log at rest: which entity which agent touched, through what and when, in the ops database."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from sophia.core.listing import Part, paged
from sophia.core.page import Listed, Window
from sophia.core.scope import EVERYTHING, Scope

LISTED = Listed("at", "access_id")
"""By what entries are listed, as an agent reads them."""
MOST_RELATIVES = 1_000


class Rows(Protocol):
    """A reader of the ops database."""

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...
    def row(self, sql: str, **values: Any) -> dict[str, Any] | None: ...
    def value(self, sql: str, **values: Any) -> Any: ...


class Writes(Rows, Protocol):
    """A transaction of the ops database."""

    def run(self, sql: str, **values: Any) -> int: ...


@dataclass(frozen=True, slots=True)
class Touch:
    """One call of one agent, and the entities that it touched."""

    at: int
    connection_id: str
    tool: str
    call_id: str
    entity_ids: Collection[str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries: of the entities in a scope, and there of one, of one connection, or of some. `None` means any."""

    scope: Scope = EVERYTHING
    entity_id: str | None = None
    connection_id: str | None = None
    among: Collection[str] | None = None

    @property
    def conditions(self) -> str:
        """The conditions over `l`, with `values` for their parameters."""
        asked = (
            (not self.scope.is_all, "l.entity_id IN (SELECT value FROM json_each(:scope))"),
            (self.entity_id is not None, "l.entity_id = :entity_id"),
            (self.connection_id is not None, "l.connection_id = :connection_id"),
            (self.among is not None, "l.connection_id IN (SELECT value FROM json_each(:among))"),
        )
        return " AND ".join(condition for given, condition in asked if given) or "1"

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of `conditions`."""
        return {
            "scope": self.scope.as_json,
            "entity_id": self.entity_id,
            "connection_id": self.connection_id,
            "among": json.dumps(sorted(self.among or ())),
        }


def keep(tx: Writes, touches: Iterable[Touch]) -> None:
    """Write an entry for each entity that each of these calls touched; the counters follow by themselves."""
    entries = [
        (one.at, one.connection_id, one.tool, entity_id, one.call_id) for one in touches for entity_id in one.entity_ids
    ]
    tx.run(
        "INSERT INTO subscriber_agent_entity_access_log (at, connection_id, tool, entity_id, call_id)"
        " SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(:entries)",
        entries=json.dumps(entries),
    )


def listed(rows: Rows, wanted: Wanted, window: Window) -> Part:
    """The wanted entries in the window, each with the name of the connection as it is called now."""
    select = (
        "SELECT l.at, l.call_id || '.' || l.entity_id AS access_id, l.connection_id, c.name AS connection_name,"
        " l.tool, l.entity_id, l.call_id FROM subscriber_agent_entity_access_log l"
        f" LEFT JOIN connection c ON c.id = l.connection_id WHERE {wanted.conditions}"
    )
    return paged(rows, window, LISTED, select, **wanted.values)


def counted(rows: Rows, entity_id: str) -> int:
    """How often the entity was touched, ever, by whomever."""
    return int(rows.value("SELECT accesses FROM entity_access_count WHERE entity_id = :id", id=entity_id) or 0)


def marked(rows: Rows) -> int:
    """The last mutation whose entries are written."""
    return int(rows.value("SELECT mutation_seq FROM access_log_state"))


def mark(tx: Writes, seq: int) -> None:
    """Note that the entries of every mutation up to this one are written."""
    tx.run("UPDATE access_log_state SET mutation_seq = :seq", seq=seq)


def line(rows: Rows, connection_id: str) -> frozenset[str]:
    """The connection, those that minted it, and those that were minted under it."""
    found = rows.rows(
        "WITH RECURSIVE above (id) AS (SELECT :id UNION SELECT c.parent_id FROM connection c"
        " JOIN above a ON c.id = a.id WHERE c.parent_id IS NOT NULL),"
        " below (id) AS (SELECT :id UNION SELECT c.id FROM connection c JOIN below b ON c.parent_id = b.id)"
        " SELECT id FROM above UNION SELECT id FROM below LIMIT :most",
        id=connection_id, most=MOST_RELATIVES,
    )  # fmt: skip
    return frozenset(row["id"] for row in found)


def known(rows: Rows, connection_id: str) -> bool:
    """Whether there is, or was, such a connection."""
    return rows.row("SELECT 1 AS yes FROM connection WHERE id = :id", id=connection_id) is not None
