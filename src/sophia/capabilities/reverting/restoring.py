"""Rows brought back to what they were: out of the journal's images, each compared with what is there first."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sophia.capabilities.reverting import order
from sophia.capabilities.reverting.differences import Image, Op
from sophia.capabilities.reverting.renewal import Renewal
from sophia.capabilities.reverting.undone import Place, Touch, Undone
from sophia.catalog.call import Reader, Writer
from sophia.core.errors import Conflict, Forgotten, SophiaError

TOGETHER = 500
TOGETHER_BYTES = 8_000_000
"""How many rows, with images of how many bytes, are held at once."""


@dataclass(frozen=True, slots=True)
class Restored:
    """A row as it is and as it becomes; `None` where there is none."""

    table: str
    row_id: str
    before: Image | None
    after: Image | None

    @property
    def op(self) -> Op:
        """What is done to the row."""
        return "delete" if self.after is None else "insert" if self.before is None else "update"


def restored(db: Reader, undone: Undone) -> Iterator[list[Restored]]:
    """Every row that becomes another, some of one table at a time, in an order in which it can be done.

    `Conflict` where a row is not what the journal says, `Forgotten` where the owner had its images forgotten.
    """
    for table, row_ids in order.ordered(db, undone):
        for some in _together(db, undone, table, row_ids):
            yield [one for one in _compared(db, undone, table, some) if one.before != one.after]


def carry_out(db: Writer, undone: Undone) -> int:
    """Restore them all, and what is made from them; how many rows became others."""
    renewal, count = Renewal(db), 0
    for some in restored(db, undone):
        if some:
            table = some[0].table
            renewal.clear(table, [image for one in some for image in (one.before, one.after) if image is not None])
            db.restore(table, {one.row_id: one.after for one in some})
            count += len(some)
    db.settle()
    renewal.make()
    return count


def _together(db: Reader, undone: Undone, table: str, row_ids: Sequence[str]) -> Iterator[list[str]]:
    """The rows in parts that may be held at once."""
    for at in range(0, len(row_ids), TOGETHER):
        some = row_ids[at : at + TOGETHER]
        sizes = {
            row["n"]: row["size"]
            for row in db.rows(
                "SELECT c.n, ifnull(octet_length(c.before), 0) + ifnull(octet_length(c.after), 0) AS size"
                " FROM json_each(:ns) s CROSS JOIN mutation_change c ON c.n = s.value",
                ns=_numbers(undone, table, some),
            )
        }
        part: list[str] = []
        held = 0
        for row_id in some:
            size = sum(sizes.get(touch.n, 0) for touch in undone.touches[table, row_id])
            if part and held + size > TOGETHER_BYTES:
                yield part
                part, held = [], 0
            part.append(row_id)
            held += size
        yield part


def _numbers(undone: Undone, table: str, row_ids: Sequence[str]) -> str:
    return json.dumps([touch.n for row_id in row_ids for touch in undone.touches[table, row_id]])


def _compared(db: Reader, undone: Undone, table: str, row_ids: Sequence[str]) -> Iterator[Restored]:
    columns = db.tables[table].columns
    told = ", ".join(f"t.{column}" for column in columns)
    present = {
        row["id"]: row
        for row in db.rows(
            f"SELECT {told} FROM {table} t WHERE t.id IN (SELECT value FROM json_each(:ids))",  # noqa: S608
            ids=json.dumps(list(row_ids)),
        )
    }
    images = {
        row["n"]: (row["before"], row["after"])
        for row in db.rows(
            "SELECT c.n, c.before, c.after FROM json_each(:ns) s CROSS JOIN mutation_change c ON c.n = s.value",
            ns=_numbers(undone, table, row_ids),
        )
    }
    for row_id in row_ids:
        now = present.get(row_id)
        yield Restored(
            table, row_id, now, _folded((table, row_id), undone.touches[table, row_id], images, now, columns)
        )


def _folded(
    place: Place, touches: Sequence[Touch], images: Mapping[int, tuple[str | None, str | None]], now: Image | None,
    columns: Sequence[str],
) -> Image | None:  # fmt: skip
    """The row with these changes taken back, the newest first. What an old image does not know stays, or is unsaid."""
    row = now
    for touch in touches:
        before, after = images.get(touch.n, (None, None))
        if (before is None and touch.op != "insert") or (after is None and touch.op != "delete"):
            raise Forgotten("The owner had what this changed forgotten: it cannot be taken back.", row=_named(place))
        was, became = _image(before), _image(after)
        if not {*(was or ()), *(became or ())}.issubset(columns):
            raise Conflict("The journal tells of a column that there is no more.", row=_named(place))
        if not _same(row, became):
            raise _changed(place, touch)
        row = None if was is None else {**(row or {}), **was}
    return row


def _image(text: str | None) -> dict[str, Any] | None:
    return None if text is None else json.loads(text)


def _same(row: Image | None, image: Image | None) -> bool:
    if row is None or image is None:
        return row is None and image is None
    return all(row.get(column) == value for column, value in image.items())


def _changed(place: Place, touch: Touch) -> SophiaError:
    return Conflict(
        f"A row is no longer what mutation {touch.seq} left: it was changed since.",
        conflicts=[{"mutation_seq": touch.seq, **_named(place)}],
    )


def _named(place: Place) -> dict[str, str]:
    return {"table": place[0], "row_id": place[1]}
