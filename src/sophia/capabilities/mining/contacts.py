"""People with their addresses: `Anna Meier <anna@example.com>` and `[Anna Meier](mailto:anna@example.com)`."""

import re
from collections.abc import Iterator

from sophia.capabilities.knowledge.values import Value, ValueType, parsed
from sophia.capabilities.mining.mined import Mined, Subject, quoted

_NAME = r"(?P<name>[^\W\d_][\w.'’-]*(?:[ ][^\W\d_][\w.'’-]*){1,3})"
_ADDRESS = r"(?P<mail>[^\s@<>\"(),:;\\\[\]]{1,64}@(?:[\w-]+\.)+[\w-]{2,63})"
_PATTERNS = (
    re.compile(rf"(?<![\w@]){_NAME}\"?[ ]?<{_ADDRESS}>"),
    re.compile(rf"\[{_NAME}\]\(mailto:{_ADDRESS}\)"),
)
_NO_NAME = frozenset(
    {
        "author", "authors", "by", "cc", "code", "contact", "copyright", "email", "from", "mail", "maintainer",
        "maintained", "original", "reply-to", "sender", "to", "written",
    }
)  # fmt: skip
"""Words that stand before a name and are none of it."""


def mined(text: str) -> Iterator[Mined]:
    """Who has which address."""
    if "@" not in text:
        return
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            address = parsed(ValueType.EMAIL, found["mail"].rstrip("."))
            name = _name(found["name"])
            if isinstance(address, Value) and name:
                place = quoted(text, found.start(), found.end())
                yield Mined("email", address.text, ValueType.EMAIL, *place, Subject(name, "person"))


def _name(written: str) -> str | None:
    """The name alone; `None` where less than two words of it are left."""
    words = written.split(" ")
    first = max((n for n, word in enumerate(words, 1) if word.casefold() in _NO_NAME), default=0)
    return " ".join(words[first:]) if len(words) - first > 1 else None
