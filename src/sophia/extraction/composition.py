"""A text put together from the parts of a file, which knows where each of them stood."""

from sophia.core.errors import TooLarge
from sophia.core.source_text import stored
from sophia.extraction.extracted import Extracted, Piece, Refused
from sophia.extraction.limits import Limits

_BLANK = " \t\n\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\u3000\ufeff"
"""What is taken off both ends of a part: a byte order mark in front would be lost when the text is stored."""


class Composition:
    """Parts in order. Each is stored by itself: a line end never merges with what follows, so their sum is too."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts: list[str] = []
        self._pieces: list[Piece] = []
        self._length = 0

    def add(self, content: str, place: str, gap: str = "\n") -> None:
        """Put a part after the others, `gap` (line ends) before it. White space at its ends is left out.

        `Refused` where the text grows beyond its limit.
        """
        if len(content) > self._limits.characters:
            raise self._too_long()
        kept = stored(content).strip(_BLANK)
        if not kept:
            return
        if len(self._pieces) == self._limits.pieces:
            raise Refused("too_large", f"It has more than {self._limits.pieces} pages, rows or paragraphs.")
        start = self._length + len(gap) if self._parts else 0
        self._length = start + len(kept)
        if self._length > self._limits.characters:
            raise self._too_long()
        self._parts += [gap, kept] if self._parts else [kept]
        self._pieces.append(Piece(start, self._length, " ".join(stored(place).split())[:120]))

    def extracted(self, title: str, mime: str) -> Extracted:
        """The whole text under that title. `Refused` where there is none."""
        if not self._parts:
            raise Refused("no_text", "There is no text in it: it may hold pictures of text only.")
        return Extracted("".join(self._parts), title, mime, tuple(self._pieces))

    def _too_long(self) -> Refused:
        return Refused("too_large", f"Its text is longer than {self._limits.characters} characters.")


def stored_whole(text: str) -> str:
    """A text that is stored as it stands. `Refused` beyond the bound."""
    try:
        return stored(text)
    except TooLarge as error:
        raise Refused("too_large", error.message) from error
