"""Front matter: the `key: value` lines between the dashes that a text begins with.

The lines are read one by one, and what is nested is passed over: each value has to be quoted where it stands.
"""

import re
from collections.abc import Iterator

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import Mined, predicate_of
from sophia.capabilities.mining.prose import Prose, lines
from sophia.capabilities.mining.typed import said

_BLOCK = re.compile(r"---[ \t]*\n(?P<body>(?:.*\n){0,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_KEY = re.compile(r"(?P<key>[^\W\d_][\w -]{0,39}):[ \t]")
_TITLES = frozenset({"title", "id", "uid", "slug", "layout", "permalink", "aliases", "cssclasses", "publish"})
"""Keys that say how the text is called or shown, which the document says already."""
MAX_VALUE = 200


def ends(text: str) -> int:
    """Where the front matter of a text ends; 0 where it has none."""
    block = _BLOCK.match(text)
    return block.end() if block else 0


def mined(prose: Prose) -> Iterator[Mined]:
    """What the front matter says of the document."""
    block = _BLOCK.match(prose.text)
    if block is None:
        return
    for at, line in lines(block["body"]):
        pair = _KEY.match(line)
        key = pair["key"].rstrip() if pair else ""
        name = predicate_of(key) if pair else None
        if pair is None or name is None or key.casefold() in _TITLES:
            continue
        written = line[pair.end() :].strip(" \t")
        listed = written.startswith("[") and written.endswith("]")
        for value in _values(written[1:-1].split(",") if listed else [written]):
            found, kind = said(value) or (value, ValueType.TEXT)
            yield Mined(name, found, kind, line.rstrip(), block.start("body") + at, alone=not listed)


def _values(parts: list[str]) -> Iterator[str]:
    """The values, without quotation marks; none that is nested, long or nothing."""
    for part in parts:
        value = part.strip().strip("\"'").strip()
        if value and len(value) <= MAX_VALUE and value[0] not in "{[|>&*!" and value.casefold() not in _NOTHING:
            yield value


_NOTHING = frozenset({"null", "~", "true", "false", "none", "-", "tbd", "todo"})
