"""A source that quotes are looked for in: prepared once for all of them, with bounds to what they cost together."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from sophia.capabilities.knowledge.folding import Folded, folded

MAX_TRIES = 300
"""How many places of the folded text are looked at for one quote."""
MAX_TRACED = 1_000_000
"""Characters that are walked through one by one, for all quotes, to lead folded places back to the text."""
MAX_COMPARED = 100_000_000
"""Characters that are scanned, for all quotes, to find passages like them."""


@dataclass
class Searched:
    """A text with the forms of it that searching needs, each made when it is first needed."""

    text: str
    traced: int = 0
    """Characters walked through so far, of `MAX_TRACED`."""
    compared: int = 0
    """Characters scanned so far, of `MAX_COMPARED`."""
    _counts: dict[str, int] = field(default_factory=dict)

    @cached_property
    def folded(self) -> Folded:
        """The text as `folding` has it."""
        return folded(self.text)

    @cached_property
    def folds_to_itself(self) -> bool:
        """Whether folding leaves the text as it is, so that what is not there literally is not there folded either."""
        return self.folded.text == self.text

    @cached_property
    def lowered(self) -> str:
        """The text in lower case, or as it is where that would move its offsets."""
        return lowered(self.text)

    @property
    def spent(self) -> bool:
        """Whether the quotes so far cost what all may cost together. A comparison that has begun goes to its end."""
        return self.compared >= MAX_COMPARED or self.traced >= MAX_TRACED

    def count(self, word: str) -> int:
        """How often the word stands in the lowered text."""
        if word not in self._counts:
            self.compared += len(self.lowered)
            self._counts[word] = self.lowered.count(word)
        return self._counts[word]

    def anchors(self, word: str) -> Iterator[int]:
        """Where the word stands in the lowered text, in order."""
        after, at = 0, self.lowered.find(word)
        while at >= 0:
            self.compared += at + len(word) - after
            yield at
            after = at + len(word)
            at = self.lowered.find(word, after)
        self.compared += len(self.lowered) - after

    def spans(self, wanted: str) -> Iterator[tuple[int, int]]:
        """The places in the text where the folded `wanted` stands in the folded text, as far as they are looked at."""
        form = self.folded
        for at in islice(places(form.text, wanted), MAX_TRIES):
            if self.traced >= MAX_TRACED:
                return
            end = at + len(wanted)
            self.traced += form.walk(at) + form.walk(end - 1)
            if span := form.span(at, end):
                yield span

    def position(self, offset: int) -> int | None:
        """Where in the folded text the written character at `offset` begins; `None` where none does."""
        if self.traced >= MAX_TRACED or not 0 <= offset < len(self.text):
            return None
        index = bisect_right(self.folded.blocks, offset, key=lambda block: block.start) - 1
        self.traced += len(self.folded.blocks[index].text)
        return self.folded.position(offset)


def searched(text: "str | Searched") -> Searched:
    """The text, prepared: what was prepared already as it is."""
    return text if isinstance(text, Searched) else Searched(text)


def lowered(text: str) -> str:
    """`text` in lower case, or as it is where that would move its offsets."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def places(text: str, part: str) -> Iterator[int]:
    """Every place where `part` stands in `text`, in order."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
