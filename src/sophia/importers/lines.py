"""JSON by the line: files of any size, one line in memory at a time, and a bad one stops no other."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

MAX_LINE = 8_000_000
"""A longer line is passed over: it holds a picture, or a mistake."""
_DECODER = json.JSONDecoder()


def lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """The lines by number, from 1; `None` for one that is too long. The last needs no line feed."""
    number = 0
    while piece := file.readline(MAX_LINE + 1):
        number += 1
        if len(piece) <= MAX_LINE:
            yield number, piece
            continue
        while piece and not piece.endswith(b"\n"):
            piece = file.readline(MAX_LINE)
        yield number, None


def objects(line: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """The objects of a line, each with its place in it: one as a rule, several where a line feed was lost.

    `ValueError` where it is something else, after the objects before that.
    """
    at, end = 0, len(line)
    while True:
        while at < end and line[at].isspace():
            at += 1
        if at == end:
            return
        try:
            found, until = _DECODER.raw_decode(line, at)
        except RecursionError:
            raise ValueError("too deep") from None
        if not isinstance(found, dict):
            raise ValueError("no object")  # noqa: TRY004 (it is the line that is wrong, not a call)
        yield found, at, until
        at = until


def records(file: BinaryIO, bad: list[tuple[int, str]]) -> Iterator[dict[str, Any]]:
    """The objects of all lines; what is none is noted in `bad` by the number of its line, with the reason."""
    for number, line in lines(file):
        if line is None:
            bad.append((number, "too_large"))
            continue
        try:
            yield from (found for found, _, _ in objects(line.decode("utf-8", "replace").lstrip("\ufeff")))
        except ValueError:
            bad.append((number, "corrupt"))
