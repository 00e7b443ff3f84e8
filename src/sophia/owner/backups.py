"""The owner's command that makes a backup."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from sophia.core.clock import rfc3339
from sophia.core.errors import SophiaError
from sophia.owner.folders import PathText
from sophia.owner.office import OWNER, Office
from sophia.owner.passphrase import Secret
from sophia.owner.presence import Confirmation
from sophia.store.backup import Order, backed_up
from sophia.store.backupkey import needed
from sophia.store.container import Manifest


class Backup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the backup is put, by its absolute path, and a passphrase that opens it beside the owner's key."""

    path: PathText
    passphrase: Secret | None = None


def run(office: Office, asked: Backup) -> dict[str, Any]:
    """What was made: `{path, bytes, mutations, made_at, opens_with, warning?}`."""
    databases = office.parts.databases

    def step(told: str, done: int, total: int) -> None:
        office.progress({"step": told, "done": done, "total": total})

    order = Order(
        office.ownership, office.keys, office.settings.key_dir, office.parts.clock.now(), asked.passphrase,
        databases.still,
    )  # fmt: skip
    made = backed_up(order, Path(asked.path), step)
    with suppress(SophiaError), databases.ops.writing() as tx:  # where nothing can be written, a backup is wanted most
        tx.log("backed_up", OWNER, asked.path, mutations=made.marks.seq, passphrase=asked.passphrase is not None)
    return {
        "path": asked.path,
        "bytes": sum(part.size for part in made.parts),
        "mutations": made.marks.seq,
        "made_at": rfc3339(made.made_at),
        "sha256": {part.name: part.sha256 for part in made.parts},
        "opens_with": [needed(slot, office.settings.key_dir) for slot in made.slots[:1]]
        + ["the passphrase that was given for it"] * (len(made.slots) - 1),
        **_warned(office, made),
    }


def _warned(office: Office, made: Manifest) -> dict[str, str]:
    """What the owner must know of a backup that a lost machine takes with it."""
    if any(slot.home == "passphrase" for slot in made.slots):
        return {}
    return {
        "warning": f"This backup opens ONLY with {needed(made.slots[0], office.settings.key_dir)}. If that is lost, the"
        " backup is worthless: keep a copy of it elsewhere, or make the backup with --passphrase."
    }


def confirmed(office: Office, asked: Backup) -> Confirmation | None:
    """What a backup with a passphrase confirms: whoever has both reads everything. One without gives no power."""
    if asked.passphrase is None:
        return None
    where = office.ownership.directory
    return Confirmation(f"Make a backup of all of {where} that opens with another passphrase.", "backup")
