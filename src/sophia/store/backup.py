"""Backups: one file with both databases, made while they are written to, or not made at all."""

import errno
import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from sophia.core.clock import rfc3339
from sophia.core.errors import BadArguments, Conflict, NotPermitted, StorageFull, Unavailable
from sophia.store import anchor, container, durable, pair
from sophia.store.anchor import Anchor
from sophia.store.backupkey import slots
from sophia.store.container import MEMBERS, BackupDamaged, Manifest, Step
from sophia.store.keys import Keys
from sophia.store.ownership import Ownership
from sophia.version import VERSION

LAST = "last-backup.json"
"""What the last backup was and where it was put, for whoever finds the data damaged."""
_STAGED = "backup"
_OURS = frozenset({_STAGED, *(name + end for name in MEMBERS for end in ("", "-wal", "-shm", "-journal"))})


@dataclass(frozen=True)
class Order:
    """What a backup is made of, and for whom."""

    ownership: Ownership
    keys: Keys
    key_dir: Path
    now: int
    passphrase: str | None = None
    still: pair.Still = nullcontext
    """Where somebody may be writing: keeps both databases as they are for its block."""


class LastBackup(msgspec.Struct, frozen=True):
    """The last backup that was made."""

    path: str
    made_at: str
    mutations: int


def backed_up(order: Order, path: Path, step: Step) -> Manifest:
    """A backup at `path`, on the disk when this returns: its manifest. Whatever goes wrong, nothing is left of it."""
    target = _target(order, path)
    manifest = packed(order, target, step)
    said = LastBackup(str(target), rfc3339(manifest.made_at), manifest.marks.seq)
    with suppress(OSError):  # the backup is there, whether or not the full disk of the data takes a note of it
        durable.write(order.ownership.directory / LAST, msgspec.json.encode(said) + b"\n")
    return manifest


def packed(order: Order, target: Path, step: Step) -> Manifest:
    """The same at a place of Sophia's own choosing, and without a note of it."""
    with _enough_room(target), _working_beside(target) as folder:
        marks, parts = pair.copied(order.ownership, order.keys, folder, order.still, step)
        noted = anchor.read(order.key_dir, order.keys.key_id, order.keys.seal)
        if isinstance(noted, Anchor):
            marks = msgspec.structs.replace(marks, accepted=noted.accepted, accepted_event=noted.accepted_event)
        opens = slots(order.ownership, order.keys, order.passphrase)
        bare = Manifest(1, order.now, VERSION, marks, order.keys.home, opens, parts)
        manifest = bare.sealed(order.keys.seal)
        fd = os.open(folder / _STAGED, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            os.fchmod(fd, 0o600)
            container.write(file, manifest, folder, step)
            file.flush()
            os.fsync(fd)
        durable.commit(folder / _STAGED, target)
        return manifest


def last(directory: Path) -> LastBackup | None:
    """The last backup of this data directory, as far as it is known."""
    with suppress(OSError, ValueError):
        return msgspec.json.decode((directory / LAST).read_bytes(), type=LastBackup)
    return None


def _target(order: Order, path: Path) -> Path:
    """The real place that the path means; a refusal where no backup is put."""
    try:
        folder = path.parent.resolve(strict=True)
        if not folder.is_dir():
            raise NotADirectoryError
    except (OSError, RuntimeError, ValueError):
        raise BadArguments("There is no folder to put the backup in; make it first.", argument="path") from None
    target = folder / path.name
    found = target.lstat() if target.exists() or target.is_symlink() else None
    for own in (order.ownership.directory, order.key_dir):
        if target.is_relative_to(own.resolve()):
            raise NotPermitted(
                "A backup is not put into the data directory or beside its key: what takes one would take the other.",
                argument="path",
            )
    if found is not None and not _replaceable(target, found):
        raise Conflict("There is something else at that path; name another one.", argument="path")
    return target


def _replaceable(target: Path, found: os.stat_result) -> bool:
    """Whether what is there is an earlier backup, or an empty file."""
    if not stat.S_ISREG(found.st_mode):
        return False
    if found.st_size == 0:
        return True
    try:
        with container.archive(target):
            return True
    except (BackupDamaged, OSError):
        return False


@contextmanager
def _working_beside(target: Path) -> Generator[Path]:
    """A folder of this process's own, on the disk of the target, gone after the block; one broken off is taken over."""
    folder = target.with_name(f".{target.name}.part")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(fd)
        if found.st_uid != os.geteuid() or not set(os.listdir(fd)) <= _OURS:
            raise Conflict(f"There is a folder {folder.name} beside it that is not Sophia's; move it away.")
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict("Another backup is being made at that path.") from None
        os.fchmod(fd, 0o700)
        _emptied(folder)
        try:
            yield folder
        finally:
            _emptied(folder)
            folder.rmdir()
    finally:
        os.close(fd)


def _emptied(folder: Path) -> None:
    for name in _OURS:
        (folder / name).unlink(missing_ok=True)


@contextmanager
def _enough_room(target: Path) -> Generator[None]:
    try:
        yield
    except StorageFull:
        raise StorageFull(
            f"The disk of {target.parent} is full; no backup was made. Twice the size of the data is needed there."
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"The disk of {target.parent} is full; no backup was made.") from None
        raise Unavailable(f"The backup cannot be written: {error.strerror}.") from None
