"""Notes in Markdown: their properties, and what of their text is no code, each at its place."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sophia.core.errors import SophiaError
from sophia.core.source_text import stored
from sophia.extraction.encodings import decoded
from sophia.extraction.extracted import Refused
from sophia.importers.brought import LeftOut, Place

MAX_BYTES = 3_500_000
_BLOCK = re.compile(r"---[ \t]*\n(?P<body>(?:.*\n){0,300}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_PAIR = re.compile(r"(?P<key>[^\s:#-][^:\n]{0,60}?)[ \t]*:(?:[ \t]+(?P<value>.*?))?[ \t]*$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<value>.*?)[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:[^`]|(?!\1(?!`))`){0,1000}?\1(?!`)")
_VISIBLE = re.compile(r"[^\n]")
_QUOTED = re.compile(r"""(["'])(.*)\1""")


@dataclass(frozen=True, slots=True)
class Note:
    """One note of a folder, by its path in it."""

    path: str
    text: str
    properties: dict[str, list[str]] = field(default_factory=dict)
    """Each with its values; one that is nested in others is left out."""

    @property
    def name(self) -> str:
        """Its file's name without the ending."""
        return PurePosixPath(self.path).stem

    def first(self, key: str) -> str | None:
        """The first value of a property."""
        return next(iter(self.properties.get(key, ())), None)


def opened(place: Place, path: str) -> Note | LeftOut:
    """The note at this path."""
    try:
        with place.shelf.stream(path) as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            return LeftOut(place.at(path), "too_large")
        text = stored(decoded(data))
    except Refused as refused:
        return LeftOut(place.at(path), refused.unextracted.reason)
    except (SophiaError, OSError) as error:
        return LeftOut(place.at(path), getattr(error, "code", "unavailable"))
    return Note(path, text, properties(text))


def properties(text: str) -> dict[str, list[str]]:
    """What stands between the dashes that a text begins with: `key: value`, inline lists, and lists by the line."""
    block = _BLOCK.match(text)
    found: dict[str, list[str]] = {}
    key: str | None = None
    for line in block["body"].split("\n") if block else ():
        item, pair = _ITEM.fullmatch(line), _PAIR.fullmatch(line)
        if item and key is not None:
            found[key] += _values(item["value"])
        elif pair and not line[:1].isspace():
            key = pair["key"].strip().strip("\"'").casefold()
            found[key] = _values(pair["value"] or "")
        elif line.strip():
            key = None
    return found


def _values(written: str) -> list[str]:
    if written.startswith("[[") and written.endswith("]]"):
        parts = [written]
    elif written.startswith("[") and written.endswith("]"):
        parts = written[1:-1].split(",")
    else:
        parts = [written]
    plain = (_QUOTED.sub(r"\2", part.strip()) for part in parts)
    return [one for one in plain if one and one not in ("null", "~", "|", ">")]


def prose(text: str) -> str:
    """The text with spaces in place of its properties and its code, so that all else stands where it stood."""
    block = _BLOCK.match(text)
    head = block.end() if block else 0
    shown = _blank(text[:head]) + text[head:]
    for pattern in (_FENCE, _SPAN):
        shown = pattern.sub(lambda found: _blank(found[0]), shown)
    return shown


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)
