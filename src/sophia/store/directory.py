"""Whether a directory can be trusted with secrets: made 0700 where it is missing, tightened where it is merely open."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sophia.core.refusals import DatadirUntrusted

PRIVATE_FILES = ("key.json", "key.json.new", "config.toml", "last-backup.json")
PRIVATE_ENDINGS = (".db", ".db-wal", ".db-shm", ".db-journal", ".sock", ".log", ".backup")
PRIVATE_FOLDERS = ("log", "before-upgrade", "restore.part")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Trusted:
    """A directory that passed, held open so that what follows happens in it and not in what replaced it."""

    path: Path
    fd: int
    notices: tuple[str, ...]


def trusted(path: Path, noun: str = "data directory") -> Trusted:
    """The directory at `path`, made if need be, checked and closed to others; `DatadirUntrusted` if it cannot be."""
    with _examining(path):
        path = _resolved(path)
        _make(path)
        _check_parent(path.parent, noun)
        fd = _open(path)
        try:
            return Trusted(path, fd, tuple(_tightened(path, fd, noun)))
        except BaseException:
            os.close(fd)
            raise


def close_files(directory: Trusted) -> tuple[str, ...]:
    """Takes the files that Sophia keeps there from other users; the answer names each one that was open to them.

    A database that is a link would let two directories with two locks share one file: `DatadirUntrusted`.
    """
    with _examining(directory.path):
        notices = _closed(directory.path, directory.fd)
        for name in PRIVATE_FOLDERS:
            notices += _closed_folder(directory, name)
        return tuple(notices)


def _closed_folder(directory: Trusted, name: str) -> list[str]:
    try:
        fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=directory.fd)
    except FileNotFoundError:
        return []
    except OSError:
        raise _untrusted(directory.path, f"has no ordinary directory as its {name}", entry=name) from None
    try:
        return _closed(directory.path / name, fd)
    finally:
        os.close(fd)


def _closed(folder: Path, fd: int) -> list[str]:
    notices: list[str] = []
    found = os.fstat(fd)
    if found.st_uid != os.geteuid():
        raise _untrusted(folder, f"belongs to another user (uid {found.st_uid})")
    if found.st_mode & _OTHERS:
        os.fchmod(fd, 0o700)
        notices.append(f"{folder.name} tightened from {stat.S_IMODE(found.st_mode):04o} to 0700")
    for name in sorted(os.listdir(fd)):
        if name in PRIVATE_FILES or name.endswith(PRIVATE_ENDINGS):
            notices += _close_file(folder, name, fd)
    return notices


def _resolved(path: Path) -> Path:
    """`path` made absolute through its parents' links, but not through itself: that would hide a link."""
    path = Path.cwd() / path
    return path.resolve() if path.name in ("", "..") else path.parent.resolve() / path.name


def _make(path: Path) -> None:
    if path.exists() or path.is_symlink():
        return
    _make(path.parent)
    try:
        path.mkdir(mode=0o700)
        path.chmod(0o700)
    except FileExistsError:
        return
    except OSError as error:
        raise _untrusted(path, f"cannot be created: {error.strerror}") from None
    parent = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)


def _check_parent(parent: Path, noun: str) -> None:
    """Who may rename in the parent can put another directory in this one's place."""
    found = os.stat(parent)
    if found.st_uid not in (0, os.geteuid()):
        raise _untrusted(parent, f"holds the {noun} and belongs to another user (uid {found.st_uid})")
    # A group of one's own is how Debian and Fedora make users: its write bit lets nobody else in.
    group = found.st_mode & stat.S_IWGRP and found.st_gid not in (0, os.getegid())
    if (found.st_mode & stat.S_IWOTH or group) and not found.st_mode & stat.S_ISVTX:
        raise _untrusted(parent, f"holds the {noun} and others may rename in it; take their write permission away")


def _open(path: Path) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise _untrusted(path, "is a symbolic link; name the directory itself") from None
        raise _untrusted(path, f"cannot be opened as a directory: {error.strerror}") from None
    owner = os.fstat(fd).st_uid
    if owner != os.geteuid():
        os.close(fd)
        raise _untrusted(path, f"belongs to another user (uid {owner})")
    return fd


def _tightened(path: Path, fd: int, noun: str) -> Iterator[str]:
    mode = stat.S_IMODE(os.fstat(fd).st_mode)
    if mode & 0o777 == 0o700:
        return
    if mode & _OTHERS_WRITE:
        _check_entries(path, fd)
    os.fchmod(fd, 0o700)
    if mode & _OTHERS_WRITE:
        # Once more: until the line above, others could still add one.
        _check_entries(path, fd)
    yield f"{noun} changed from mode {mode:04o} to 0700"


def _check_entries(path: Path, fd: int) -> None:
    """Whether all that stands in a directory that others could write to is this user's own, and only there."""
    for _, folders, files, folder_fd in os.fwalk(dir_fd=fd, follow_symlinks=False):
        for name in folders + files:
            reason = _foreign(os.stat(name, dir_fd=folder_fd, follow_symlinks=False))
            if reason:
                raise _untrusted(path, f"was open to others, and an entry in it {reason}", entry=name)


def _foreign(found: os.stat_result) -> str | None:
    if found.st_uid != os.geteuid():
        return f"belongs to another user (uid {found.st_uid})"
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode) or stat.S_ISSOCK(found.st_mode)):
        return "is no ordinary file"
    if stat.S_ISREG(found.st_mode) and found.st_nlink != 1:
        return f"has {found.st_nlink} names (hard links)"
    return None


def _close_file(folder: Path, name: str, fd: int) -> list[str]:
    try:
        found = os.stat(name, dir_fd=fd, follow_symlinks=False)
    except FileNotFoundError:
        return []
    reason = _foreign(found)
    if reason:
        raise _untrusted(folder, f"holds {name}, which {reason}", entry=name)
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISDIR(found.st_mode) or not mode & _OTHERS:
        return []
    os.chmod(name, 0o600, dir_fd=fd)
    return [f"{name} tightened from {mode:04o} to 0600"]


def _untrusted(path: Path, why: str, **details: object) -> DatadirUntrusted:
    return DatadirUntrusted(f"{path} {why}.", path=str(path), **details)


@contextmanager
def _examining(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _untrusted(path, f"cannot be examined: {error.strerror}") from None
    except (RuntimeError, ValueError) as error:  # links in a circle; a NUL
        raise _untrusted(path, f"is no usable path: {error}") from None
