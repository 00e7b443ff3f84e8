"""Markdown tables whose rows are about something: the first column names it, the others say what of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject, predicate_of
from sophia.capabilities.mining.typed import said

MAX_ROWS = 40
MAX_COLUMNS = 10
MAX_NAME = 80
MAX_CELL = 200
_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)+\|?[ \t]*$", re.MULTILINE)
PLAIN = frozenset({"licence", "version", "email", "phone", "website", "address", "country", "job_title", "price"})
"""Predicates whose label leaves no doubt of what is meant."""
_MARKS = re.compile(r"[*_`]{1,3}")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a table: where it stands, and its cells."""

    start: int
    written: str
    cells: tuple[str, ...]


def mined(text: str) -> Iterator[Mined]:
    """What the rows say.

    A table without a column of days, amounts, addresses or links, and without one whose label says plainly what stands
    below it, is prose, and is left alone.
    """
    for rule in _RULE.finditer(text):
        header = _line(text, text.rfind("\n", 0, max(0, rule.start() - 1)) + 1)
        rows = list(_rows(text, rule.end() + 1))
        if header is not None and rows:
            yield from _table(header.cells, rows)


def _table(header: tuple[str, ...], rows: list[_Line]) -> Iterator[Mined]:
    names = [row.cells[0] for row in rows]
    if len(header) > MAX_COLUMNS or len(set(names)) < len(names) or not all(map(_names_something, names)):
        return
    predicates = [predicate_of(label) for label in header[1:]]
    kind = predicate_of(header[0]) or "thing"
    values = [[said(cell) for cell in row.cells[1:]] for row in rows]
    if not any(one in PLAIN or _typed(values, at) for at, one in enumerate(predicates)):
        return
    for row, told in zip(rows, values, strict=True):
        if len(row.written) > MAX_QUOTE:
            continue
        subject = Subject(row.cells[0], "thing" if kind == "name" else kind)
        for predicate, cell, value in zip(predicates, row.cells[1:], told, strict=False):
            if predicate and cell and len(cell) <= MAX_CELL:
                found, found_type = value or (cell, ValueType.TEXT)
                yield Mined(predicate, found, found_type, row.written, row.start, subject)


def _typed(values: list[list[tuple[str, ValueType] | None]], at: int) -> bool:
    """Whether every row has a value of a type in this column."""
    return all(len(row) > at and row[at] for row in values)


def _names_something(cell: str) -> bool:
    return bool(cell) and len(cell) <= MAX_NAME and any(c.isalpha() for c in cell) and said(cell) is None


def _rows(text: str, at: int) -> Iterator[_Line]:
    for _ in range(MAX_ROWS):
        line = _line(text, at)
        if line is None:
            return
        yield line
        at = text.find("\n", at) + 1
        if at == 0:
            return


def _line(text: str, start: int) -> _Line | None:
    """The row of a table that begins here; `None` where there is none."""
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    written = text[start:end].strip()
    if "|" not in written:
        return None
    first = start + text[start:end].index(written)
    inner = written.removeprefix("|").removesuffix("|")
    return _Line(first, written, tuple(_MARKS.sub("", cell).strip() for cell in inner.split("|")))
