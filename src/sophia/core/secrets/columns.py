"""Secrets in tables: the cells below a heading that names them."""

import re
from collections.abc import Iterator
from itertools import chain

from sophia.core.secrets import likeness
from sophia.core.secrets.assigned import named
from sophia.core.secrets.likeness import Given
from sophia.core.secrets.names import Sought
from sophia.core.secrets.span import Span

_SEPARATORS = "|\t;,"
MAX_HEADING, MAX_COLUMNS = 1000, 60
_RULE = re.compile(r"[\s|:+-]+")


def columned(said: Sought) -> Iterator[Span]:
    """The secrets in the columns of tables in Markdown or with separators, in order."""
    text, done = said.text, -1
    for start, end in sorted(_lines(said)):
        if start > done:
            done = start
            line = text[start:end]
            separator = next((each for each in _SEPARATORS if each in line), None)
            width = line.count(separator) if separator else 0
            below = _below(text, end, separator, width) if separator and width < MAX_COLUMNS else iter(())
            first = next(below, None)
            kinds = _headed(line, separator) if separator and first else {}
            if not kinds or separator is None or first is None:
                continue
            for at, row in chain([first], below):
                done = at
                if _RULE.fullmatch(row) is None:
                    yield from _cells(row, at, separator, kinds)


def _lines(said: Sought) -> set[tuple[int, int]]:
    """Where the lines stand that may head a table with secrets."""
    text, lowered = said.text, said.lowered
    found: set[tuple[int, int]] = set()
    for stem in {form.stem for form in said.forms}:
        at = lowered.find(stem)
        while at >= 0:
            start = text.rfind("\n", max(0, at - MAX_HEADING), at) + 1
            end = text.find("\n", at, at + MAX_HEADING)
            if end >= 0 and (start or at < MAX_HEADING):
                found.add((start, end))
            at = lowered.find(stem, max(at + len(stem), end))
    return found


def _below(text: str, end: int, separator: str, width: int) -> Iterator[tuple[int, str]]:
    """The lines below, as long as they have as many columns, with where each begins."""
    at = end + 1
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text.count(separator, at, end) != width:
            return
        yield at, text[at:end]
        at = end + 1


def _headed(line: str, separator: str) -> dict[int, str]:
    """By column, the kind of secret that its heading names; a sentence with commas is no heading."""
    cells = [cell.strip().strip("\"'*`").strip() for cell in line.split(separator)]
    if any(len(cell.split()) > 3 or cell.endswith(".") for cell in cells):
        return {}
    return {n: kind for n, cell in enumerate(cells) if len(cell) <= 40 and (kind := named(cell))}


def _cells(line: str, start: int, separator: str, kinds: dict[int, str]) -> Iterator[Span]:
    at = start
    for n, cell in enumerate(line.split(separator)):
        if n in kinds:
            bare = cell.strip().strip("\"'*`").strip()
            if bare and likeness.is_secret(bare, kinds[n], Given.BARE):
                begin = at + cell.index(bare)
                yield Span(begin, begin + len(bare), kinds[n])
        at += len(cell) + len(separator)
