"""The reference memory server's file: JSON lines of entities with observations, and of the relations between them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject, predicate_of
from sophia.core.source_text import stored
from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.lines import lines, objects
from sophia.importers.transcript import string

KIND = "memory-server"
PART = 400_000
MAX_NAME = 200
MAX_KIND = 60
MAX_OBJECT = 2000
UNKNOWN = "thing"


def holds(record: dict[str, Any]) -> bool:
    """Whether an object is one of such a file."""
    entity = record.get("type") == "entity" and "entityType" in record and "name" in record
    return entity or (record.get("type") == "relation" and "relationType" in record and "from" in record)


def read(place: Place) -> Iterator[Item]:
    """The file as it is, in parts where it is long, each with what it says."""
    for path in place.paths:
        part, number, kinds = Part(), 0, dict[str, str]()
        with place.shelf.stream(path) as file:
            for at, raw in lines(file):
                if raw is None:
                    yield LeftOut(f"{place.at(path)}:{at}", "too_large")
                    continue
                line = stored(raw.decode("utf-8", "replace")).rstrip("\n")
                if part.size and part.size + len(line) > PART:
                    number += 1
                    yield part.brought(place.at(path), number)
                    part = Part()
                start = part.size
                part.add(line)
                try:
                    for record, first, until in objects(line):
                        part.take(record, line[first:until], start + first, kinds)
                        yield from (LeftOut(f"{place.at(path)}:{at}", reason) for reason in part.refused())
                except ValueError:
                    yield LeftOut(f"{place.at(path)}:{at}", "corrupt")
        if part.size:
            yield part.brought(place.at(path), number + 1)


@dataclass
class Part:
    """A part of the file, and what its lines say."""

    size: int = 0
    _lines: list[str] = field(default_factory=list)
    _things: dict[Subject, None] = field(default_factory=dict)
    _said: list[Mined] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Keep a line as it is."""
        self._lines.append(line)
        self.size += len(line) + 1

    def take(self, record: dict[str, Any], raw: str, start: int, kinds: dict[str, str]) -> None:
        """Take in what one object says, which stands as `raw` at `start`."""
        if record.get("type") == "entity":
            name, kind = string(record.get("name")), string(record.get("entityType")) or UNKNOWN
            thing = self._thing(name, kinds.setdefault(name or "", kind[:MAX_KIND]))
            observed = record.get("observations")
            for one in observed if thing and isinstance(observed, list) else ():
                self._observe(thing, one, raw, start)
        elif record.get("type") == "relation":
            self._relate(record, raw, start, kinds)
        else:
            self._refused.append("unsupported_type")

    def refused(self) -> list[str]:
        """Why parts of the last object were left out."""
        found, self._refused = self._refused, []
        return found

    def brought(self, location: str, number: int) -> Brought:
        """The part as a document."""
        place = location if number == 1 else f"{location}#{number}"
        title = location.rpartition("/")[2] + ("" if number == 1 else f" ({number})")
        return Brought(
            place, title, "\n".join(self._lines) + "\n", mime="text/plain", things=tuple(self._things),
            statements=tuple(self._said), read_whole=True,
        )  # fmt: skip

    def _thing(self, name: str | None, kind: str) -> Subject | None:
        if name is None or len(name) > MAX_NAME:
            self._refused.append("bad_arguments")
            return None
        thing = Subject(name, kind)
        self._things[thing] = None
        return thing

    def _observe(self, thing: Subject | None, observation: object, raw: str, start: int) -> None:
        said = string(observation)
        written = None if said is None else _written(said, raw)
        if said is None or written is None or len(said) > MAX_OBJECT:
            self._refused.append("too_large" if said and len(said) > MAX_OBJECT else "corrupt")
            return
        quote = written[:MAX_QUOTE]
        self._said.append(Mined("note", said, ValueType.TEXT, quote, start + raw.index(written), thing))

    def _relate(self, record: dict[str, Any], raw: str, start: int, kinds: dict[str, str]) -> None:
        ends = [string(record.get(end)) for end in ("from", "to")]
        predicate = predicate_of(str(record.get("relationType")))
        one, other = (self._thing(end, kinds.get(end or "", UNKNOWN)) for end in ends)
        if one is None or other is None or predicate is None:
            self._refused.append("bad_arguments")
        elif len(raw) <= MAX_QUOTE:
            self._said.append(Mined(predicate, other.name, ValueType.ENTITY, raw, start, one))
        else:
            self._refused.append("too_large")


def _written(said: str, raw: str) -> str | None:
    """A text as it is written in the object; `None` where it is in none of the ways of writing it."""
    if said in raw:
        return said
    for ascii_only in (False, True):
        written = _ENCODERS[ascii_only](said)[1:-1]
        if written in raw:
            return written
    return None


_ENCODERS = (encode_basestring, encode_basestring_ascii)
