"""Opening a data directory: ownership, keys, databases, and the house over them, in the one order that is safe."""

import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sophia.assembly import Materials, assembled
from sophia.capabilities.documents.grants import Protected
from sophia.catalog.group import Group
from sophia.core.clock import Clock
from sophia.core.ids import Ids
from sophia.dispatch.parts import Parts
from sophia.dispatch.reconcile import reconcile
from sophia.settings import Settings
from sophia.store import anchor
from sophia.store.anchor import Anchor, Missing, Tampered
from sophia.store.databases import Databases, open_databases
from sophia.store.failpoints import Failpoints
from sophia.store.keys import Keys, unlock
from sophia.store.ownership import Ownership, acquire, release
from sophia.surface import GROUPS
from sophia.system_clock import SystemClock, SystemIds
from sophia.version import VERSION

OLDER = "The state is older than its anchor: it was restored or rolled back. `sophia verify --accept` accepts it."


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

    def anchored(self) -> None:
        """Note outside the directory how far the state has come, so that an older one is known for what it is."""
        state = self.databases.state
        if state.read_only is None:
            now = Anchor(state.head.seq, state.head.hash, state.epoch)
            anchor.write(self.settings.key_dir, self.keys.key_id, self.keys.seal, now)

    def close(self) -> None:
        """Leave everything whole: what was counted is written, the logs are folded back, the lock is given up."""
        self.parts.usage.flush()
        self.anchored()
        self.databases.close()
        release(self.ownership)


def opened(
    settings: Settings, passphrase: Callable[[], str] | None = None, groups: Iterable[Group[Any]] = GROUPS
) -> Opened:
    """The data directory of these settings, made on the first run; a `Refusal` of 80 to 88 where it cannot be had."""
    ownership = acquire(settings.data_dir)
    try:
        keys = unlock(ownership, settings.key_dir, settings.keyring, passphrase)
        clock = SystemClock()
        databases = open_databases(ownership, keys, clock, Failpoints(settings.failpoint or ""))
        anchored = _checked(settings, keys, databases)
        parts = _house(groups, settings, keys, databases, clock, SystemIds(clock))
        whole = reconcile(databases.state, databases.ops, parts.mint, clock) if not databases.state.read_only else []
    except BaseException:
        release(ownership)
        raise
    return Opened(settings, ownership, keys, databases, parts, (*ownership.notices, *keys.notices, *anchored, *whole))


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
    )  # fmt: skip
    return assembled(groups, given)


def _checked(settings: Settings, keys: Keys, databases: Databases) -> tuple[str, ...]:
    """Hold the state against its anchor: an older one may be read, and not written, until the owner accepts it."""
    state = databases.state
    match anchor.read(settings.key_dir, keys.key_id, keys.seal):
        case Missing():
            return ()
        case Tampered():
            state.read_only = OLDER
            return ("the anchor is not one that Sophia wrote",)
        case Anchor(seq, link, epoch):
            if epoch >= state.epoch or not state.passed(seq, link):
                state.read_only = OLDER
                return ("the state is older than its anchor",)
            return ()
