"""One page of a list, by SQL: what every list does with the order, the times and the cursor that it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sophia.core.page import Key, Listed, Order, Page, Window

T = TypeVar("T")


class Rows(Protocol):
    """A reader."""

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...
    def value(self, sql: str, **values: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one page as the SQL has them, the sort key of each, and how many there are in all."""

    rows: list[dict[str, Any]]
    keys: list[Key]
    total: int
    more: bool
    capped: bool = False

    def page(self, items: Sequence[T]) -> Page[T]:
        """The page of these items, one for each row."""
        return Page(items, self.total, self.keys, self.more, {"total_is_capped": True} if self.capped else {})


def paged(
    db: Rows,
    window: Window,
    listed: Listed,
    select: str,
    *,
    by: Order | None = None,
    most: int | None = None,
    **values: Any,
) -> Part:
    """The part of the window of what a SELECT without an order finds, and how many rows there are within its times.

    The columns that `listed` names are among those that are selected. `by` takes the place of the window's order,
    `most` is how far rows are counted; the values are the parameters of the SELECT.
    """
    order = by or listed.orders[window.order]
    bounds = within(window, listed.time)
    values |= {"since": window.since, "until": window.until}
    counted = f"SELECT 1 FROM ({select}) WHERE {bounds}" + ("" if most is None else f" LIMIT {most + 1}")
    total: int = db.value(f"SELECT count(*) FROM ({counted})", **values)
    after = ""
    if window.after is not None:
        values |= {f"after{n}": key for n, key in enumerate(window.after)}
        marks = ", ".join(f":after{n}" for n in range(len(order.columns)))
        after = f" AND ({', '.join(order.columns)}) {'<' if order.down else '>'} ({marks})"
    way = " DESC" if order.down else ""
    rows = db.rows(
        f"SELECT * FROM ({select}) WHERE {bounds}{after}"
        f" ORDER BY {', '.join(column + way for column in order.columns)} LIMIT :limit",
        **values, limit=window.limit + 1,
    )  # fmt: skip
    kept = rows[: window.limit]
    keys: list[Key] = [tuple(row[column] for column in order.columns) for row in kept]
    capped = most is not None and total > most
    return Part(kept, keys, most if most is not None and capped else total, len(rows) > window.limit, capped)


def within(window: Window, time: str) -> str:
    """The condition that a column of times is within the window's, with `since` and `until` for its parameters."""
    bounds = [
        f"{time} {bound}"
        for given, bound in ((window.since, ">= :since"), (window.until, "< :until"))
        if given is not None
    ]
    return " AND ".join(bounds) or "1"
