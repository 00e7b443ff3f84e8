"""What changed in a row, field by field, in as much room as an answer has."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sophia.core.page import Row

MOST_CHARACTERS = 25_000
"""Characters of differences in one answer."""
LONGEST = 1000
"""Characters of a value that are told."""
_FRAME = 100


Op = Literal["insert", "update", "delete"]
Image = Mapping[str, Any]
"""A row by its columns."""


class Field(Row, frozen=True):
    """A field's value before and after."""

    before: Any = None
    after: Any = None


class Difference(Row, frozen=True):
    """What one row was and became, in the fields that differ."""

    table: str
    row_id: str
    op: Op
    fields: dict[str, Field]
    cut: list[str] | None = None
    """Fields whose values are longer than what is told of them."""
    forgotten: bool = False
    """Whether the owner had what this was forgotten."""


def difference(place: tuple[str, str], op: Op, before: Image | None, after: Image | None) -> Difference:
    """The difference between two images of a row, without what only the store needs."""
    table, row_id = place
    was, became = before or {}, after or {}
    names = [name for name in dict.fromkeys((*was, *became)) if was.get(name) != became.get(name) and name != "user_id"]
    return Difference(
        table=table, row_id=row_id, op=op,
        fields={name: Field(before=_short(was.get(name)), after=_short(became.get(name))) for name in names},
        cut=[name for name in names if any(_is_long(image.get(name)) for image in (was, became))] or None,
        forgotten=before is None and after is None,
    )  # fmt: skip


def _is_long(value: Any) -> bool:
    return isinstance(value, str) and len(value) > LONGEST


def _short(value: Any) -> Any:
    return value[:LONGEST] + "…" if _is_long(value) else value


@dataclass
class Told:
    """As many differences as an answer holds, and how many there are."""

    room: int = MOST_CHARACTERS
    shown: list[Difference] = field(default_factory=list)
    total: int = 0

    def add(self, some: Iterable[Difference]) -> None:
        """Take these in, as far as there is room."""
        for one in some:
            self.total += 1
            if self.room <= 0:
                continue
            told = {name: [each.before, each.after] for name, each in one.fields.items()}
            self.room -= len(json.dumps(told, ensure_ascii=False)) + _FRAME
            if self.room >= 0 or not self.shown:
                self.shown.append(one)

    @property
    def left_out(self) -> int:
        """How many there was no room for."""
        return self.total - len(self.shown)
