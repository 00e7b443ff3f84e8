"""Markdown tables whose rows are about something: the first column names it, the others say what of it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject, predicate_of
from sophia.capabilities.mining.prose import Prose, lines
from sophia.capabilities.mining.typed import said

MAX_ROWS = 40
MAX_COLUMNS = 10
MAX_NAME = 80
MAX_CELL = 200
_RULE = re.compile(r":?-{2,}:?")
PLAIN = frozenset({"licence", "version", "email", "phone", "website", "address", "country", "job_title", "price"})
"""Predicates whose label leaves no doubt of what is meant."""
PEOPLE = frozenset(
    {"name", "person", "contact", "owner", "author", "maintainer", "lead", "manager", "assignee", "responsible"}
)
"""Columns that name somebody: an address beside them is theirs, and not of what the row is about."""
_MARKS = re.compile(r"[*_`]{1,3}")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a table: where it stands, and its cells."""

    start: int
    written: str
    cells: tuple[str, ...]


def mined(prose: Prose) -> Iterator[Mined]:
    """What the rows say.

    A table without a column of days, amounts, addresses or links, and without one whose label says plainly what stands
    below it, is prose, and is left alone.
    """
    text, header, done = prose.blocks, -1, -1
    for at, line in lines(text):
        if at > done and header >= 0 and _rules(line):
            above, rows = _line(text, header), list(_rows(text, at + len(line) + 1))
            if above is not None and rows:
                done = rows[-1].start
                yield from _table(above.cells, rows)
        header = at


def _rules(line: str) -> bool:
    """Whether the line parts the heading of a table from its rows."""
    bare = line.strip(" \t")
    if "|" not in bare or bare[0] not in "|:-":
        return False
    return all(_RULE.fullmatch(cell.strip(" \t")) for cell in bare.removeprefix("|").removesuffix("|").split("|"))


def _table(header: tuple[str, ...], rows: list[_Line]) -> Iterator[Mined]:
    names = [row.cells[0] for row in rows]
    if len(header) > MAX_COLUMNS or len(set(names)) < len(names) or not all(map(_names_something, names)):
        return
    predicates = [predicate_of(label) for label in header[1:]]
    kind = predicate_of(header[0]) or "thing"
    values = [[said(cell) if len(cell) <= MAX_CELL else None for cell in row.cells[1:]] for row in rows]
    of_others = any(label in PEOPLE for label in predicates)
    if not any(one in PLAIN or _typed(values, at) for at, one in enumerate(predicates)):
        return
    for row, told in zip(rows, values, strict=True):
        if len(row.written) > MAX_QUOTE:
            continue
        subject = Subject(row.cells[0], "thing" if kind == "name" else kind)
        for predicate, cell, value in zip(predicates, row.cells[1:], told, strict=False):
            if predicate and cell and len(cell) <= MAX_CELL:
                found, found_type = value or (cell, ValueType.TEXT)
                if of_others and found_type is ValueType.EMAIL:
                    continue
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
