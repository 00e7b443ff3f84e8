"""Contacts (vCard 2.1, 3.0 and 4.0): people and organisations, with how they are reached, line by line.

Read by our own hand: each value is quoted by the line that it stands on, and a library gives no lines.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject
from sophia.capabilities.mining.typed import day
from sophia.core.source_text import stored
from sophia.importers.brought import Brought, Item, LeftOut, Place
from sophia.importers.vcard_lines import LINE, Line, cards, plain, unfolded

KIND = "vcard"
PART = 400_000
MAX_VALUE = 500
MAX_NAME = 200
_ESCAPED = re.compile(r"\\([nN,;:\\])")
_FIELD = re.compile(r"(?<!\\);")
_SAID = {
    "EMAIL": ("email", ValueType.EMAIL), "TEL": ("phone", ValueType.TEXT), "URL": ("website", ValueType.URL),
    "TITLE": ("job_title", ValueType.TEXT), "ROLE": ("job_title", ValueType.TEXT), "ADR": ("address", ValueType.TEXT),
    "NOTE": ("note", ValueType.TEXT), "ORG": ("organisation", ValueType.TEXT), "TZ": ("time_zone", ValueType.TEXT),
    "ANNIVERSARY": ("anniversary", ValueType.TEXT), "CATEGORIES": ("category", ValueType.TEXT),
    "LANG": ("speaks_language", ValueType.TEXT), "IMPP": ("profile_url", ValueType.TEXT),
}  # fmt: skip
_DATA = frozenset({"PHOTO", "LOGO", "SOUND", "KEY"})


def wanted(path: str) -> bool:
    """Whether a file holds contacts, by its name."""
    return path.lower().endswith((".vcf", ".vcard"))


def read(place: Place) -> Iterator[Item]:
    """The file without its pictures, in parts where it is long, each with whom it tells of."""
    for path in place.paths:
        part, number = Part(), 1
        with place.shelf.stream(path) as file:
            for at, raw in cards(file):
                card = None if raw is None else Card.of(raw)
                name = card.name if card else None
                if card is None or name is None:
                    yield LeftOut(f"{place.at(path)}:{at}", "too_large" if raw is None else "corrupt")
                    continue
                if part.size and part.size + len(card.text) > PART:
                    yield part.brought(place.at(path), number)
                    part, number = Part(), number + 1
                part.add(card, name)
        if part.size:
            yield part.brought(place.at(path), number)


@dataclass(frozen=True, slots=True)
class Card:
    """One card as it is kept, and its properties."""

    text: str
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, raw: Sequence[bytes]) -> "Card":
        """The card of these lines, put together where they are folded, without its pictures."""
        shown = ["BEGIN:VCARD"]
        found: list[Line] = []
        for written, data in unfolded(raw):
            line = LINE.fullmatch(data)
            if line is None:
                continue
            name, parameters = line["name"].upper(), line["parameters"].upper()
            if name in _DATA or "BASE64" in parameters or "ENCODING=B" in parameters:
                shown.append(f"{name}:(data)")
                continue
            shown.append(written)
            found.append(Line(name, plain(line["value"], parameters), written))
        text = "\n".join([*shown, "END:VCARD"])
        return cls(text, tuple(found))

    def first(self, name: str) -> str | None:
        """The first value of a property that says something."""
        return next((value for line in self.lines if line.name == name and (value := _words(line.value))), None)

    @property
    def name(self) -> str | None:
        """What the card is of: its full name, else its parts, its organisation, or its address."""
        parts = _FIELD.split(next((line.value for line in self.lines if line.name == "N"), ""))
        spoken = _words(" ".join(parts[index] for index in (3, 1, 2, 0, 4) if index < len(parts)))
        found = self.first("FN") or spoken or self.first("ORG") or self.first("NICKNAME") or self.first("EMAIL")
        return found[:MAX_NAME] if found else None

    @property
    def kind(self) -> str:
        """What it is of: a person, or an organisation where it says so or names nobody."""
        said = (self.first("KIND") or self.first("X-ADDRESSBOOKSERVER-KIND") or "").casefold()
        if said == "group":
            return "group"
        company = (self.first("X-ABSHOWAS") or "").casefold() == "company"
        nobody = self.first("FN") in (None, self.first("ORG")) and not _words(self.first("N") or "")
        return "organisation" if said == "org" or company or (nobody and self.first("ORG")) else "person"


@dataclass
class Part:
    """A part of the file, and what its cards say."""

    size: int = 0
    _texts: list[str] = field(default_factory=list)
    _things: dict[Subject, None] = field(default_factory=dict)
    _said: list[Mined] = field(default_factory=list)

    def add(self, card: Card, name: str) -> None:
        """Take in a card."""
        text = stored(card.text)
        itself = Subject(name, card.kind)
        self._things[itself] = None
        at = 0
        for line in card.lines:
            written = stored(line.written)
            at = text.index(written, at)
            if (told := _said(line)) is not None:
                self._said.append(Mined(told[0], told[1], told[2], written[:MAX_QUOTE], self.size + at, itself))
        self._texts.append(text)
        self.size += len(text) + 2

    def brought(self, location: str, number: int) -> Brought:
        """The part as a document."""
        title = location.rpartition("/")[2] + ("" if number == 1 else f" ({number})")
        return Brought(
            location if number == 1 else f"{location}#{number}", title, "\n\n".join(self._texts) + "\n",
            mime="text/plain", things=tuple(self._things), statements=tuple(self._said), read_whole=True,
        )  # fmt: skip


def _said(line: Line) -> tuple[str, str, ValueType] | None:
    """What a property says: a predicate and its value. A birthday without its year stays what is written."""
    value = _words(" ".join(part for part in _FIELD.split(line.value) if part.strip()))[:MAX_VALUE]
    if not value:
        return None
    if line.name == "BDAY":
        known = day(f"{value[:4]}-{value[4:6]}-{value[6:8]}" if re.fullmatch(r"\d{8}", value) else value[:10])
        return ("born_on", known, ValueType.DATE) if known else ("birthday", value, ValueType.TEXT)
    if line.name == "NICKNAME":
        return "also_known_as", value, ValueType.TEXT
    predicate, kind = _SAID.get(line.name, (None, ValueType.TEXT))
    if predicate is None:
        return None
    return predicate, value.removeprefix("tel:").removeprefix("mailto:"), kind


def _words(value: str) -> str:
    """A value without escapes, on one line."""
    shown = _ESCAPED.sub(lambda found: " " if found[1] in "nN;" else found[1], value)
    return " ".join(shown.replace(";", " ").split())
