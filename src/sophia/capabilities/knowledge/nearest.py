"""The passage of a text that comes closest to a quote: a hint for a person or an agent, never a match."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

from sophia.capabilities.knowledge.searched import Searched, lowered

MAX_WORDS = 12
"""How many words of the quote are counted in the text."""
MAX_ANCHORS = 24
"""How many places are compared."""

_WORD = re.compile(r"\w+")


def closest(source: Searched, quote: str) -> tuple[int, int] | None:
    """The offsets of the passage, about as long as the quote, that shares most words with it; `None` for none.

    It is anchored at the rarest of them, at the cost of a bounded number of scans of the text, which are counted.
    """
    words = [(found[0], found.start()) for found in _WORD.finditer(lowered(quote))]
    candidates = sorted(dict(reversed(words)).items(), key=lambda item: -len(item[0]))[:MAX_WORDS]
    counted = sorted((source.count(word), -len(word), word, at) for word, at in candidates)
    bag = Counter(word for word, _ in words)
    best: tuple[int, int, int] | None = None
    for at, offset in islice(_anchors(source, counted), MAX_ANCHORS):
        start = max(0, at - offset)
        end = min(len(source.text), start + len(quote) + 8)
        shared = sum((bag & Counter(_WORD.findall(source.lowered[start:end]))).values())
        if shared and (best is None or shared > best[0]):
            best = (shared, start, end)
    return None if best is None else _whole_words(source.text, best[1], best[2])


def _anchors(source: Searched, counted: list[tuple[int, int, str, int]]) -> Iterator[tuple[int, int]]:
    """Where the words stand, the rarest first, each with its offset in the quote."""
    for count, _, word, offset in counted:
        if count:
            for at in source.anchors(word):
                yield at, offset


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """The passage without the halves of words at its ends, and without blanks."""
    while 0 < start < end and text[start - 1].isalnum() and text[start].isalnum():
        start += 1
    while start < end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
