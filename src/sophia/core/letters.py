"""Letters as words are compared by: without case, accents, and what nobody sees."""

import json
import re
import unicodedata

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_POINTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]"
)


def plain(text: str) -> str:
    """`text` with compatibility forms in their plain ones, and without invisible characters."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def folded(text: str) -> str:
    """`text` without case and without the accents and points of Latin, Greek, Cyrillic, Hebrew and Arabic."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", _POINTS.sub("", unicodedata.normalize("NFKD", text.casefold())))


def holds_words(*given: object) -> bool:
    """Whether in the text, the first that SQL gives, stands each of the folded words, a list in JSON."""
    text, words = given
    said = folded(plain(str(text)))
    return all(word in said for word in json.loads(str(words)))
