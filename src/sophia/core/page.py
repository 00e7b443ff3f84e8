"""The one shape in which a list leaves Sophia."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

import msgspec

T = TypeVar("T")
Key = tuple[str | int | float | None, ...]


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer's row: absent optional values are left out."""

    COMPACT: ClassVar[tuple[str, ...]] = ()
    """The curated projection of a list's rows: about five keys, the id always among them."""
    PAGE: ClassVar[dict[str, object]] = {}
    """The schemas of what a list of such rows says besides them."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is wanted: at most `limit` rows after the row of sort key `after`."""

    limit: int
    after: Key | None
    room: int = 0
    """How many bytes the answer's own content may take: what is no list has to be cut by its tool."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of a list with the sort key of each, so that the envelope may cut anywhere and still continue."""

    items: Sequence[T]
    total: int
    keys: Sequence[Key]
    more: bool = False
    extra: dict[str, object] = field(default_factory=dict)
    """What this kind of list says besides its rows, such as a search's `fusion`."""
