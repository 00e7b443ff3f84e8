"""Files on their way in: read, hashed, and their text taken out of them. Nothing is written here."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Protocol

from sophia.capabilities.documents import intake
from sophia.capabilities.documents.files import FileRead, Unread
from sophia.capabilities.documents.intake import Bytes, Text
from sophia.core.errors import SophiaError
from sophia.core.secrets.masking import Masking
from sophia.extraction import kinds
from sophia.extraction.extracted import Extracted, Unextracted
from sophia.importers.shelf import reason_of
from sophia.importers.survey import Find

Read = Callable[[str], FileRead | Unread]


class Extracting(Protocol):
    """Who takes the text out of a file."""

    def extracted(self, data: bytes, name: str, mime: str | None = None) -> Extracted | Unextracted: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Ready:
    """What became of a file: `text`, or `reason` why it has none; neither where its text is still to be taken out.

    `bytes` is `None` where it could not be read, or is of no kind that is.
    """

    find: Find
    folder_id: str | None
    signature: str | None = None
    bytes: Bytes | None = None
    text: Text | None = None
    reason: str | None = None

    @property
    def size(self) -> int:
        """How much there is to write."""
        return self.text.size if self.text else 0


def prepared(
    read: Read,
    extracting: Extracting,
    masking: Masking,
    find: Find,
    folder_id: str | None,
    held_sha256: str | None,
    *,
    whole: bool,
) -> Ready:
    """The file as it is to be taken in. Of the bytes `held_sha256` the text is held already.

    With `whole`, whatever its kind; without, the text of one whose reading may take long is left for later.
    """
    try:
        found = read(find.path)
        if isinstance(found, Unread):
            return Ready(find, folder_id, reason=found.reason)
        mime = kinds.mime_of(found.name)
        if mime is None:
            return Ready(find, folder_id, found.signature, reason="unsupported_type")
        digests = intake.digests(found.data, masking)
        held = held_sha256 in digests
        digest = held_sha256 if held_sha256 and held else digests[0]
        seen = Bytes(PurePath(found.name).stem, mime, digest, len(found.data), digests)
        if held or not (whole or mime in kinds.PLAIN):
            return Ready(find, folder_id, found.signature, seen)
        return _with_text(extracting, masking, found, Ready(find, folder_id, found.signature, seen))
    except SophiaError as error:
        return Ready(find, folder_id, reason=reason_of(error))


def _with_text(extracting: Extracting, masking: Masking, found: FileRead, ready: Ready) -> Ready:
    reason, text, seen = None, None, ready.bytes
    try:
        told = extracting.extracted(found.data, found.name, ready.bytes.mime if ready.bytes else None)
        if isinstance(told, Unextracted):
            reason = told.reason
        else:
            text = Text.of(told.title, told.text, told.mime, masking, found.data, told.pieces)
            if seen and seen.content_sha256 != text.content_sha256:
                seen = replace(seen, content_sha256=text.content_sha256)
    except SophiaError as error:
        reason = reason_of(error)
    return Ready(ready.find, ready.folder_id, ready.signature, seen, text, reason)
