"""basic-memory: notes whose lists hold observations, `- [category] text #tag (context)`, and relations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject, predicate_of
from sophia.importers import notes
from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.notes import Note, prose
from sophia.importers.obsidian import MAX_NAME, aliases, links, tags

KIND = "basic-memory"
NOTE = "note"
MAX_OBJECT = 2000
_OBSERVED = re.compile(r"^[ \t]*[-*][ \t]+\[(?P<category>[^\[\]\n]{1,40})\][ \t]+(?P<said>\S.*?)[ \t]*$", re.MULTILINE)
_RELATED = re.compile(
    r"^[ \t]*[-*][ \t]+(?P<what>[^\[\]\n]{0,60}?)[ \t]*\[\[(?P<target>[^\[\]|#\n]+)[^\]\n]*\]\].*?$", re.MULTILINE
)
_CONTEXT = re.compile(r"[ \t]*\([^()\n]*\)[ \t]*$")
_TAGS = re.compile(r"(?:[ \t]+#[\w/-]+)+[ \t]*$")
_TASKS = frozenset({"x", "X", "-", "/", ">"})


def is_one(note: Note) -> bool:
    """Whether a note is written by it: it has a permalink."""
    return bool(note.first("permalink"))


def read(place: Place) -> Iterator[Item]:
    """Each note as a document and an entity, with what it observes of it and what it relates it to."""
    known = Known()
    for path in place.paths:
        note = notes.opened(place, path)
        if isinstance(note, Note):
            known.add(note)
    for path in place.paths:
        found = notes.opened(place, path)
        yield found if isinstance(found, LeftOut) else _brought(place, found, known)


@dataclass
class Known:
    """The notes by all that links call them."""

    _by_name: dict[str, Subject] = field(default_factory=dict)

    def add(self, note: Note) -> None:
        """Know this note, by its title, its permalink, its path and its name."""
        itself = Subject(title(note), (note.first("type") or NOTE)[:60])
        names = (title(note), note.first("permalink") or "", note.path.removesuffix(".md"), note.name)
        for name in names:
            self._by_name.setdefault(name.casefold(), itself)

    def meant(self, target: str) -> Subject:
        """What a link means; a note that is still to be written, where there is none."""
        name = target.strip()
        return self._by_name.get(name.casefold()) or Subject(name[:MAX_NAME], NOTE)


def title(note: Note) -> str:
    """What the note is called."""
    return (note.first("title") or note.name)[:MAX_NAME]


def _brought(place: Place, note: Note, known: Known) -> Brought:
    itself = known.meant(title(note))
    said = [*_observed(note, itself), *_related(note, itself, known)]
    targets = (known.meant(one.object) for one in said if one.object_type is ValueType.ENTITY)
    return Brought(
        place.at(note.path), title(note), note.text, tags=tuple(tags(note)),
        things=tuple(dict.fromkeys((itself, *targets))), statements=tuple(said), about=itself,
        aliases=tuple(aliases(note)), read_whole=True,
    )  # fmt: skip


def _observed(note: Note, itself: Subject) -> Iterator[Mined]:
    for found in _OBSERVED.finditer(prose(note.text)):
        category = found["category"].strip()
        if category in _TASKS or not category or found["said"].startswith("("):
            continue
        text = _TAGS.sub("", _CONTEXT.sub("", found["said"])).strip() or found["said"]
        quote = found[0].strip()[:MAX_QUOTE]
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        yield Mined(predicate_of(category) or "note", text[:MAX_OBJECT], ValueType.TEXT, quote, start, itself)


def _related(note: Note, itself: Subject, known: Known) -> Iterator[Mined]:
    seen: set[str] = set()
    for found in _RELATED.finditer(prose(note.text)):
        other = known.meant(found["target"])
        quote = found[0].strip()
        if other == itself or len(quote) > MAX_QUOTE:
            continue
        seen.add(other.name)
        start = found.start() + len(found[0]) - len(found[0].lstrip())
        predicate = predicate_of(found["what"]) or "links_to"
        yield Mined(predicate, other.name, ValueType.ENTITY, quote, start, itself)
    for link in links(note.text):
        other = known.meant(link.target)
        if other != itself and other.name not in seen and len(link.quote) <= MAX_QUOTE:
            seen.add(other.name)
            yield Mined("links_to", other.name, ValueType.ENTITY, link.quote, link.start, itself)
