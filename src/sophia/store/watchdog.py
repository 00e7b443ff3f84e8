"""Whether what is owned still stands on its path: a renamed directory or an unlinked lock lets in a second owner."""

import os
from pathlib import Path

from sophia.core.refusals import LockfileSwapped
from sophia.store.ownership import Ownership

LOOK_EVERY_S = 2.0


def drifted(ownership: Ownership) -> str | None:
    """What no longer is as it was when the ownership was acquired, in words; `None` while all is."""
    return (
        _of_the_descriptor(ownership)
        or _of_the_path("data directory", ownership.directory, ownership.directory_inode)
        or _of_the_path("lock file", ownership.lock_path, ownership.lock_inode)
    )


def refusal(ownership: Ownership, drift: str) -> LockfileSwapped:
    """The refusal with which a daemon ends that has seen `drift`."""
    where = str(ownership.directory)
    return LockfileSwapped(f"In {where}, {drift}: this daemon stops before a second one writes beside it.", path=where)


def _of_the_descriptor(ownership: Ownership) -> str | None:
    if ownership.lock_fd < 0:
        return "the lock was given up"
    try:
        held = os.fstat(ownership.lock_fd)
    except OSError:
        return "the lock's descriptor was closed"
    if (held.st_dev, held.st_ino) != ownership.lock_inode:
        return "the lock's descriptor was closed, and is now another file's"
    return None if held.st_nlink == 1 else f"the lock file has {held.st_nlink} names"


def _of_the_path(noun: str, path: Path, inode: tuple[int, int]) -> str | None:
    try:
        found = path.lstat()
    except OSError:
        return f"the {noun} is no longer at its path"
    return None if (found.st_dev, found.st_ino) == inode else f"another {noun} stands at its path"
