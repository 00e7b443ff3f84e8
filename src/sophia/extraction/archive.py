"""Archives of XML (DOCX, PPTX, XLSX, ODS), looked at before anything unfolds them."""

import io
import zipfile

from sophia.extraction.extracted import Refused
from sophia.extraction.limits import Limits

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How the files begin that offices wrote before 2007, and those that they encrypt."""
MAX_ENTRIES = 10_000
SMALL = 8_000_000
"""What any archive may unfold to."""
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_PROLOGUE = 4096


def looked_at(data: bytes, limits: Limits) -> None:
    """`Refused` for what is no archive, is encrypted, unfolds beyond its limits, or defines entities."""
    if data.startswith(OLE):
        if _ENCRYPTED in data:
            raise encrypted()
        raise Refused("corrupt", "It is an older kind of file than its name says.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _look_at(archive, len(data), limits)
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise Refused("corrupt", "It is damaged, or not the kind of file that its name says.") from error


def encrypted() -> Refused:
    """What is said of a file that needs a password."""
    return Refused("encrypted", "It is encrypted: only its password opens it.")


def _look_at(archive: zipfile.ZipFile, size: int, limits: Limits) -> None:
    entries = archive.infolist()
    if any(entry.flag_bits & 1 for entry in entries):
        raise encrypted()
    if len(entries) > MAX_ENTRIES:
        raise Refused("too_large", f"It holds {len(entries)} parts, more than {MAX_ENTRIES}.")
    inflated = sum(entry.file_size for entry in entries)
    if inflated > limits.inflated:
        raise Refused("too_large", f"It unfolds to {inflated} bytes, more than {limits.inflated}.")
    if inflated > max(limits.ratio * size, SMALL):
        raise Refused("too_large", f"It unfolds to more than {limits.ratio} times its size.")
    for entry in entries:
        if entry.filename.endswith((".xml", ".rels")):
            with archive.open(entry) as part:
                if b"<!DOCTYPE" in part.read(_PROLOGUE).replace(b"\0", b""):
                    raise Refused("corrupt", "One of its parts defines entities, which such files never do.")
