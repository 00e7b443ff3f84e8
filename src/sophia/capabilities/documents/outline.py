"""The outline of a document: its headings, else the pages, slides or sheets that it was read from."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import msgspec

from sophia.capabilities.documents.texts import unread
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.errors import NotFound
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window
from sophia.search.passages import headings

TITLE = 300
"""Most characters of a title that are shown."""
_PART = re.compile(r"(?:page|slide) \d+|[^!]+(?=!)")
"""What of a place names a part that is more than a line or a cell."""


class Section(Row, frozen=True):
    """A part of a text under one title, up to the next of its depth: fetch_document gives it from `start` to `end`."""

    COMPACT: ClassVar[tuple[str, ...]] = ("start", "level", "title")
    LISTED: ClassVar[Listed] = Listed("updated_at", "start", {"text": Order(("start",))})

    start: int
    end: int
    level: int
    title: str
    updated_at: str
    """When the document was last changed."""
    place: str | None = None
    """Where it begins in the file that it was read from."""


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    level: int
    title: str
    place: str | None


def outlined(db: Reader, window: Window, document_id: str) -> Page[Section]:
    """The sections of a document, in the order of its text."""
    row = db.row(
        "SELECT d.updated_at, d.chars, t.text, t.places FROM document d LEFT JOIN document_text t ON t.id = d.id"
        " WHERE d.id = :id",
        id=document_id,
    )
    if row is None:
        raise NotFound(argument="document_id")
    if row["text"] is None:
        raise unread()
    places: list[tuple[int, int, str]] = msgspec.json.decode(row["places"] or b"[]")
    parts = _titled(row["text"], places) or _placed(places)
    part = paged(
        db, window, Section.LISTED,
        "SELECT value ->> 'start' AS start, value ->> 'end' AS \"end\", value ->> 'level' AS level,"
        " value ->> 'title' AS title, value ->> 'place' AS place, :updated_at AS updated_at FROM json_each(:parts)",
        parts=msgspec.json.encode([asdict(each) for each in parts]).decode(), updated_at=row["updated_at"],
    )  # fmt: skip
    return part.page([Section(**{**each, "updated_at": rfc3339(each["updated_at"])}) for each in part.rows])


def _titled(text: str, places: Sequence[tuple[int, int, str]]) -> list[_Part]:
    """The headings, each up to the next that is no deeper."""
    found: list[_Part] = []
    ends: dict[int, int] = {}
    at = len(places)
    for one in reversed(list(headings(text))):
        while at and places[at - 1][0] > one.start:
            at -= 1
        end = min((ends[level] for level in ends if level <= one.level), default=len(text))
        ends[one.level] = one.start
        place = places[at - 1][2] if at and places[at - 1][1] > one.start else None
        found.append(_Part(one.start, end, one.level, one.title[:TITLE], place))
    return found[::-1]


def _placed(places: Sequence[tuple[int, int, str]]) -> list[_Part]:
    """The pages, slides or sheets, where the text stood in such."""
    found: list[dict[str, Any]] = []
    for start, end, place in places:
        named = _PART.match(place)
        if named and (not found or found[-1]["title"] != named[0]):
            found.append({"start": start, "end": end, "level": 1, "title": named[0][:TITLE], "place": place})
        elif named:
            found[-1]["end"] = end
    return [_Part(**one) for one in found]
