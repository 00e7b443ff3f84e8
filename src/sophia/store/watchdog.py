"""Whether what is owned still stands on its path: a renamed directory or an unlinked lock lets in a second owner."""

import os

from sophia.store.ownership import Ownership
from sophia.store.refusals import LockfileSwapped

LOOK_EVERY_S = 2.0


def drifted(ownership: Ownership) -> str | None:
    """What no longer is as it was when the ownership was acquired, in words; `None` while all is."""
    if ownership.lock_fd < 0:
        return "the lock was given up"
    try:
        held = os.fstat(ownership.lock_fd)
    except OSError:
        return "the lock's descriptor was closed"
    if (held.st_dev, held.st_ino) != ownership.lock_inode:
        return "the lock's descriptor was closed and used for another file"
    for path, inode, noun in (
        (ownership.directory, ownership.directory_inode, "data directory"),
        (ownership.lock_path, ownership.lock_inode, "lock file"),
    ):
        try:
            found = path.lstat()
        except OSError:
            return f"the {noun} is no longer at its path"
        if (found.st_dev, found.st_ino) != inode:
            return f"another {noun} stands at its path"
    if held.st_nlink != 1:
        return f"the lock file has {held.st_nlink} names"
    return None


def refusal(ownership: Ownership, drift: str) -> LockfileSwapped:
    """The refusal with which a daemon ends that has seen `drift`."""
    where = str(ownership.directory)
    return LockfileSwapped(f"In {where}, {drift}: this daemon stops before a second one writes beside it.", path=where)
