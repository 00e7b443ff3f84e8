"""The one shape in which a list leaves Sophia."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")
Key = tuple[str | int | float | None, ...]


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer's row: absent optional values are left out. `COMPACT` in a subclass names its curated projection."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is wanted: at most `limit` rows after the row of sort key `after`."""

    limit: int
    after: Key | None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of a list with the sort key of each, so that the envelope may cut anywhere and still continue."""

    items: list[T]
    total: int
    keys: list[Key]
    more: bool = False
    extra: dict[str, object] = field(default_factory=dict)
    """What this kind of list says besides its rows, such as a search's `fusion`."""
