"""What the indexes need of a unit of work: rows, and the statements that change an index."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class Rows(Protocol):
    """Rows that the caller can see."""

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...


class Index(Rows, Protocol):
    """A transaction in which an index is brought up to date with what it indexes."""

    def index(self, sql: str, **values: Any) -> None: ...
    def index_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None: ...
