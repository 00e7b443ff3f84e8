"""The journal as the caller sees it: SQL beside the shapes it fills."""

import json
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from sophia.capabilities.entities.touched import TOUCHING
from sophia.capabilities.reverting import standing
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.errors import NotFound
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window

MAX_CHANGES = 25_000
"""Characters of changes in one answer."""


class Mutation(Row, frozen=True):
    """One write: who, with what, why, and how many rows it touched."""

    COMPACT: ClassVar[tuple[str, ...]] = ("mutation_seq", "at", "actor_name", "tool", "rows")
    LISTED: ClassVar[Listed] = Listed(
        "at", "mutation_seq", {"newest": Order(("mutation_seq",), down=True), "oldest": Order(("mutation_seq",))}
    )

    mutation_seq: int
    at: str
    connection_id: str
    actor_name: str
    tool: str
    rows: int
    reason: str | None = None
    reverted_by: int | None = None


class Change(Row, frozen=True):
    """One row before and after."""

    table: str
    row_id: str
    op: Literal["insert", "update", "delete"]
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None


class MutationInFull(Mutation, frozen=True):
    """One write with every row that it touched, as far as an answer holds them."""

    changes: list[Change] = []
    changes_left_out: int = 0


_SELECT = "SELECT m.seq AS mutation_seq, m.at, m.connection_id, m.actor_name, m.tool, m.rows, m.reason FROM mutation m"
_ROW = "m.seq IN (SELECT c.mutation_seq FROM mutation_change c WHERE c.table_name = :table AND c.row_id = :row_id)"
_TABLE = "EXISTS (SELECT 1 FROM mutation_change c WHERE c.mutation_seq = m.seq AND c.table_name = :table)"
_ROW_ID = "EXISTS (SELECT 1 FROM mutation_change c WHERE c.mutation_seq = m.seq AND c.row_id = :row_id)"
_ENTITY = f"m.seq IN ({TOUCHING})"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which mutations are asked for; what is `None` does not matter."""

    table: str | None = None
    row_id: str | None = None
    about: str | None = None
    """An entity, by its ids as `merging.about` gives them."""
    connection_id: str | None = None
    tool: str | None = None

    def conditions(self) -> str:
        """The conditions over `m`, with this filter's own fields as parameters."""
        row = _ROW if self.table and self.row_id else _TABLE if self.table else _ROW_ID
        asked = (
            (self.table or self.row_id, row),
            (self.about, _ENTITY),
            (self.connection_id, "m.connection_id = :connection_id"),
            (self.tool, "m.tool = :tool"),
        )
        return " AND ".join(condition for given, condition in asked if given is not None) or "1"


def listed(db: Reader, window: Window, wanted: Filter) -> Page[Mutation]:
    """The wanted mutations, in the order in which they were made, whatever the clock said."""
    part = paged(db, window, Mutation.LISTED, f"{_SELECT} WHERE {wanted.conditions()}", **asdict(wanted))
    by = standing.reverted(db, [row["mutation_seq"] for row in part.rows])
    return part.page([Mutation(**_told(row), reverted_by=by.get(row["mutation_seq"])) for row in part.rows])


def find(db: Reader, seq: int) -> MutationInFull:
    """The mutation with its changes; `NotFound` where the caller does not see all of it."""
    row = db.row(_SELECT + " WHERE m.seq = :seq", seq=seq)
    if row is None:
        raise NotFound(argument="mutation_seq")
    changes: list[Change] = []
    used = 0
    for change in db.rows(
        "SELECT c.table_name, c.row_id, c.op, c.before, c.after FROM mutation_change c"
        " WHERE c.mutation_seq = :seq ORDER BY c.n LIMIT 1000",
        seq=seq,
    ):
        used += len(change["before"] or "") + len(change["after"] or "") + 100
        if used > MAX_CHANGES:
            break
        changes.append(
            Change(
                table=change["table_name"], row_id=change["row_id"], op=change["op"], before=_image(change["before"]),
                after=_image(change["after"]),
            )
        )  # fmt: skip
    return MutationInFull(
        **_told(row), reverted_by=standing.reverted(db, [seq]).get(seq), changes=changes,
        changes_left_out=row["rows"] - len(changes),
    )  # fmt: skip


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "at": rfc3339(row["at"])}


def _image(image: str | None) -> dict[str, Any] | None:
    """A row's image as the caller reads it, without what only the store needs."""
    if image is None:
        return None
    row: dict[str, Any] = json.loads(image)
    row.pop("user_id", None)
    return row
