"""Backups made of houses in this process, and put back beside them."""

from pathlib import Path
from typing import Any

from sophia.core.clock import Clock
from sophia.owner.restoring import Restore, restore
from sophia.settings import Settings
from sophia.store.backup import Order, backed_up
from sophia.store.container import Manifest
from sophia.store.verify import unheard
from sophia.system_clock import SystemClock
from tests.support.house import House


def order(home: House, passphrase: str | None = None) -> Order:
    """A backup of this house, which stands."""
    return Order(home.ownership, home.keys, home.directory / "keys", home.clock.now(), passphrase, home.databases.still)


def made(home: House, path: Path, passphrase: str | None = None) -> Manifest:
    """A backup of this house at that path."""
    return backed_up(order(home, passphrase), path, unheard)


def put_back(
    path: Path, place: Path, given: str | None = None, *, failpoint: str = "", keys: Path | None = None
) -> dict[str, Any]:
    """What a restore into the data directory of this place tells. Its key directory is that of the place, or `keys`."""
    settings = Settings(
        data_dir=place / "data", key_dir=keys or place / "keys", keyring=False, failpoint=failpoint or None
    )
    clock: Clock = SystemClock()
    return restore(Restore(settings, path, None, given, clock, unheard))
