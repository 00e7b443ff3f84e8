"""A restore on its way: what is staged in the data directory until all of it is there, and then placed."""

import os
from contextlib import suppress
from pathlib import Path

from sophia.core.errors import Conflict
from sophia.core.refusals import DbUnavailable
from sophia.store import anchor, durable, keyfile
from sophia.store.container import MEMBERS
from sophia.store.failpoints import Failpoints
from sophia.store.keyfile import KEY_FILE, Source
from sophia.store.keyhome import refused
from sophia.store.lockfile import LOCK_FILE
from sophia.store.ownership import Ownership, proven

FOLDER = "restore.part"
_MAY_BE_THERE = frozenset({LOCK_FILE, "config.toml"})
_ENDS = ("", "-wal", "-shm", "-journal")


def begun(ownership: Ownership, source: Source) -> Path:
    """The empty folder that a restore is staged in; `Conflict` where the data directory is not an empty one.

    What an earlier restore left that was broken off is taken away.
    """
    directory = proven(ownership).directory
    if (directory / FOLDER).is_dir() and not (directory / KEY_FILE).exists():
        abandoned(ownership, source)
    there = sorted(set(os.listdir(directory)) - _MAY_BE_THERE)
    if there:
        raise Conflict(
            f"The data directory holds {', '.join(there[:5])}: a backup is restored into an empty one only.",
            hint="Name another one with SOPHIA_DATA_DIR, or move this one away; it stays as it is.",
        )
    folder = directory / FOLDER
    folder.mkdir(mode=0o700)
    durable.sync_folder(directory)
    return folder


def placed(ownership: Ownership, failpoints: Failpoints) -> None:
    """What was staged is the data directory's own from now on. `key.json` comes last, and makes it so."""
    directory = proven(ownership).directory
    folder = directory / FOLDER
    for name in (*MEMBERS, KEY_FILE):
        failpoints.reach(f"restore_{name}")
        durable.commit(folder / name, directory / name)
    failpoints.reach("restore_placed")
    folder.rmdir()
    durable.sync_folder(directory)


def abandoned(ownership: Ownership, source: Source) -> None:
    """Takes away all of a restore that was not finished, the owner's key and the anchor that it made included."""
    directory = proven(ownership).directory
    folder = directory / FOLDER
    for name in (KEY_FILE, keyfile.STAGED):
        with suppress(DbUnavailable):  # it was being written
            if found := keyfile.stored(folder, name):
                durable.remove(anchor.path(source.key_dir, found.key_id))
    keyfile.abandoned(folder, source)
    for name in MEMBERS:
        for end in _ENDS:
            (directory / (name + end)).unlink(missing_ok=True)
            (folder / (name + end)).unlink(missing_ok=True)
    folder.rmdir()
    durable.sync_folder(directory)


def require_finished(ownership: Ownership) -> None:
    """Refuse to start on a restore that was broken off; one that had only to be tidied up is."""
    folder = proven(ownership).directory / FOLDER
    if not folder.is_dir():
        return
    if not (ownership.directory / KEY_FILE).exists():
        raise refused("restore_unfinished", "A restore into this data directory was broken off: run it again.")
    for name in os.listdir(folder):
        (folder / name).unlink()
    folder.rmdir()
