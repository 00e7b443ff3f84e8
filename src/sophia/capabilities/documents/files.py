"""Files that an agent or a folder names: opened below granted roots, component by component, and read whole."""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from sophia.capabilities.documents.grants import Protected, foreign, identity, regular
from sophia.core.errors import BadArguments, NotPermitted, SophiaError, Unavailable

MAX_BYTES = 25 * 1024 * 1024
MAX_COMPONENTS = 128
REFUSED = "That path is not a file or folder below a folder that the owner granted."
"""The one sentence for every path that is not opened, whether anything is there or not."""

_CHUNK = 1 << 20
_STEP = os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = _STEP | os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
_FILE = _STEP | os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY


@dataclass(frozen=True, slots=True)
class FileRead:
    """A whole file as it was at one moment."""

    name: str
    data: bytes
    modified_ns: int
    signature: str = ""
    """What changes when the file does, without its bytes being read: see `signature`."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A file that may be read and was not: `too_large`, `changed_while_read` or `vanished`, and what to tell."""

    reason: str
    message: str


def read(path: str, roots: Sequence[Path], protected: Protected, max_bytes: int = MAX_BYTES) -> FileRead | Unread:
    """The file that an absolute path names below one of the roots.

    `BadArguments` for a path with a NUL, `NotPermitted` in one and the same sentence for everything else that is not
    a plain file below a root: no link is followed, nothing is opened that could block, nothing of Sophia's own is read.
    """
    with _folder(path, roots, protected, below=1) as (folder, name):
        return read_in(folder, name, protected, max_bytes)


def read_in(folder: int, name: str, protected: Protected, max_bytes: int = MAX_BYTES) -> FileRead | Unread:
    """The plain file `name` of the open folder `folder`; `NotPermitted` for anything else under that name."""
    try:
        descriptor = _opened(folder, name, protected)
    except (OSError, ValueError) as error:
        raise refusal(error) from None
    try:
        return _whole(descriptor, name, max_bytes)
    finally:
        os.close(descriptor)


def stream_in(folder: int, name: str, protected: Protected) -> BinaryIO:
    """The plain file `name` of the open folder, to be read from its start piece by piece; refuses as `read_in` does."""
    try:
        return os.fdopen(_opened(folder, name, protected), "rb")
    except (OSError, ValueError) as error:
        raise refusal(error) from None


def refusal(error: Exception) -> SophiaError:
    """What to tell of a path that could not be opened: nothing about it, unless the machine has run out."""
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
        return Unavailable("Too many files are open right now; try again.")
    return NotPermitted(REFUSED)


@contextmanager
def opened_folder(path: str, roots: Sequence[Path], protected: Protected) -> Iterator[int]:
    """A descriptor of the folder that an absolute path names at or below one of the roots; refuses as `read` does.

    It stays the folder that was checked, whatever happens to the name meanwhile.
    """
    with _folder(path, roots, protected, below=0) as (folder, _):
        yield folder


def step(folder: int, name: str, protected: Protected) -> int:
    """A descriptor of the folder `name` of an open folder; `OSError` where it is none that may be entered."""
    if name in ("", ".", "..") or "/" in name or foreign(name, is_folder=True):
        raise PermissionError(name)
    return _entered(folder, name, protected)


def _entered(folder: int, name: str, protected: Protected) -> int:
    descriptor = os.open(name, _FOLDER, dir_fd=folder)
    if protected.folder(os.fstat(descriptor)):
        os.close(descriptor)
        raise PermissionError(name)
    return descriptor


@contextmanager
def _folder(path: str, roots: Sequence[Path], protected: Protected, below: int) -> Iterator[tuple[int, str]]:
    """The open folder that holds what `path` names, and its name; with `below=0` the folder that it names."""
    parts = _parts(path)
    root = next((root for root in roots if parts[: len(root.parts) - 1] == root.parts[1:]), None)
    if root is None or len(parts) < len(root.parts) - 1 + below:
        raise NotPermitted(REFUSED)
    depth = len(root.parts) - 1
    try:
        descriptor = _walked(parts[: len(parts) - below], depth, protected)
    except (OSError, ValueError) as error:
        raise refusal(error) from None
    try:
        yield descriptor, parts[-1] if parts else ""
    finally:
        os.close(descriptor)


def _parts(path: str) -> tuple[str, ...]:
    if "\0" in path:
        raise BadArguments("path holds a NUL character; leave it out.", argument="path")
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    if not PurePosixPath(path).is_absolute() or ".." in parts or len(parts) > MAX_COMPONENTS:
        raise NotPermitted(REFUSED)
    return parts


def _walked(parts: Sequence[str], depth: int, protected: Protected) -> int:
    """A descriptor of the folder of these components from `/`, of which `depth` lead to the granted root."""
    descriptor = os.open("/", _FOLDER)
    try:
        for at, name in enumerate(parts):
            following = (_entered if at < depth else step)(descriptor, name, protected)
            os.close(descriptor)
            descriptor = following
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _opened(folder: int, name: str, protected: Protected) -> int:
    """A descriptor of the plain file `name`.

    It is looked at first, because opening a device or a pipe does something, and again once it is open, because the
    name may have been given to another meanwhile.
    """
    if name in ("", ".", "..") or "/" in name or foreign(name, is_folder=False):
        raise PermissionError(name)
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not regular(seen) or protected.file(seen):
        raise PermissionError(name)
    descriptor = os.open(name, _FILE, dir_fd=folder)
    held = os.fstat(descriptor)
    if not regular(held) or identity(held) != identity(seen) or protected.file(held):
        os.close(descriptor)
        raise PermissionError(name)
    return descriptor


def _whole(descriptor: int, name: str, max_bytes: int) -> FileRead | Unread:
    before = os.fstat(descriptor)
    if before.st_size > max_bytes:
        return _too_large(max_bytes)
    pieces: list[bytes] = []
    left = max_bytes + 1
    size = before.st_size + 1  # of most files all, with no more memory asked for than they have
    while left and (piece := os.read(descriptor, min(left, size, _CHUNK))):
        size = _CHUNK
        pieces.append(piece)
        left -= len(piece)
    if not left:
        return _too_large(max_bytes)
    after = os.fstat(descriptor)
    if not after.st_nlink:
        return Unread("vanished", "The file was deleted while it was read.")
    length = max_bytes + 1 - left
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or length != after.st_size:
        return Unread("changed_while_read", "The file changed while it was read; it is read again when it rests.")
    return FileRead(name, b"".join(pieces), after.st_mtime_ns, signature(after))


def signature(status: os.stat_result) -> str:
    """What changes when a file does. No device: it has another number after each start of the machine."""
    return f"{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def _too_large(max_bytes: int) -> Unread:
    return Unread("too_large", f"The file has more than the {max_bytes} bytes that are read at most.")
