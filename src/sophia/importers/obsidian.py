"""Obsidian vaults: notes with properties and tags, which link to each other by names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject
from sophia.importers import notes
from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.notes import Note, prose

KIND = "obsidian"
NOTE = "note"
MAX_TAG = 60
MAX_TAGS = 50
MAX_NAME = 200
_LINK = re.compile(
    r"(?P<embed>!?)\[\[(?P<target>[^\[\]|#\n]*)(?P<heading>#[^\[\]|\n]*)?(?:\\?\|(?P<alias>[^\[\]\n]*))?\]\]"
)
_TAG = re.compile(r"(?:^|(?<=[\s(,;]))#(?P<tag>[\w/-]*[^\W\d_/-][\w/-]*)")


def wanted(path: str) -> bool:
    """Whether a file is a note."""
    return path.lower().endswith(".md")


def read(place: Place) -> Iterator[Item]:
    """Each note as a document, with its tags, and as an entity that links to those of other notes."""
    vault = Vault.of(place.paths)
    for path in place.paths:
        note = notes.opened(place, path)
        if isinstance(note, LeftOut):
            yield note
            continue
        itself = Subject(vault.called(path), NOTE)
        things, statements = {itself: None}, list[Mined]()
        for one in links(note.text):
            found = vault.resolved(one.target, path)
            if found is None and one.is_note:
                yield LeftOut(f"{place.at(path)}: [[{one.target}]]", "unresolved")
            elif found is not None and found != path and len(one.quote) <= MAX_QUOTE:
                other = Subject(vault.called(found), NOTE)
                things[other] = None
                predicate = "embeds" if one.embeds else "links_to"
                statements.append(Mined(predicate, other.name, ValueType.ENTITY, one.quote, one.start, itself))
        called = tuple(aliases(note))
        yield Brought(
            place.at(path), note.first("title") or note.name, note.text, tags=tuple(tags(note)),
            things=tuple(things) if statements or called else (), statements=tuple(_once(statements)), about=itself,
            aliases=called,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands in a note."""

    target: str
    quote: str
    start: int
    embeds: bool

    @property
    def is_note(self) -> bool:
        """Whether what it names is a note: it has no ending of another kind of file."""
        return PurePosixPath(self.target).suffix.lower() in ("", ".md") or " " in PurePosixPath(self.target).suffix


def links(text: str) -> Iterator[Link]:
    """The links of a text outside of code, each with its target; those to its own headings are left out."""
    for found in _LINK.finditer(prose(text)):
        target = found["target"].strip()
        if target:
            yield Link(target, found[0], found.start(), bool(found["embed"]))


@dataclass
class Vault:
    """The names of the notes of a vault, and which of them a link means."""

    _by_name: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Iterable[str]) -> "Vault":
        """The vault of these notes; of notes of one name the one of the shortest path comes first."""
        vault = cls()
        for path in sorted(paths, key=lambda each: (each.count("/"), len(each), each)):
            vault._by_name.setdefault(_key(PurePosixPath(path).name), []).append(path)
        return vault

    def resolved(self, target: str, origin: str) -> str | None:
        """The note that a link in the note `origin` means, whatever its case; `None` for none."""
        wanted = _key(target.lstrip("/"))
        candidates = self._by_name.get(wanted.rpartition("/")[2], [])
        if target.startswith((".", "..")):
            wanted = _key(_relative(origin, target))
            return next((path for path in candidates if _key(path) == wanted), None)
        exact = (path for path in candidates if _key(path) == wanted)
        ends = (path for path in candidates if f"/{_key(path)}".endswith(f"/{wanted}"))
        return next(exact, None) or next(ends, None)

    def called(self, path: str) -> str:
        """What a note is called: by its name, and by its path where others have that name."""
        alike = self._by_name.get(_key(PurePosixPath(path).name), [])
        plain = PurePosixPath(path)
        return (plain.stem if alike[:1] == [path] else str(plain.with_suffix("")))[-MAX_NAME:]


def tags(note: Note) -> list[str]:
    """The tags of a note, from its properties and its text, each once whatever its case."""
    said = [
        one.lstrip("#") for key in ("tags", "tag") for value in note.properties.get(key, ()) for one in value.split()
    ]
    said += [found["tag"].strip("/") for found in _TAG.finditer(prose(note.text))]
    once = {tag.casefold(): tag for tag in reversed(said) if 0 < len(tag) <= MAX_TAG}
    return list(once.values())[::-1][:MAX_TAGS]


def aliases(note: Note) -> list[str]:
    """What else a note is called."""
    return [one for key in ("aliases", "alias") for one in note.properties.get(key, ()) if len(one) <= MAX_NAME]


def _once(statements: Sequence[Mined]) -> Iterator[Mined]:
    seen: set[tuple[str, str]] = set()
    for one in statements:
        if (one.predicate, one.object) not in seen:
            seen.add((one.predicate, one.object))
            yield one


def _relative(origin: str, target: str) -> str:
    parts = list(PurePosixPath(origin).parent.parts)
    for part in PurePosixPath(target).parts:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _key(path: str) -> str:
    folded = path.casefold()
    return folded.removesuffix(".md")
