"""A backup put back: into an empty data directory, all of it or nothing, with nobody's old authority in it."""

import errno
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sophia.access.minting import Mint
from sophia.assembly import USER_ID
from sophia.core.caller import Owner
from sophia.core.clock import Clock, rfc3339
from sophia.core.errors import NotFound, StorageFull, Unavailable
from sophia.core.scope import EVERYTHING
from sophia.dispatch.forgetting import Forgetting
from sophia.owner.office import OWNER
from sophia.settings import Settings
from sophia.store import anchor, keyfile, migrate, restored
from sophia.store.anchor import Anchor
from sophia.store.backupkey import Opener, Unlocked, unlocked
from sophia.store.container import Archive, BackupDamaged, Marks, archive
from sophia.store.databases import open_databases
from sophia.store.failpoints import Failpoints
from sophia.store.forgetlist import ForgetList
from sophia.store.keyfile import Source
from sophia.store.keyhome import os_keyring
from sophia.store.keys import Keys, derived, prepared
from sophia.store.ownership import Ownership, acquire, release
from sophia.store.verify import Findings, verified
from sophia.system_clock import SystemIds

Step = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Restore:
    """What is put back, where, and what there is to open it with."""

    settings: Settings
    path: Path
    ask: Callable[[], str] | None
    given: str | None
    clock: Clock
    step: Step


@dataclass(frozen=True)
class _Own:
    """What was put back, as this owner's own: what was found, where it stands, whom it ended and what it forgot."""

    findings: Findings
    marks: Marks
    ended: int
    forgotten: int


def restore(order: Restore) -> dict[str, Any]:
    """What was put back. `OwnerLive` where a daemon owns the data directory, `Conflict` where that is not empty."""
    ownership = acquire(order.settings.data_dir)
    try:
        with archive(_file(order.path)) as found:
            return _restored(order, ownership, found)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull("The disk of the data directory is full; nothing was restored.") from None
        raise Unavailable(f"The backup cannot be restored: {error.strerror}.") from error
    finally:
        release(ownership)


def _file(path: Path) -> Path:
    if not path.is_file():
        raise NotFound("There is no backup at that path.", argument="path")
    return path


def _restored(order: Restore, ownership: Ownership, found: Archive) -> dict[str, Any]:
    settings, manifest = order.settings, found.manifest
    for part in manifest.parts:
        migrate.require_known(part.name.removesuffix(".db"), part.schema)
    key_dir = prepared(settings.key_dir)
    source = Source(key_dir, settings.keyring, None, os_keyring, secrets.token_bytes)
    folder = restored.begun(ownership, source)
    try:
        opened = unlocked(manifest.slots, Opener(key_dir, settings.keyring, order.ask, order.given))
        keys = _own_keys(found, folder, source, opened)
        found.take(folder, order.step)
        own = _made_ones_own(order, ownership, keys, folder)
        marks = own.marks
        anchored = Anchor(
            marks.seq, marks.hash, marks.epoch, marks.event, marks.event_hash, manifest.marks.accepted,
            manifest.marks.accepted_event,
        )  # fmt: skip
        anchor.write(key_dir, keys.key_id, keys.seal, anchored)
        restored.placed(ownership, Failpoints(settings.failpoint or ""))
    except BaseException:
        if not (ownership.directory / keyfile.KEY_FILE).exists():
            restored.abandoned(ownership, source)
        raise
    return {
        "data_dir": str(ownership.directory),
        "mutations": own.marks.seq,
        "made_at": rfc3339(manifest.made_at),
        "key_home": keys.home,
        "ok": own.findings.whole,
        "journal_breaks_at": own.findings.journal_breaks[0] if own.findings.journal_breaks else None,
        "rows_differ": len(own.findings.differing),
        "security_log_breaks_at": own.findings.log_breaks_at,
        "connections_ended": own.ended,
        "forgotten_again": own.forgotten,
    }


def _own_keys(found: Archive, folder: Path, source: Source, opened: Unlocked) -> Keys:
    """The backup's keys under an owner's key of their own: the original, if it still stands, is another state now."""
    manifest = found.manifest
    same = opened.passphrase if manifest.home == "passphrase" else None
    wrapped = keyfile.sealed(
        folder, source, opened.data_key, secrets.token_hex(16), turn=0,
        passphrase=None if same is None else keyfile.normal(same),
    )  # fmt: skip
    keys = derived(opened.data_key, wrapped)
    if not manifest.holds(keys.seal):
        raise BackupDamaged("The manifest of the backup was not sealed with the data's own key; nothing was restored.")
    return keys


def _made_ones_own(order: Restore, ownership: Ownership, keys: Keys, folder: Path) -> _Own:
    """Both databases at this version's schema, read from end to end, in a new epoch, with every connection ended."""
    clock = order.clock
    databases = open_databases(ownership, keys, clock, folder=folder)
    try:
        listed = ForgetList(prepared(order.settings.key_dir), keys.seal)
        forgotten = Forgetting(databases, Owner(USER_ID, EVERYTHING), clock, SystemIds(clock), listed).resume()
        findings = verified(ownership, keys, order.step, folder)
        if findings.damage:
            raise BackupDamaged("A database in the backup is damaged; nothing was restored.")
        ended = Mint(databases.state, databases.ops, clock, secrets.token_bytes, USER_ID).end_all(OWNER, "restored")
        state, ops = databases.state, databases.ops
        with ops.writing() as tx:
            tx.log("restored", OWNER, str(state.head.seq), connections_ended=ended)
        marks = Marks(state.head.seq, state.head.hash, ops.head.n, ops.head.hash, state.epoch)
    finally:
        databases.close()
    return _Own(findings, marks, ended, len(forgotten))
