"""Front matter: the `key: value` lines between the dashes that a text begins with.

The lines are read one by one, and what is nested is passed over: each value has to be quoted where it stands.
"""

import re
from collections.abc import Iterator

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import Mined, predicate_of
from sophia.capabilities.mining.typed import typed

MAX_LINES = 200
_BLOCK = re.compile(r"---[ \t]*\n(?P<body>(?:.*\n){0,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_PAIR = re.compile(r"(?P<key>[^\W\d_][\w -]{0,39}?)[ \t]*:[ \t]+(?P<value>\S.*?)[ \t]*$", re.MULTILINE)
_TITLES = frozenset({"title", "id", "uid", "slug", "layout", "permalink", "aliases", "cssclasses", "publish"})
"""Keys that say how the text is called or shown, which the document says already."""
MAX_VALUE = 200


def mined(text: str) -> Iterator[Mined]:
    """What the front matter says of the document."""
    block = _BLOCK.match(text)
    if block is None:
        return
    for pair in _PAIR.finditer(text, block.start("body"), block.end("body")):
        if text[pair.start() - 1] != "\n":
            continue
        name = predicate_of(pair["key"])
        if name is None or pair["key"].casefold() in _TITLES:
            continue
        for value in _values(pair["value"]):
            kind = typed(value)
            yield Mined(name, value, kind or ValueType.TEXT, pair[0], pair.start())


def _values(written: str) -> Iterator[str]:
    """The value of a line, or each of its inline list, without quotation marks."""
    parts = written[1:-1].split(",") if written.startswith("[") and written.endswith("]") else [written]
    for part in parts:
        value = part.strip().strip("\"'").strip()
        if value and len(value) <= MAX_VALUE and value[0] not in "{[|>&*!" and value.casefold() not in _NOTHING:
            yield value


_NOTHING = frozenset({"null", "~", "true", "false", "none", "-", "tbd", "todo"})
