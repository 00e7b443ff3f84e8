"""The stored text of documents: what is fetched by range, and what quotes are checked against."""

from dataclasses import dataclass

import msgspec

from sophia.catalog.call import Reader
from sophia.core.errors import NotFound
from sophia.core.page import Row
from sophia.core.source_text import Origin, SourceText, revision

FRAME = 240
"""Bytes that the answer takes beside the text."""


class DocumentText(Row, frozen=True):
    """A part of a document's text. Offsets count code points of the stored text."""

    document_id: str
    text: str
    start: int
    end: int
    total_chars: int
    next_start: int | None = None


def ranged(db: Reader, document_id: str, start: int, length: int, room: int) -> DocumentText:
    """The text from `start`, at most `length` code points, in an answer of at most `room` bytes."""
    row = db.row(
        "SELECT d.chars, substr(t.text, :start + 1, :length) AS text FROM document d"
        " JOIN document_text t ON t.id = d.id WHERE d.id = :id",
        id=document_id, start=start, length=length,
    )  # fmt: skip
    if row is None:
        raise NotFound(argument="document_id")
    text = _fitting(row["text"], room - FRAME)
    start = min(start, row["chars"])
    end = start + len(text)
    return DocumentText(
        document_id=document_id, text=text, start=start, end=end, total_chars=row["chars"],
        next_start=end if end < row["chars"] else None,
    )  # fmt: skip


def _fitting(text: str, room: int) -> str:
    """The longest beginning of `text` that takes at most `room` bytes as JSON, and one character at least."""
    if len(msgspec.json.encode(text)) <= room:
        return text
    fits, beyond = 1, len(text)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if len(msgspec.json.encode(text[:middle])) <= room:
            fits = middle
        else:
            beyond = middle
    return text[:fits]


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
