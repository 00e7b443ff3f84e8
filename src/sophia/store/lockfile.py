"""The lock file: opened so that it cannot be another one, locked, and signed by who holds it."""

import errno
import fcntl
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sophia.core.clock import rfc3339
from sophia.core.refusals import LockfileInvalid, LockfileSwapped, LockUnsupported, OwnerLive
from sophia.store.directory import Trusted
from sophia.store.holder import Holder, holder
from sophia.version import VERSION

LOCK_FILE = "owner.lock"
SOCKET_FILE = "sophia.sock"
_ATTEMPTS = 100
_HOLD: int | None = getattr(os, "O_PATH", None)
"""Linux has it; the file system of macOS gives no inode number twice."""


@dataclass(frozen=True)
class Hooks:
    """Where a test steps in between two steps, or stands in for a file system."""

    between_check_and_open: Callable[[], None] = lambda: None
    between_open_and_lock: Callable[[], None] = lambda: None
    flock: Callable[[int, int], None] = fcntl.flock


NO_HOOKS = Hooks()


def opened(place: Trusted, hooks: Hooks) -> int:
    """A descriptor of the lock file, made if it is missing, that is the very file that was looked at before."""
    for _ in range(_ATTEMPTS):
        try:
            with _looked_at(place) as before:
                fd = _open(place, before, hooks)
        except OSError as error:
            raise _not_opened(place, None, error) from None
        if fd is not None:
            return fd
    raise _swapped(place, "again and again while it was being opened")


@contextmanager
def _looked_at(place: Trusted) -> Iterator[os.stat_result | None]:
    """What stands at the path, without opening it for use.

    It is held meanwhile where the system can: an unlinked file's inode number may go to the next one that is made.
    """
    if _HOLD is None:
        yield _found(place)
        return
    try:
        held = os.open(LOCK_FILE, _HOLD | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.fd)
    except FileNotFoundError:
        yield None
        return
    try:
        yield os.fstat(held)
    finally:
        os.close(held)


def _open(place: Trusted, before: os.stat_result | None, hooks: Hooks) -> int | None:
    """The descriptor; `None` where another starter made the file in this moment."""
    if before:
        _check(place, before)
    hooks.between_check_and_open()
    flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | (0 if before else os.O_CREAT | os.O_EXCL)
    try:
        fd = os.open(LOCK_FILE, flags, 0o600, dir_fd=place.fd)
    except FileExistsError:
        return None
    except OSError as error:
        raise _not_opened(place, before, error) from None
    try:
        _check_opened(place, before, os.fstat(fd))
        os.fchmod(fd, 0o600)
    except BaseException:
        os.close(fd)
        raise
    return fd


def take(place: Trusted, fd: int, hooks: Hooks) -> None:
    """Locks `fd`, or refuses: because another process has it, or because what it locked is not what counts."""
    hooks.between_open_and_lock()
    try:
        hooks.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _owner_live(place, holder(fd, place.path / SOCKET_FILE)) from None
    except OSError as error:
        raise _no_lock(place, os.strerror(error.errno or errno.ENOLCK)) from None
    on_path = _found(place)
    if on_path is None or _inode(on_path) != _inode(os.fstat(fd)):
        raise _swapped(place, "between being opened and being locked")
    _check(place, on_path)
    if not _excludes(place, hooks):
        raise _no_lock(place, "a second lock on a locked file was granted")


def _excludes(place: Trusted, hooks: Hooks) -> bool:
    """Whether the lock keeps another one out: some file systems say yes to everybody."""
    second = os.open(LOCK_FILE, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=place.fd)
    try:
        hooks.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(second)
    return False


def sign(fd: int) -> None:
    """Says in the lock file who holds it. The file's own time says since when."""
    # What is written helps who is refused; a full disk must not keep the owner out.
    with suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps({"pid": os.getpid(), "version": VERSION}).encode(), 0)


def _found(place: Trusted) -> os.stat_result | None:
    try:
        return os.stat(LOCK_FILE, dir_fd=place.fd, follow_symlinks=False)
    except FileNotFoundError:
        return None


def _check(place: Trusted, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise _invalid(place, "is not an ordinary file")
    if found.st_uid != os.geteuid():
        raise _invalid(place, f"belongs to another user (uid {found.st_uid})")
    if found.st_nlink > 1:
        raise _invalid(place, f"has {found.st_nlink} names (hard links)")


def _check_opened(place: Trusted, before: os.stat_result | None, opened: os.stat_result) -> None:
    if before and _inode(before) != _inode(opened):
        raise _swapped(place, "between being checked and being opened")
    _check(place, opened)


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _not_opened(place: Trusted, before: os.stat_result | None, error: OSError) -> Exception:
    if before and error.errno in (errno.ELOOP, errno.ENOENT, errno.ENXIO, errno.EISDIR):
        return _swapped(place, "between being checked and being opened")
    if error.errno in (errno.EACCES, errno.EPERM, errno.ELOOP):
        return _invalid(place, f"cannot be opened: {error.strerror}")
    return _no_lock(place, str(error.strerror))


def _owner_live(place: Trusted, found: Holder) -> OwnerLive:
    return OwnerLive(
        f"{place.path} is owned by {found.told()}. Stop that one first, or use another data directory.",
        path=str(place.path),
        pid=found.pid,
        started_at=None if found.since is None else rfc3339(found.since),
        version=found.version,
        answers=found.answers,
    )


def _invalid(place: Trusted, why: str) -> LockfileInvalid:
    path = place.path / LOCK_FILE
    return LockfileInvalid(f"{path} {why}; move it away if no Sophia is running.", path=str(path))


def _swapped(place: Trusted, when: str) -> LockfileSwapped:
    path = place.path / LOCK_FILE
    return LockfileSwapped(f"{path} was exchanged {when}; see what else touches that directory.", path=str(path))


def _no_lock(place: Trusted, why: str) -> LockUnsupported:
    return LockUnsupported(
        f"{place.path} cannot be locked ({why}); put the data directory on a local disk that can be written to.",
        path=str(place.path),
        reason=why,
    )
