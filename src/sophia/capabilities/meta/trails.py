"""The trail of agents as a caller reads it: entries of the access log, and counts of calls."""

import json
from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from sophia.access import trail
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.page import Listed, Page, Row


class Entry(Row, frozen=True):
    """One entity that one call touched."""

    COMPACT: ClassVar[tuple[str, ...]] = ("access_id", "at", "tool", "entity_name", "connection_name")
    LISTED: ClassVar[Listed] = trail.LISTED

    access_id: str
    at: str
    tool: str
    entity_id: str
    connection_id: str
    call_id: str
    entity_name: str | None = None
    connection_name: str | None = None


class EntityEntry(Entry, frozen=True):
    """One entity that one call touched, in the history of the entity."""

    PAGE: ClassVar[dict[str, object]] = {"accesses": {"type": "integer"}}


E = TypeVar("E", bound=Entry)


class Used(Row, frozen=True, omit_defaults=False):
    """How often something was called, how often it failed, and the bytes of its answers."""

    calls: int
    errors: int
    bytes: int


class ToolUsed(Used, frozen=True):
    """One tool's calls."""

    tool: str


class ConnectionUsed(Used, frozen=True):
    """One connection's calls."""

    connection_id: str
    connection_name: str | None = None


class Usage(Used, frozen=True):
    """The calls of some time: those of each tool and of each connection, most called first."""

    since: str | None
    """The hour from which on they are counted; none where there was no call."""
    tools: int
    connections: int
    by_tool: list[ToolUsed]
    by_connection: list[ConnectionUsed]


def entries(db: Reader, page: Page[dict[str, Any]], of: type[E]) -> Page[E]:
    """The entries of a page, each with the name of its entity, as far as the caller sees it now."""
    names = _names(db, {row["entity_id"] for row in page.items})
    items = [of(**{**row, "at": rfc3339(row["at"])}, entity_name=names.get(row["entity_id"])) for row in page.items]
    return Page(items, page.total, page.keys, page.more, page.extra)


def _names(db: Reader, entity_ids: Iterable[str]) -> dict[str, str]:
    rows = db.rows(
        "SELECT e.id, e.name FROM entity e WHERE e.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(list(entity_ids)),
    )
    return {row["id"]: row["name"] for row in rows}


def used(found: dict[str, Any]) -> Usage:
    """The counts as the caller reads them."""
    told = {
        **found,
        "since": None if found["since"] is None else rfc3339(found["since"]),
        "by_tool": [ToolUsed(**row) for row in found["by_tool"]],
        "by_connection": [ConnectionUsed(**row) for row in found["by_connection"]],
    }
    return Usage(**told)
