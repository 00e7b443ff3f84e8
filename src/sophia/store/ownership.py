"""The one proof that this process, and no other, may open the databases of a data directory.

It holds against the accidental second copy under the same user, and not against every adversary: whoever runs
as that user can still read, replace or delete what the user can.
"""

import fcntl
import os
from contextlib import suppress
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import NoReturn

from sophia.store import lockfile
from sophia.store.directory import close_files, trusted
from sophia.store.lockfile import LOCK_FILE, NO_HOOKS, SOCKET_FILE, Hooks


class _Lock:
    """The descriptor that carries the kernel's lock, until it is closed."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        _OPEN.add(self)

    def close(self) -> None:
        fd, self.fd = self.fd, -1
        _OPEN.discard(self)
        os.close(fd)


# Descriptors belong to the process, and so does a hook of os.register_at_fork, which cannot be taken back: there is
# one hook, and this is where it finds what is open, also when whoever acquired it has lost sight of it.
_OPEN: set[_Lock] = set()
_ACQUIRED = object()


def _close_in_child() -> None:
    """A forked child that outlives a killed owner would go on holding its lock."""
    for lock in list(_OPEN):
        lock.close()


os.register_at_fork(after_in_child=_close_in_child)


@dataclass(frozen=True, eq=False)
class Ownership:
    """What only `acquire` makes and every function that opens a database asks for."""

    directory: Path
    directory_inode: tuple[int, int]
    lock_inode: tuple[int, int]
    notices: tuple[str, ...]
    """What was tightened on the way, for the log."""
    lock: _Lock = field(repr=False)
    token: InitVar[object] = None

    def __post_init__(self, token: object) -> None:
        if token is not _ACQUIRED:
            raise TypeError("An Ownership is made by sophia.store.ownership.acquire() and by nothing else.")

    def __reduce__(self) -> NoReturn:
        raise TypeError("An Ownership cannot be copied or sent to another process.")

    @property
    def lock_fd(self) -> int:
        """The locked descriptor; -1 once it was released, and in a forked child."""
        return self.lock.fd

    @property
    def lock_path(self) -> Path:
        """Where the lock file is."""
        return self.directory / LOCK_FILE

    @property
    def socket_path(self) -> Path:
        """Where the owner answers the command line."""
        return self.directory / SOCKET_FILE


def acquire(directory: Path, *, hooks: Hooks = NO_HOOKS) -> Ownership:
    """The ownership of `directory`, which is made if it is missing; a `Refusal` of 80 to 84 where it cannot be had."""
    place = trusted(directory)
    try:
        lock = _Lock(lockfile.opened(place, hooks))
        try:
            lockfile.take(place, lock.fd, hooks)
            notices = place.notices + close_files(place)
            lockfile.sign(lock.fd)
            return Ownership(place.path, _inode(place.fd), _inode(lock.fd), notices, lock, _ACQUIRED)
        except BaseException:
            lock.close()
            raise
    finally:
        os.close(place.fd)


def release(ownership: Ownership) -> None:
    """Gives the ownership up. The lock file stays: to unlink it would let two processes lock two files."""
    if ownership.lock_fd < 0:
        return
    with suppress(OSError):
        os.ftruncate(ownership.lock_fd, 0)
    fcntl.flock(ownership.lock_fd, fcntl.LOCK_UN)
    ownership.lock.close()


def proven(ownership: object) -> Ownership:
    """The ownership itself, if it is one and is still held by this process; `TypeError` else."""
    if not isinstance(ownership, Ownership):
        raise TypeError("A database is opened with the Ownership that sophia.store.ownership.acquire() returns.")
    if ownership.lock_fd < 0:
        raise TypeError("This Ownership was released, or belongs to the process that this one was forked from.")
    return ownership


def _inode(fd: int) -> tuple[int, int]:
    found = os.fstat(fd)
    return found.st_dev, found.st_ino
