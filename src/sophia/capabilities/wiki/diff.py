"""What differs between two texts, line by line, in the unified form."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import msgspec

CONTEXT = 3
"""Lines that are shown around what differs."""
MOST_COMPARED = 4_000_000
"""Pairs of lines that are compared at most: beyond, what differs is one block that goes and one that comes."""
Opcode = tuple[str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Difference:
    """The hunks, as far as they fit, and how many lines came and went in all."""

    text: str
    added: int
    removed: int
    truncated: bool


class _Known(SequenceMatcher[str]):
    """A comparison that was made already, for its grouping alone."""

    def __init__(self, codes: list[Opcode]) -> None:
        super().__init__()
        self._codes = codes

    def get_opcodes(self) -> list[Opcode]:  # type: ignore[override]  # tuples with names in the original
        """How the first becomes the second."""
        return list(self._codes)


def unified(old: str, new: str, room: int) -> Difference:
    """What differs, in at most `room` bytes as JSON; lines are left out from the end."""
    first, second = old.split("\n"), new.split("\n")
    codes = _compared(first, second)
    changes = [code for code in codes if code[0] != "equal"]
    kept: list[str] = []
    spent, truncated = 2, False
    for line in _lines(codes, first, second) if changes else ():
        spent += len(msgspec.json.encode(line))  # its quotation marks stand for the line break
        if spent > room:
            truncated = True
            break
        kept.append(line)
    added, removed = sum(m - k for *_, k, m in changes), sum(j - i for _, i, j, _, _ in changes)
    return Difference("\n".join(kept), added, removed, truncated)


def _compared(first: list[str], second: list[str]) -> list[Opcode]:
    """How the first becomes the second; what they begin and end with alike is not searched through."""
    head, tail = _alike(first, second)
    ends, to_ends = len(first) - tail, len(second) - tail
    left, right = first[head:ends], second[head:to_ends]
    if len(left) * len(right) > MOST_COMPARED:
        middle: list[Opcode] = [("replace", head, ends, head, to_ends)]
    else:
        found = SequenceMatcher(None, left, right).get_opcodes()
        middle = [(tag, i + head, j + head, k + head, m + head) for tag, i, j, k, m in found]
    before: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
    after: list[Opcode] = [("equal", ends, len(first), to_ends, len(second))] if tail else []
    return before + middle + after


def _lines(codes: list[Opcode], first: Sequence[str], second: Sequence[str]) -> Iterator[str]:
    for group in _Known(codes).get_grouped_opcodes(CONTEXT):
        (_, i, _, k, _), (_, _, j, _, m) = group[0], group[-1]
        yield f"@@ -{_span(i, j)} +{_span(k, m)} @@"
        for tag, start, end, to_start, to_end in group:
            if tag == "equal":
                yield from (f" {line}" for line in first[start:end])
                continue
            yield from (f"-{line}" for line in first[start:end])
            yield from (f"+{line}" for line in second[to_start:to_end])


def _span(start: int, end: int) -> str:
    """Lines as a hunk's head has them: the first, counted from 1, and how many."""
    many = end - start
    return str(start + 1) if many == 1 else f"{start + 1 if many else start},{many}"


def _alike(first: Sequence[str], second: Sequence[str]) -> tuple[int, int]:
    """How many lines the two begin with alike, and how many they end with."""
    shorter = min(len(first), len(second))
    head = next((n for n in range(shorter) if first[n] != second[n]), shorter)
    tail = next((n for n in range(shorter - head) if first[-1 - n] != second[-1 - n]), shorter - head)
    return head, tail
