"""Small private files that are whole or not there at all, whatever happens while they are written."""

import fcntl
import os
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Puts `content` at `path`, readable by its owner only, in one step. One writer at a time for each path."""
    stage(_staged(path), content)
    commit(_staged(path), path)


def stage(staged: Path, content: bytes) -> None:
    """Puts `content` on the disk at `staged`, to be given its real name by `commit`."""
    staged.unlink(missing_ok=True)
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, 0o600)
            file.write(content)
            file.flush()
            _sync(fd)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
    sync_folder(staged.parent)


def commit(staged: Path, path: Path) -> None:
    """Gives what was staged its name, in place of what had that name."""
    staged.replace(path)
    sync_folder(path.parent)


def remove(path: Path) -> None:
    """Takes the file away, if it is there, and what was staged for it."""
    there = [each for each in (path, _staged(path)) if each.is_symlink() or each.exists()]
    for each in there:
        each.unlink()
    if there:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Returns when the names in `folder` are on the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _staged(path: Path) -> Path:
    return path.with_name(path.name + ".new")


def _sync(fd: int) -> None:
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is None:
        os.fsync(fd)
    else:  # on macOS fsync stops at the drive's own cache
        fcntl.fcntl(fd, full)
