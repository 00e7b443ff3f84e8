"""Rows as they were: out of the journal, as far as the caller sees it."""

import json
from typing import Any

from sophia.capabilities.reverting.differences import LONGEST, Difference, Told, difference
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.errors import Forgotten, NotFound
from sophia.core.page import Row

_AT_ONCE = 200


class RowThen(Row, frozen=True):
    """A row as it was at a time, and the write that had left it so."""

    table: str
    row_id: str
    at: str
    exists: bool
    row: dict[str, Any] | None = None
    mutation_seq: int | None = None
    changed_at: str | None = None
    actor_name: str | None = None
    cut: list[str] | None = None
    """Fields whose values are longer than what is told of them."""


def then(db: Reader, table: str, row_id: str, at: int, room: int) -> RowThen:
    """The row at this time; `NotFound` where the caller sees no such row, or does not see its history whole."""
    seen = db.row(
        "SELECT count(*) AS changes, count(m.seq) AS told FROM mutation_change c LEFT JOIN mutation m"
        " ON m.seq = c.mutation_seq WHERE c.table_name = :table AND c.row_id = :row_id",
        table=table, row_id=row_id,
    )  # fmt: skip
    if seen is None or not seen["changes"]:
        raise NotFound(argument="row_id")
    if seen["told"] != seen["changes"]:
        raise NotFound("A part of this row's history lies outside this connection's scope.", argument="row_id")
    last = db.row(
        "SELECT c.op, c.after, m.seq, m.at, m.actor_name FROM mutation_change c"
        " JOIN mutation m ON m.seq = c.mutation_seq"
        " WHERE c.table_name = :table AND c.row_id = :row_id AND m.at <= :at ORDER BY c.n DESC LIMIT 1",
        table=table, row_id=row_id, at=at,
    )  # fmt: skip
    if last is None:
        return RowThen(table=table, row_id=row_id, at=rfc3339(at), exists=False)
    row: dict[str, Any] | None = None
    cut: list[str] = []
    if last["op"] != "delete":
        if last["after"] is None:
            raise Forgotten("The owner had what this row was then forgotten.", argument="row_id")
        row, cut = _fitting(json.loads(last["after"]), room)
    return RowThen(
        table=table, row_id=row_id, at=rfc3339(at), exists=row is not None, row=row, mutation_seq=last["seq"],
        changed_at=rfc3339(last["at"]), actor_name=last["actor_name"], cut=cut or None,
    )  # fmt: skip


def _fitting(row: dict[str, Any], room: int) -> tuple[dict[str, Any], list[str]]:
    """The row without what only the store needs, its longest texts cut where it does not fit."""
    row.pop("user_id", None)
    if len(json.dumps(row).encode()) <= room:
        return row, []
    cut = [name for name, value in row.items() if isinstance(value, str) and len(value) > LONGEST]
    return row | {name: row[name][:LONGEST] + "…" for name in cut}, cut


def changes(db: Reader, seq: int, room: int) -> tuple[list[Difference], int]:
    """What a mutation changed, field by field, and how many rows of it there was no room for."""
    told, after, left = Told(room), 0, 0
    while True:
        rows = db.rows(
            "SELECT c.n, c.table_name, c.row_id, c.op, c.before, c.after FROM mutation_change c"
            " WHERE c.mutation_seq = :seq AND c.n > :after ORDER BY c.n LIMIT :limit",
            seq=seq, after=after, limit=_AT_ONCE,
        )  # fmt: skip
        told.add(
            difference((row["table_name"], row["row_id"]), row["op"], _image(row["before"]), _image(row["after"]))
            for row in rows
        )
        if len(rows) < _AT_ONCE:
            return told.shown, told.left_out
        after = rows[-1]["n"]
        if told.room <= 0:
            left = db.value(
                "SELECT count(*) FROM mutation_change c WHERE c.mutation_seq = :seq AND c.n > :after",
                seq=seq, after=after,
            )  # fmt: skip
            return told.shown, told.left_out + left


def _image(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)
