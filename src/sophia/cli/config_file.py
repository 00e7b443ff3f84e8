"""Other programs' configuration files: read and written whole, never through a link, never readable by others."""

import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sophia.core.errors import Conflict, NotPermitted

MOST = 64 * 1024 * 1024
"""Bytes of a configuration file that is read at all."""
_ELSEWHERE = "Make that folder, or take --print and paste the lines yourself."
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_Seen = tuple[int, int, int, int] | None


@dataclass
class ConfigFile:
    """A file below a folder that the owner named: the folder is followed as it is, what lies below it never is."""

    base: Path
    below: tuple[str, ...]
    _seen: _Seen = field(default=None, init=False)
    """What was read, by which a change in between is known."""

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.base.joinpath(*self.below)

    def text(self) -> str:
        """What it holds; nothing where it is not there. `NotPermitted` where a link or another's file is there."""
        try:
            with self._folder(make=False) as folder:
                return self._read(folder)
        except FileNotFoundError:
            self._seen = None
            return ""

    def write(self, text: str, *, private: bool) -> None:
        """Put `text` in its place at once or not at all. `private`: for its owner alone, whatever it was before.

        `Conflict` where somebody else wrote to it since it was read.
        """
        try:
            with self._folder(make=True) as folder:
                now = self._status(folder)
                if _mark(now) != self._seen:
                    told = f"{self.path} was changed by another program just now; nothing was written. Try again."
                    raise Conflict(told)
                mode = 0o600 if private else 0o644 if now is None else stat.S_IMODE(now.st_mode) & 0o777
                self._put(folder, text.encode("utf-8", "surrogatepass"), mode, private=private)
        except OSError as error:
            raise NotPermitted(f"{self.path} could not be written ({error.strerror}).", hint=_ELSEWHERE) from None

    def require_room(self) -> None:
        """`NotPermitted` where no file can be put here, as far as that can be told without trying."""
        if not self.base.is_dir():
            raise NotPermitted(f"There is no folder {self.base}; nothing was written.", hint=_ELSEWHERE)
        place = self.base
        for name in self.below[:-1]:
            place = place / name if (place / name).is_dir() else place
        if not os.access(place, os.W_OK | os.X_OK):
            raise NotPermitted(f"Nothing can be put into {place}; nothing was written.", hint=_ELSEWHERE)

    def _read(self, folder: int) -> str:
        status = self._status(folder)
        if status is None:
            self._seen = None
            return ""
        descriptor = os.open(self.below[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        with os.fdopen(descriptor, "rb") as file:
            self._seen = _mark(os.fstat(descriptor))
            content = file.read(MOST + 1)
        try:
            if len(content) > MOST:
                raise ValueError
            return content.decode("utf-8-sig")
        except ValueError:
            raise NotPermitted(f"{self.path} is no text that could be added to; nothing was written.") from None

    def _status(self, folder: int) -> os.stat_result | None:
        """What stands there, which is a plain file of this user's; `None` where nothing does."""
        try:
            status = os.stat(self.below[-1], dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(status.st_mode):
            raise self._linked(self.path)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise NotPermitted(f"{self.path} is no plain file of yours; nothing was written.")
        return status

    @contextmanager
    def _folder(self, *, make: bool) -> Generator[int]:
        descriptor = os.open(self.base, _FOLDER)
        try:
            for n, name in enumerate(self.below[:-1]):
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o700, dir_fd=descriptor)
                try:
                    inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
                except NotADirectoryError:
                    raise self._linked(self.base.joinpath(*self.below[: n + 1])) from None
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def _put(self, folder: int, content: bytes, mode: int, *, private: bool) -> None:
        beside = f".{self.below[-1]}.{secrets.token_hex(8)}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(beside, flags, 0o600, dir_fd=folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fchmod(descriptor, mode if private or self._seen else mode & ~_umask())
                os.fsync(descriptor)
                self._seen = _mark(os.fstat(descriptor))
            os.replace(beside, self.below[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=folder)
            raise
        os.fsync(folder)

    def _linked(self, path: Path) -> NotPermitted:
        return NotPermitted(
            f"{path} is a link, or no folder: what it leads to is not written to.",
            hint="Put a plain file there, or take --print and paste the lines yourself.",
        )


def _mark(status: os.stat_result | None) -> _Seen:
    return None if status is None else (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


def _umask() -> int:
    now = os.umask(0o077)
    os.umask(now)
    return now


def in_repository(path: Path) -> bool:
    """Whether a file here lies in a working copy: what does is committed, sooner or later."""
    return any((folder / ".git").exists() for folder in path.parents)
