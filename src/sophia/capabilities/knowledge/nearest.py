"""The passage of a text that comes closest to a quote: a hint for a person or an agent, never a match."""

import re
from collections import Counter

MAX_WORDS = 12
"""How many words of the quote are counted in the text."""
MAX_ANCHORS = 24
"""How many places are compared."""

_WORD = re.compile(r"\w+")


def closest(text: str, quote: str) -> tuple[int, int] | None:
    """The offsets of the passage, about as long as the quote, that shares most words with it; `None` for none.

    It is anchored at the rarest of them, at the cost of a bounded number of scans of the text.
    """
    lowered, wanted = _lowered(text), _lowered(quote)
    words = [(found[0], found.start()) for found in _WORD.finditer(wanted)]
    if not words:
        return None
    candidates = sorted(dict(reversed(words)).items(), key=lambda item: -len(item[0]))[:MAX_WORDS]
    counted = sorted((lowered.count(word), -len(word), word, at) for word, at in candidates)
    bag = Counter(word for word, _ in words)
    best: tuple[float, int, int] | None = None
    left = MAX_ANCHORS
    for count, _, word, offset in counted:
        if not count or not left:
            continue
        at = lowered.find(word)
        while at >= 0 and left:
            left -= 1
            start = max(0, at - offset)
            end = min(len(text), start + len(quote) + 8)
            shared = sum((bag & Counter(_WORD.findall(lowered[start:end]))).values())
            if shared and (best is None or shared > best[0]):
                best = (shared, start, end)
            at = lowered.find(word, at + len(word))
    return None if best is None else _whole_words(text, best[1], best[2])


def _lowered(text: str) -> str:
    """`text` in lower case, or as it is where that would move its offsets."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


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
