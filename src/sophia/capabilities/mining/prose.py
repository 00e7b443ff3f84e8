"""A text as the miners read it: what is code or a comment says nothing of the document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LINE = 400
"""A longer line is no label with its value, nor a row of a table that could be quoted."""
_MAX_SPAN = 1000
_FENCE = re.compile(r"[ \t>]{0,40}(?:[-*+] )?[ ]{0,3}(?P<marks>`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_FILLED = re.compile(r"[^\n]")
_CODE = "\0"
"""What stands in place of code, which no text holds."""


@dataclass(frozen=True, slots=True)
class Prose:
    """One text, three times, each as long and with the same line ends."""

    text: str
    blocks: str
    """Without front matter, fenced code and comments."""
    bare: str
    """Without code in its lines, too."""


def prose(text: str, begins: int) -> Prose:
    """The text, whose front matter ends at `begins`."""
    blocks = _without(text, [(0, begins), *_blocks(text, begins)])
    return Prose(text, blocks, _without(blocks, _spans(blocks)))


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text that are not too long, each with where it begins."""
    at = 0
    for line in text.split("\n"):
        if len(line) <= MAX_LINE:
            yield at, line
        at += len(line) + 1


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], _FILLED.sub(_CODE, text[start:end])]
        at = end
    return "".join([*parts, text[at:]])


def _blocks(text: str, begins: int) -> Iterator[tuple[int, int]]:
    """Where fenced code and comments stand, in order; what is not closed goes on to the end."""
    at = begins
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        fence = _FENCE.match(text, at, end)
        comment = text.find("<!--", at, end)
        if fence and not (fence["marks"][0] == "`" and "`" in text[fence.end() : end]):
            start, at = at, _closed(text, end + 1, fence["marks"])
            yield start, at
        elif comment >= 0:
            closed = text.find("-->", comment + 4)
            at = len(text) if closed < 0 else closed + 3
            yield comment, at
        else:
            at = end + 1


def _closed(text: str, at: int, marks: str) -> int:
    """Where the fenced code that begins at `at` ends."""
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        fence = _FENCE.match(text, at, end)
        if fence and fence["marks"].startswith(marks) and not text[fence.end() : end].strip():
            return end
        at = end + 1
    return len(text)


def _spans(text: str) -> list[tuple[int, int]]:
    """Where code stands between as many backticks as open it, in one paragraph."""
    runs = [found.span() for found in _TICKS.finditer(text)]
    following: dict[int, int] = {}
    closing = [-1] * len(runs)
    for n in range(len(runs) - 1, -1, -1):
        length = runs[n][1] - runs[n][0]
        closing[n] = following.get(length, -1)
        following[length] = n
    found: list[tuple[int, int]] = []
    n = 0
    while n < len(runs):
        close = closing[n]
        start, end = runs[n][0], runs[close][1]
        if close >= 0 and end - start <= _MAX_SPAN and "\n\n" not in text[start:end]:
            found.append((start, end))
            n = close
        n += 1
    return found
