"""Opening a data directory: ownership, keys, databases, and the house over them, in the one order that is safe."""

import logging
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sophia.assembly import Materials, assembled
from sophia.capabilities.documents.grants import Protected
from sophia.catalog.group import Group
from sophia.core.clock import Clock
from sophia.core.errors import SophiaError
from sophia.core.ids import Ids
from sophia.core.refusals import DbUnavailable
from sophia.dispatch.forgetting import Forgetting
from sophia.dispatch.parts import Parts
from sophia.dispatch.reconcile import reconcile
from sophia.search.provider import Embeddings
from sophia.settings import Settings
from sophia.store import anchor, backup, restored, upgrade, watchdog
from sophia.store.anchor import Anchor, Missing, Tampered
from sophia.store.backup import Order
from sophia.store.databases import Databases, open_databases
from sophia.store.failpoints import Failpoints
from sophia.store.forgetlist import ForgetList
from sophia.store.keys import Keys, unlock
from sophia.store.ops import Ops
from sophia.store.ownership import Ownership, acquire, release
from sophia.store.state import State
from sophia.surface import GROUPS
from sophia.system_clock import SystemClock, SystemIds
from sophia.version import VERSION

ACCEPT = "`sophia verify` says more; `sophia verify --accept` accepts it."
_log = logging.getLogger("sophia.opening")


@dataclass(frozen=True)
class Opened:
    """An owned and opened data directory."""

    settings: Settings
    ownership: Ownership
    keys: Keys
    databases: Databases
    parts: Parts
    notices: tuple[str, ...]
    """What was tightened or made whole on the way, for the log."""
    _noted: list[Anchor] = field(default_factory=list)

    def anchored(self) -> None:
        """Note outside the directory how far the state has come, so that an older one is known for what it is."""
        state, log = self.databases.state, self.databases.ops.head
        now = Anchor(state.head.seq, state.head.hash, state.epoch, log.n, log.hash)
        if state.read_only is None and self._noted[-1:] != [now]:
            place = (self.settings.key_dir, self.keys.key_id, self.keys.seal)
            match anchor.read(*place):
                case Anchor(accepted=accepted, accepted_event=event):
                    anchor.write(*place, replace(now, accepted=accepted, accepted_event=event))
                case _:
                    anchor.write(*place, now)
            self._noted[:] = [now]

    def close(self) -> None:
        """Leave everything whole: what was counted is written, the logs are folded back, the lock is given up.

        What cannot be written now does not keep the rest from being closed. Where the directory is no longer what
        was owned, nothing is written any more: another owner may stand there.
        """
        try:
            self.parts.chores.end()
            if watchdog.drifted(self.ownership):
                self.databases.drop()
                return
            for last in (self.parts.usage.flush, self.parts.trail.flush, self.anchored):
                try:
                    last()
                except (SophiaError, OSError):
                    _log.exception("something could not be written at the end")
            self.databases.close()
        finally:
            release(self.ownership)


def opened(
    settings: Settings, passphrase: Callable[[], str] | None = None, groups: Iterable[Group[Any]] = GROUPS
) -> Opened:
    """The data directory of these settings, made on the first run; a `Refusal` of 80 to 88 where it cannot be had."""
    failpoints = Failpoints(settings.failpoint or "")
    ownership = acquire(settings.data_dir)
    databases: Databases | None = None
    try:
        failpoints.reach("boot_owned")
        restored.require_finished(ownership)
        keys = unlock(ownership, settings.key_dir, settings.keyring, passphrase)
        failpoints.reach("boot_unlocked")
        clock = SystemClock()
        anchored = anchor.read(settings.key_dir, keys.key_id, keys.seal)
        kept = upgrade.kept_before(Order(ownership, keys, settings.key_dir, clock.now()), failpoints)
        databases = open_databases(ownership, keys, clock, failpoints, lambda state, ops: _doubt(anchored, state, ops))
        failpoints.reach("boot_opened")
        parts = _house(groups, settings, keys, databases, clock, SystemIds(clock))
        doubt = databases.state.read_only
        forgetting = Forgetting(databases, parts.owner, clock, parts.ids, ForgetList(settings.key_dir, keys.seal))
        whole = [doubt] if doubt else reconcile(databases.state, databases.ops, parts.mint, clock) + forgetting.resume()
        failpoints.reach("boot_reconciled")
    except BaseException as error:
        if databases is not None:
            databases.drop()
        if isinstance(error, DbUnavailable):
            _name_a_backup(error, ownership.directory)
        release(ownership)
        raise
    upgraded = [f"the schema was upgraded; {kept.name} was kept from before"] if kept else []
    notices = (*ownership.notices, *keys.notices, *upgraded, *whole)
    house = Opened(settings, ownership, keys, databases, parts, notices)
    if isinstance(anchored, Missing) and not doubt:
        house.anchored()
    return house


def _name_a_backup(error: DbUnavailable, directory: Path) -> None:
    """Add to what is wrong with the data where the owner last put a copy of it."""
    if found := backup.last(directory):
        error.message += f" The last backup: {found.path}, of {found.made_at}."
        error.details["last_backup"] = found.path
    elif copies := upgrade.copies(directory):
        error.message += f" The last copy: {copies[0]}, from before an upgrade."
        error.details["last_backup"] = str(copies[0])


def presence_of(settings: Settings, keys: Keys) -> str:
    """How the owner's presence is known: as set, else by the passphrase where there is one, else by the terminal."""
    return settings.presence or ("passphrase" if keys.home == "passphrase" else "terminal")


def _house(
    groups: Iterable[Group[Any]], settings: Settings, keys: Keys, databases: Databases, clock: Clock, ids: Ids
) -> Parts:
    protected = Protected((settings.data_dir, settings.key_dir))
    given = Materials(
        databases, keys.seal, clock, ids, secrets.token_bytes, protected, VERSION, presence_of(settings, keys),
        settings.approval_ttl_minutes,
        Embeddings(
            settings.embeddings, settings.embeddings_url, settings.embeddings_model, settings.embeddings_key,
            settings.documents_leave_machine,
        ),
    )  # fmt: skip
    return assembled(groups, given)


def _doubt(anchored: Anchor | Missing | Tampered, state: State, ops: Ops) -> str | None:
    """Why what was found may be read, and not written, until the owner accepts it: it is broken, or it is older."""
    accepted = anchored if isinstance(anchored, Anchor) else Anchor(0, "", 0)
    seq, event = state.broken_at(accepted.accepted), ops.broken_at(accepted.accepted_event)
    if seq is not None:
        return f"The journal is not what was written from mutation {seq} on. {ACCEPT}"
    if event is not None:
        return f"The security log is not what was written from event {event} on. {ACCEPT}"
    match anchored:
        case Missing():
            # Nothing is written before the first anchor is: where something was, its anchor was taken away.
            return f"The anchor of this state is missing. {ACCEPT}" if state.head.seq > 0 else None
        case Tampered():
            return f"The anchor is not one that Sophia wrote. {ACCEPT}"
        case Anchor():
            return _older(anchored, state, ops)


def _older(anchored: Anchor, state: State, ops: Ops) -> str | None:
    if anchored.epoch > state.found_epoch or not state.passed(anchored.seq, anchored.hash):
        return f"The state is older than its anchor: it was restored or rolled back. {ACCEPT}"
    if not ops.passed(anchored.event, anchored.event_hash):
        return f"The security log is older than its anchor: it was restored or rolled back. {ACCEPT}"
    return None
