"""A text as a reader takes it: without what nobody sees, in plain letters, and with the way back to its own offsets."""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass

from sophia.core.secrets.span import Span

_UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_OTHER_FORMS = (
    "\u00a0\u2000-\u200a\u2010-\u2015\u202f\u205f\u2070-\u209c\u2100-\u2149\u2460-\u24ff\u3000\ufb00-\ufb06\ufe30-\ufe6b"
    "\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f100-\U0001f189"
)
"""Where letters, digits and marks stand in another form: full-width, in circles, mathematical."""
_VEILED = re.compile(f"[{_UNSEEN}]+|[{_OTHER_FORMS}]")


@dataclass(frozen=True, slots=True)
class Unveiled:
    """The plain text, and at which of its offsets the given one begins to lie elsewhere."""

    text: str
    _plain: tuple[int, ...] = ()
    _given: tuple[int, ...] = ()

    def span(self, span: Span) -> Span:
        """Where the span of the plain text stands in the given one, with what is unseen in it."""
        return Span(self._back(span.start), self._back(span.end - 1) + 1, span.kind) if self._plain else span

    def _back(self, at: int) -> int:
        index = bisect_right(self._plain, at) - 1
        return at if index < 0 else self._given[index] + at - self._plain[index]


def unveiled(text: str) -> Unveiled:
    """The text in plain letters; itself where it is in them."""
    if text.isascii() or _VEILED.search(text) is None:
        return Unveiled(text)
    parts: list[str] = []
    plain: list[int] = []
    given: list[int] = []
    at = length = 0
    for found in _VEILED.finditer(text):
        letters = _letters(found[0])
        parts += [text[at : found.start()], letters]
        length += found.start() - at
        at = found.end()
        # Each letter of a sign such as a ligature stands where the sign does.
        plain += [length + n for n in range(len(letters) + 1)]
        given += [found.start()] * len(letters) + [at]
        length += len(letters)
    parts.append(text[at:])
    return Unveiled("".join(parts), tuple(plain), tuple(given))


def _letters(veiled: str) -> str:
    if re.match(f"[{_UNSEEN}]", veiled):
        return ""
    letters = unicodedata.normalize("NFKC", veiled)
    if "\u2010" <= veiled <= "\u2015":
        return "-"
    return letters if letters.isascii() else veiled
