"""The stored text of documents: what is fetched by range, and what quotes are checked against."""

from dataclasses import dataclass
from itertools import islice

import msgspec

from sophia.catalog.call import Reader
from sophia.core.errors import Conflict, NotFound
from sophia.core.fitting import fitting
from sophia.core.page import Row
from sophia.core.source_text import Origin, SourceText, revision

FRAME = 240
"""Bytes that the answer takes beside the text."""
MOST_PLACES = 40
PLACE_ROOM = 4000
"""Bytes that the places take at most."""


class PlaceOf(Row, frozen=True):
    """Where a part of the text stood in the file that it was read from."""

    start: int
    end: int
    place: str


class DocumentText(Row, frozen=True):
    """A part of a document's text. Offsets count code points of the stored text."""

    document_id: str
    text: str
    start: int
    end: int
    total_chars: int
    next_start: int | None = None
    places: list[PlaceOf] | None = None


def ranged(db: Reader, document_id: str, start: int, length: int, room: int) -> DocumentText:
    """The text from `start`, at most `length` code points, in an answer of at most `room` bytes."""
    row = db.row(
        "SELECT d.chars, t.places, substr(t.text, :start + 1, :length) AS text FROM document d"
        " LEFT JOIN document_text t ON t.id = d.id WHERE d.id = :id",
        id=document_id, start=start, length=length,
    )  # fmt: skip
    if row is None:
        raise NotFound(argument="document_id")
    if row["text"] is None:
        raise unread()
    text = fitting(row["text"], room - FRAME - (PLACE_ROOM if row["places"] else 0))
    start = min(start, row["chars"])
    end = start + len(text)
    return DocumentText(
        document_id=document_id, text=text, start=start, end=end, total_chars=row["chars"],
        next_start=end if end < row["chars"] else None, places=_places(row["places"], start, end),
    )  # fmt: skip


def unread() -> Conflict:
    """What a document is refused with that has no text."""
    return Conflict(
        "This document has no text: its file is not read yet, or cannot be.",
        argument="document_id",
        hint="ingest_status({document_id}) says which.",
    )


def _places(kept: str | None, start: int, end: int) -> list[PlaceOf] | None:
    """The first places of the range; `None` where the text has none but its lines."""
    if kept is None:
        return None
    within = (piece for piece in msgspec.json.decode(kept) if piece[0] < end and piece[1] > start)
    return [PlaceOf(start=piece[0], end=piece[1], place=piece[2]) for piece in islice(within, MOST_PLACES)]


@dataclass(frozen=True, slots=True)
class DocumentTexts:
    """The documents within a caller's reach, as sources of quotes."""

    db: Reader

    def source_text(self, source_id: str) -> SourceText | None:
        """The document of that id as it is now; `None` where there is none."""
        row = self.db.row(
            "SELECT d.origin, t.text FROM document d JOIN document_text t ON t.id = d.id WHERE d.id = :id", id=source_id
        )
        return SourceText(source_id, row["text"], Origin(row["origin"]), revision(row["text"])) if row else None
