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
_NOBODY = frozenset({"no reply", "noreply", "mailer daemon"})


def mined(text: str) -> Iterator[Mined]:
    """Who has which address."""
    if "@" not in text:
        return
    for pattern in _PATTERNS:
        for found in pattern.finditer(text):
            address = parsed(ValueType.EMAIL, found["mail"].rstrip("."))
            if isinstance(address, Value) and found["name"].casefold() not in _NOBODY:
                place = quoted(text, found.start(), found.end())
                yield Mined("email", address.text, ValueType.EMAIL, *place, Subject(found["name"], "person"))
