"""A backup as one file: a tar archive of a manifest and the databases, each byte of which the manifest accounts for."""

import hashlib
import hmac
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tarfile import GNU_FORMAT, TarInfo
from typing import Annotated, BinaryIO, Literal

import msgspec
from msgspec import Meta

from sophia.core.errors import SophiaError
from sophia.store.wrapping import Home, Wrapped

MANIFEST = "manifest.json"
CHECKSUM = "manifest.json.sha256"
MEMBERS = ("state.db", "ops.db")
_BLOCK = 512
_CHUNK = 1 << 20
_MOST_MANIFEST = 1 << 20
_END = bytes(2 * _BLOCK)
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Meta(ge=0, le=2**62)]
Step = Callable[[str, int, int], None]
"""Told what is being done, how far it has come, and of how much."""


class BackupDamaged(SophiaError):
    """This is not a whole backup of Sophia's; nothing was restored."""

    code = "backup_damaged"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One database in the file."""

    name: Literal["state.db", "ops.db"]
    schema: Count
    size: Count
    sha256: Hash


class Marks(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where both databases stood, at the one moment that the backup is of."""

    seq: Count
    hash: Hash
    event: Count
    event_hash: Hash
    epoch: Count
    accepted: Count = 0
    """The last mutation that the owner had accepted as it is."""
    accepted_event: Count = 0


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in the file, what opens it, and a seal over both that only the data's own key makes."""

    version: Literal[1]
    made_at: Count
    sophia: str
    marks: Marks
    home: Home
    """Where the owner's key lived."""
    slots: Annotated[list[Wrapped], Meta(min_length=1, max_length=8)]
    """The data key under each key that opens the backup."""
    parts: Annotated[list[Part], Meta(min_length=2, max_length=2)]
    mac: Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")] = ""

    def sealed(self, seal: bytes) -> "Manifest":
        """The same with its seal."""
        return msgspec.structs.replace(self, mac=self._mac(seal))

    def holds(self, seal: bytes) -> bool:
        """Whether all of it is as it was sealed."""
        return hmac.compare_digest(self.mac, self._mac(seal))

    def _mac(self, seal: bytes) -> str:
        key = hmac.digest(seal, b"sophia/backup/1", hashlib.sha256)
        bare = msgspec.json.encode(msgspec.structs.replace(self, mac=""))
        return hmac.digest(key, bare, hashlib.sha256).hex()


def write(file: BinaryIO, manifest: Manifest, folder: Path, step: Step) -> None:
    """Put the manifest, and the databases that lie in `folder`, into the file."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n"
    small = ((MANIFEST, text), (CHECKSUM, _checksum(text)))
    file.writelines(_header(name, len(content)) + content + _padding(len(content)) for name, content in small)
    done, total = 0, sum(part.size for part in manifest.parts)
    for part in manifest.parts:
        file.write(_header(part.name, part.size))
        with (folder / part.name).open("rb") as source:
            while chunk := source.read(_CHUNK):
                file.write(chunk)
                step("writing", done := done + len(chunk), total)
        file.write(_padding(part.size))
    file.write(_END)


@dataclass(frozen=True)
class Archive:
    """A backup that was opened: its layout is exact, its databases are not read yet."""

    manifest: Manifest
    file: BinaryIO
    begins: int
    """Where the first database's header stands."""

    def take(self, folder: Path, step: Step) -> None:
        """Put both databases into `folder`, and make sure of each byte; `BackupDamaged` names what is not as it was."""
        self.file.seek(self.begins)
        done, total = 0, sum(part.size for part in self.manifest.parts)
        for part in self.manifest.parts:
            if self.file.read(_BLOCK) != _header(part.name, part.size):
                raise BackupDamaged(f"The backup is damaged before its {part.name}; nothing was restored.")
            digest = hashlib.sha256()
            fd = os.open(folder / part.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(fd, "wb") as out:
                left = part.size
                while left and (chunk := self.file.read(min(left, _CHUNK))):
                    left -= len(chunk)
                    digest.update(chunk)
                    out.write(chunk)
                    step("reading", done := done + len(chunk), total)
                out.flush()
                os.fsync(out.fileno())
            padding = _padding(part.size)
            if left or digest.hexdigest() != part.sha256 or self.file.read(len(padding)) != padding:
                raise BackupDamaged(f"The backup's {part.name} is not what was written; nothing was restored.")
        if self.file.read() != _END:
            raise BackupDamaged("The end of the backup is damaged; nothing was restored.")


@contextmanager
def archive(path: Path) -> Generator[Archive]:
    """The backup at `path`; `BackupDamaged` says what is wrong with a file that is none, or not a whole one."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with os.fdopen(fd, "rb") as file:
        text = _member(file, MANIFEST)
        if _member(file, CHECKSUM) != _checksum(text):
            raise BackupDamaged("The manifest of the backup is not what was written; nothing was restored.")
        try:
            manifest = msgspec.json.decode(text, type=Manifest)
        except ValueError:
            raise BackupDamaged("This backup is of a newer Sophia, or its manifest is damaged.") from None
        if tuple(part.name for part in manifest.parts) != MEMBERS:
            raise BackupDamaged("The manifest of the backup does not name its two databases.")
        begins = file.tell()
        whole = begins + sum(_BLOCK + part.size + len(_padding(part.size)) for part in manifest.parts) + len(_END)
        found = os.fstat(fd).st_size
        if found != whole:
            raise BackupDamaged(f"The backup has {found} bytes and should have {whole}: it was cut off or added to.")
        yield Archive(manifest, file, begins)


def _member(file: BinaryIO, name: str) -> bytes:
    """The content of the small member that stands here. Its name is not looked up: it is the one that must be there."""
    header = file.read(_BLOCK)
    try:
        size = TarInfo.frombuf(header, "ascii", "strict").size
    except Exception:  # noqa: BLE001 - whatever tarfile finds wrong with it, it is no header of ours
        size = -1
    if not 0 <= size <= _MOST_MANIFEST or header != _header(name, size):
        raise BackupDamaged("This file is no backup of Sophia's, or its beginning is damaged.")
    content = file.read(size)
    if len(content) != size or file.read(len(_padding(size))) != _padding(size):
        raise BackupDamaged("The backup is cut off, or damaged at its beginning.")
    return content


def _header(name: str, size: int) -> bytes:
    """The one header that a member of this name and size can have."""
    told = TarInfo(name)
    told.size, told.mode = size, 0o600
    return told.tobuf(GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % _BLOCK)


def _checksum(text: bytes) -> bytes:
    """As `sha256sum -c` reads it."""
    return f"{hashlib.sha256(text).hexdigest()}  {MANIFEST}\n".encode()
