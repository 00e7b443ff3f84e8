"""A text with its Unicode form and white space folded away, and the way back to its own offsets."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

BLOCK = 1024
"""Characters that are folded at once; only the blocks where a match begins and ends are mapped one by one."""

_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPACES = re.compile(r"\s*")
_MEANINGFUL = ("<super>", "<sub>", "<fraction>", "<circle>")
"""Compatibility forms that are more than form: `10²` is not `102`, and `1½` is not `11/2`."""
_ENCLOSED = "\U0001f100-\U0001f2ff"
_SHIELD = 0xF0000
_HALFWIDTH_MARKS = "\uff9e\uff9f"


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the text, and where it and its folded form begin."""

    start: int
    text: str
    folded_start: int

    def letters(self) -> Iterator[tuple[int, int, int, int]]:
        """Each written character that is no white space, as `(folded start, folded end, start, end)`."""
        position, at, spaced = self.folded_start, 0, False
        while at < len(self.text):
            begin, at = at, at + 1
            if self.text[begin].isspace():
                position += not spaced
                spaced, at = True, _past_spaces(self.text, at)
                continue
            while at < len(self.text) and _is_mark(self.text[at]):
                at += 1
            length = len(_plain(self.text[begin:at]))
            if length:
                yield position, position + length, self.start + begin, self.start + at
                position += length
                spaced = False


@dataclass(frozen=True, slots=True)
class Folded:
    """The folded text, and the blocks that tell where each part of it stood."""

    text: str
    blocks: tuple[Block, ...]

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The offsets in the text itself of the folded characters from `start` to `end`.

        `None` where either would cut through a written character, such as the ligature ﬁ or a letter with its accent.
        """
        if end < len(self.text) and unicodedata.combining(self.text[end]):
            return None
        first = next((at for begin, _, at, _ in self._block_at(start).letters() if begin == start), None)
        last = next((at for _, stop, _, at in self._block_at(end - 1).letters() if stop == end), None)
        return None if first is None or last is None else (first, last)

    def position(self, offset: int) -> int | None:
        """Where the folded form of the written character at `offset` begins; `None` where none begins there."""
        index = bisect_right(self.blocks, offset, key=lambda block: block.start) - 1
        if offset < 0 or index < 0:
            return None
        return next((begin for begin, _, at, _ in self.blocks[index].letters() if at == offset), None)

    def walk(self, position: int) -> int:
        """How many characters are gone through to lead the folded position back to the text."""
        return len(self._block_at(position).text)

    def _block_at(self, position: int) -> Block:
        return self.blocks[bisect_right(self.blocks, position, key=lambda block: block.folded_start) - 1]


def fold(text: str) -> str:
    """`text` with compatibility forms, composition, invisible characters and runs of white space folded away."""
    return folded(text).text.strip(" ")


def folded(text: str) -> Folded:
    """`text` folded, in time that grows with its length."""
    blocks: list[Block] = []
    forms: list[str] = []
    at = folded_at = 0
    while at < len(text):
        end = _cut(text, at)
        block = Block(at, text[at:end], folded_at)
        form = _squeezed(_plain(block.text))
        blocks.append(block)
        forms.append(form)
        at = end
        folded_at += len(form)
    return Folded("".join(forms), tuple(blocks))


def _cut(text: str, start: int) -> int:
    """An end for the block at `start` that parts no run of white space, and no character from its marks."""
    end = start + BLOCK
    while end < len(text) and (text[end].isspace() or _INVISIBLE.match(text[end]) or _is_mark(text[end])):
        end = _past_spaces(text, end + 1)
    return min(end, len(text))


def _past_spaces(text: str, start: int) -> int:
    found = _SPACES.match(text, start)
    return found.end() if found else start


def _is_mark(character: str) -> bool:
    return not character.isascii() and (
        unicodedata.category(character).startswith("M") or character in _HALFWIDTH_MARKS
    )


def _plain(piece: str) -> str:
    """The compatibility decomposition without invisible characters; forms that mean something stay as they are."""
    if piece.isascii():
        return piece
    if not unicodedata.is_normalized("NFKC", piece):
        piece = _shielded().sub(lambda found: chr(_SHIELD + ord(found[0])), piece)
    return unicodedata.normalize("NFKD", _INVISIBLE.sub("", piece))


def _squeezed(piece: str) -> str:
    """`piece` with one space for each run of white space."""
    words = " ".join(piece.split())
    if not words:
        return " " if piece else ""
    return (" " if piece[0].isspace() else "") + words + (" " if piece[-1].isspace() else "")


@lru_cache(maxsize=1)
def _shielded() -> re.Pattern[str]:
    """What finds a character whose compatibility form says something else, or holds a space of its own."""
    kept = [
        character
        for character in map(chr, range(0xA0, 0xFFFF))
        if unicodedata.decomposition(character).startswith(_MEANINGFUL)
        or (not character.isspace() and " " in unicodedata.normalize("NFKD", character))
    ]
    return re.compile(f"[{''.join(kept)}{_ENCLOSED}]")
