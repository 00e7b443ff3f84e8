"""What agents and the owner record about their own work: entries with an author, linked to entities."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import msgspec

from sophia.catalog.call import Reader, WriteCall
from sophia.core.clock import rfc3339
from sophia.core.errors import Conflict, NotFound, TooLarge
from sophia.core.listing import paged
from sophia.core.page import Listed, Page, Row, Window

MOST_BYTES = 30_000
"""What the texts of one entry come to at most, encoded: an answer holds it whole."""
MOST_AT_THE_END = 5_000
"""What can always be said at the end of an entry, however much it holds: it would never end otherwise."""
MOST_COUNTED = 1000
_HEADLINE = 160
Evidence = Literal["asserted"]
"""An entry is its author's word. Nothing stands behind it, and no fact is grounded in it."""


class Author(Row, frozen=True):
    """Who wrote something, by the name that they had then."""

    connection_id: str
    name: str
    origin: Literal["owner", "agent"]


R = TypeVar("R", bound=Row)
Told = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Headline:
    """An entry in a line."""

    id: str
    text: str
    author: Author
    created_at: str
    more: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries are asked for; what is `None` does not matter."""

    status: str | None = None
    about: str | None = None
    """An entity, by its ids as `merging.about` gives them."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[R]):
    """One kind of entry: its table, the prefix of its ids, and how a row of it is told."""

    table: str
    prefix: str
    listed: Listed
    told: Callable[[Told], R]
    headline: str = "title"
    """The column that says in a line what it is."""
    more: str = ""
    """What is selected beside the columns and the linked entities."""

    def record(self, call: WriteCall, entity_ids: Sequence[str] | None, **row: Any) -> R:
        """A new entry of the caller's, linked to these entities. Without any, only who sees everything sees it."""
        _require_room(row, MOST_BYTES)
        entry_id = call.new_id(self.prefix)
        call.db.insert(
            self.table, id=entry_id, author_connection_id=call.caller.connection_id, author_name=call.caller.name,
            created_at=call.now, updated_at=call.now, **row,
        )  # fmt: skip
        for entity_id in dict.fromkeys(entity_ids or ()):
            link: dict[str, Any] = {"id": call.new_id("link"), f"{self.table}_id": entry_id, "entity_id": entity_id}
            call.db.insert(f"{self.table}_entity", **link)
        call.db.settle()
        return self.find(call.db, entry_id)

    def end(self, call: WriteCall, entry_id: str, status: str, **changes: Any) -> R:
        """The entry, ended by the caller; `Conflict` where it was ended before."""
        before = self._row(call.db, entry_id)
        if before["status"] != "open":
            raise Conflict(f"This {self.table} is {before['status']} already.", argument=f"{self.table}_id")
        _require_room(changes, max(MOST_AT_THE_END, MOST_BYTES - _size(before)))
        call.db.update(
            self.table, entry_id, status=status, ended_by_connection_id=call.caller.connection_id,
            ended_by_name=call.caller.name, updated_at=call.now, **changes,
        )  # fmt: skip
        return self.find(call.db, entry_id)

    def find(self, db: Reader, entry_id: str, argument: str | None = None) -> R:
        """The entry of this id; `NotFound`, which names the argument, where the caller sees none."""
        return self.told(self._row(db, entry_id, argument))

    def page(self, db: Reader, window: Window, wanted: Wanted) -> Page[R]:
        """The wanted entries."""
        where, values = self._conditions(wanted)
        part = paged(db, window, self.listed, f"{self._select} WHERE {where}", **values)
        return part.page([self.told(row) for row in part.rows])

    def headlines(
        self,
        db: Reader,
        limit: int,
        *,
        status: str | None = None,
        more: Sequence[str] = (),
        first: str = "created_at DESC, id DESC",
    ) -> list[Headline]:
        """The first entries in the order `first`, each with these columns more, where it has them."""
        where, values = self._conditions(Wanted(status))
        order = ", ".join(f"n.{one.strip()}" for one in first.split(","))
        beside = "".join(f", n.{column}" for column in more)
        rows = db.rows(
            f"SELECT n.id, substr(n.{self.headline}, 1, {_HEADLINE + 1}) AS text, n.author_connection_id,"
            f" n.author_name, n.created_at{beside} FROM {self.table} n WHERE {where} ORDER BY {order} LIMIT :limit",
            **values, limit=limit,
        )  # fmt: skip
        return [
            Headline(
                row["id"], _cut(row["text"]), author_of(row), rfc3339(row["created_at"]),
                {column: row[column] for column in more if row[column] is not None},
            )
            for row in rows
        ]  # fmt: skip

    def counted(self, db: Reader, *, status: str | None = None) -> int:
        """How many there are, up to one more than MOST_COUNTED."""
        where, values = self._conditions(Wanted(status))
        counted = f"SELECT 1 FROM {self.table} n WHERE {where} LIMIT {MOST_COUNTED + 1}"
        found: int = db.value(f"SELECT count(*) FROM ({counted})", **values)
        return found

    @property
    def _select(self) -> str:
        return (
            f"SELECT n.id AS {self.table}_id, n.*, (SELECT json_group_array(l.entity_id ORDER BY l.entity_id)"
            f" FROM {self.table}_entity l WHERE l.{self.table}_id = n.id) AS entity_ids{self.more} FROM {self.table} n"
        )

    def _row(self, db: Reader, entry_id: str, argument: str | None = None) -> Told:
        row = db.row(f"{self._select} WHERE n.id = :id", id=entry_id)
        if row is None:
            raise NotFound(argument=argument or f"{self.table}_id")
        return row

    def _conditions(self, wanted: Wanted) -> tuple[str, Told]:
        linked = (
            f"n.id IN (SELECT l.{self.table}_id FROM {self.table}_entity l"
            " WHERE l.entity_id IN (SELECT value FROM json_each(:about)))"
        )
        asked = {"status": (wanted.status, "n.status = :status"), "about": (wanted.about, linked)}
        given = {name: value for name, (value, _) in asked.items() if value is not None}
        return " AND ".join(asked[name][1] for name in given) or "1", given


def author_of(row: Told, prefix: str = "author") -> Author:
    """Who wrote the entry, or with the prefix `ended_by`, who ended it."""
    connection_id: str = row[f"{prefix}_connection_id"]
    origin: Literal["owner", "agent"] = "owner" if connection_id == "owner" else "agent"
    return Author(connection_id=connection_id, name=row[f"{prefix}_name"], origin=origin)


def common(row: Told) -> Told:
    """What is told of every entry in the same way."""
    return {
        "evidence": "asserted",
        "author": author_of(row),
        "created_at": rfc3339(row["created_at"]),
        "entity_ids": json.loads(row["entity_ids"]),
    }


def ending(row: Told, by: str, at: str) -> Told:
    """Who ended an entry and when, under these names; nothing while it is open."""
    if row["ended_by_connection_id"] is None:
        return {}
    return {by: author_of(row, "ended_by"), at: rfc3339(row["updated_at"])}


def _size(row: Told) -> int:
    return len(msgspec.json.encode([value for value in row.values() if isinstance(value, str)]))


def _require_room(row: Told, most: int) -> None:
    if _size(row) > most:
        raise TooLarge(
            f"There is room for {most:,} bytes of text in this entry.",
            hint="Keep the long text with add_document, and name its document_id here.",
        )


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(text) <= _HEADLINE else line[: _HEADLINE - 1] + "…"
