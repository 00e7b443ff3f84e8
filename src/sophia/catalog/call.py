"""What a tool is handed: who calls, when, and the only door to the data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from sophia.catalog.house import House, Roots
from sophia.core.caller import Caller
from sophia.core.clock import Clock
from sophia.core.page import Window
from sophia.core.secrets.masking import Masking


class Shape(Protocol):
    """What a table is like: its columns, those that hold the id of another row, and those that no two rows share."""

    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def references(self) -> tuple[tuple[str, str], ...]: ...
    @property
    def uniques(self) -> tuple[tuple[str, ...], ...]: ...


class Reader(Protocol):
    """Rows that the caller can see. Scope needs no mention: the tables are already the caller's."""

    @property
    def tables(self) -> Mapping[str, Shape]: ...
    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...
    def row(self, sql: str, **values: Any) -> dict[str, Any] | None: ...
    def value(self, sql: str, **values: Any) -> Any: ...


class Writer(Reader, Protocol):
    """Keyed rows, visible before and after; every change is journaled."""

    @property
    def user_id(self) -> str: ...

    def insert(self, table: str, **row: Any) -> None: ...
    def insert_all(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None: ...
    def update(self, table: str, key: str, **changes: Any) -> bool: ...
    def delete(self, table: str, key: str) -> None: ...
    def restore(self, table: str, rows: Mapping[str, Mapping[str, Any] | None]) -> None: ...
    def reverts(self, seqs: Iterable[int], *, whole: bool) -> None: ...
    def require(self, table: str, key: object) -> None: ...
    def index(self, sql: str, **values: Any) -> None: ...
    def index_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None: ...
    def settle(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ReadCall:
    """One call of a read tool."""

    db: Reader
    caller: Caller
    now: int
    window: Window
    house: House
    clock: Clock


@dataclass(frozen=True, slots=True)
class WriteCall:
    """One call of a tool that writes."""

    db: Writer
    caller: Caller
    now: int
    new_id: Callable[[str], str]
    roots: Roots
    secrets: Masking
    """What a text from elsewhere passes before it is kept; the call's own arguments have passed it."""
    clock: Clock
