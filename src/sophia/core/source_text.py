"""The text that quotes are grounded in, in the one form in which it is stored, hashed and counted."""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from sophia.core.errors import TooLarge

MAX_CHARACTERS = 25_000_000
"""The longest text that is stored, in code points."""

_BOM = "\ufeff"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Origin(Enum):
    """Where a source came from: what an agent wrote itself grounds nothing above `inferred`."""

    OWNER = "owner"
    IMPORT = "import"
    FOLDER = "folder"
    AGENT = "agent"

    @property
    def grounds(self) -> bool:
        """Whether a quote from it can stand behind a fact."""
        return self is not Origin.AGENT


class SourceKind(Enum):
    """What kinds of primary source there are."""

    DOCUMENT = "document"
    IMPORT_ROW = "import_row"
    CODE_FILE = "code_file"


@dataclass(frozen=True, slots=True)
class SourceText:
    """One primary source as it is now: its stored text, and the revision that a quote was checked against."""

    source_id: str
    text: str
    origin: Origin
    revision: str
    kind: SourceKind = SourceKind.DOCUMENT


class SourceTexts(Protocol):
    """Who can tell the text of a source. Documents, import rows and code provide it; knowledge consumes it."""

    def source_text(self, source_id: str) -> SourceText | None:
        """The source of that id within the caller's scope; `None` where there is none."""


def stored(text: str) -> str:
    """The form in which a text is stored and offsets are counted.

    No byte order mark in front, a line feed for every line end, NFC, U+FFFD for what no database can hold. Storing
    twice changes nothing; `TooLarge` beyond the bound.
    """
    if len(text) > MAX_CHARACTERS:
        raise TooLarge(f"A text of {len(text)} characters is more than the {MAX_CHARACTERS} that can be stored.")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and "\x00" not in text:
        return text
    return unicodedata.normalize("NFC", _UNSTORABLE.sub("\ufffd", text.lstrip(_BOM)))


def revision(text: str) -> str:
    """What tells one stored text from another: its SHA-256, as 64 lowercase hex digits."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
