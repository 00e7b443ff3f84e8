"""An open folder, from which its files are read one after the other, by resolved components."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sophia.capabilities.documents import files
from sophia.capabilities.documents.files import FileRead, Unread, refusal, step
from sophia.capabilities.documents.grants import Protected
from sophia.core.errors import NotPermitted, Unavailable


@dataclass
class Shelf:
    """A folder that stays the one that was checked, and of its folders the one that was read from last."""

    root: int
    protected: Protected
    _at: str = ""
    _open: list[int] = field(default_factory=list)

    def read(self, path: str) -> FileRead | Unread:
        """The plain file at this path in the folder; `Unread` with why not, `vanished` for what is no such file."""
        parent, _, name = path.rpartition("/")
        try:
            return files.read_in(self._folder(parent), name, self.protected)
        except NotPermitted:
            return Unread("vanished", "There is no plain file any more.")

    def stream(self, path: str) -> BinaryIO:
        """The plain file at this path, to be read piece by piece; `NotPermitted` for what is no such file."""
        parent, _, name = path.rpartition("/")
        return files.stream_in(self._folder(parent), name, self.protected)

    def folder(self, path: str) -> int:
        """A descriptor of the folder at this path in it, good until the next; `OSError` where there is none."""
        return self._entered(path)

    @property
    def identity(self) -> str:
        """What the folder is, whatever its name."""
        status = os.fstat(self.root)
        return f"{status.st_dev}:{status.st_ino}"

    def close(self) -> None:
        """Close what was opened on the way."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open, self._at = [], ""

    def _folder(self, path: str) -> int:
        try:
            return self._entered(path)
        except OSError as error:
            raise refusal(error) from None

    def _entered(self, path: str) -> int:
        if path != self._at:
            self.close()
            for part in path.split("/") if path else ():
                self._open.append(step(self._open[-1] if self._open else self.root, part, self.protected))
            self._at = path
        return self._open[-1] if self._open else self.root


@contextmanager
def opened(location: str, roots: Sequence[Path], protected: Protected) -> Iterator[Shelf | None]:
    """The folder at this location, for the block; `None` where none is there that may be read."""
    standing = protected.standing()
    try:
        holding = files.opened_folder(location, roots, standing)
        descriptor = holding.__enter__()
    except NotPermitted:
        yield None
        return
    shelf = Shelf(descriptor, standing)
    try:
        yield shelf
    finally:
        shelf.close()
        holding.__exit__(None, None, None)


def reason_of(error: Exception) -> str:
    """Why a file could not be read, where it was refused in words."""
    return "unavailable" if isinstance(error, Unavailable) else str(getattr(error, "code", "internal"))
