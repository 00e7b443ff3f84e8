"""The one shape in which a list leaves Sophia."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Generic, TypeVar

import msgspec

T = TypeVar("T")
Key = tuple[str | int | float | None, ...]


@dataclass(frozen=True, slots=True)
class Order:
    """Rows by these columns, none of them NULL, all up or all down; together they tell each row from every other."""

    columns: tuple[str, ...]
    down: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """By what a list goes: columns of its SQL, of which `time` and `key` are called as the row's own keys."""

    time: str
    """Microseconds: what since and until bound, and what newest and oldest go by."""
    key: str
    """What tells a row from every other."""
    own: Mapping[str, Order] = field(default_factory=lambda: MappingProxyType({}))
    """The list's own orders; the first is how it goes unasked."""

    @property
    def orders(self) -> dict[str, Order]:
        """Every order that the list knows, by name; the first is how it goes unasked."""
        by_time = (self.time, self.key)
        return {**self.own, **{name: Order(by_time, name == "newest") for name in BY_TIME if name not in self.own}}


BY_TIME = ("newest", "oldest")


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer's row: absent optional values are left out."""

    COMPACT: ClassVar[tuple[str, ...]] = ()
    """The curated projection of a list's rows: about five keys, the id always among them."""
    LISTED: ClassVar[Listed | None] = None
    """By what a list of such rows goes; rows that do not say it are in no list."""
    PAGE: ClassVar[dict[str, object]] = {}
    """The schemas of what a list of such rows says besides them."""


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a list is wanted: at most `limit` rows after the row of sort key `after`, in this order."""

    limit: int
    after: Key | None
    room: int = 0
    """How many bytes the answer's own content may take: what is no list has to be cut by its tool."""
    order: str = "newest"
    """One of the names in `Listed.orders`."""
    since: int | None = None
    until: int | None = None
    """Only rows of a time at or after `since`, and before `until`."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Rows of a list with the sort key of each, so that the envelope may cut anywhere and still continue."""

    items: Sequence[T]
    total: int
    keys: Sequence[Key]
    more: bool = False
    extra: dict[str, object] = field(default_factory=dict)
    """What this kind of list says besides its rows, such as a search's `fusion`."""
