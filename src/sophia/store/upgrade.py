"""The copy of both databases that is kept from before an upgrade: the way back."""

from pathlib import Path

import apsw

from sophia.core.errors import SophiaError
from sophia.core.refusals import DbUnavailable
from sophia.store import backup, migrate
from sophia.store.backup import Order
from sophia.store.container import MEMBERS, Step
from sophia.store.engine import connect
from sophia.store.failpoints import Failpoints

FOLDER = "before-upgrade"
KEPT = 3
"""How many such copies stay; the oldest go."""


def unheard(_step: str, _done: int, _total: int) -> None:
    """Nobody listens."""


def kept_before(order: Order, failpoints: Failpoints = Failpoints(), step: Step = unheard) -> Path | None:
    """The copy from before what this version is about to do to the schema; `None` where it does nothing to it.

    One copy is kept of each state that was upgraded, however often the upgrade is broken off.
    """
    found = _found(order)
    if found is None:
        return None
    folder = order.ownership.directory / FOLDER
    target = folder / f"{found}.backup"
    if not target.exists():
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            backup.packed(order, target, step)
        except (SophiaError, OSError) as error:
            raise DbUnavailable(f"The copy that is kept from before an upgrade cannot be made: {error}") from error
        failpoints.reach("upgrade_copied")
    for old in copies(order.ownership.directory)[KEPT:]:
        old.unlink()
    return target


def copies(directory: Path) -> list[Path]:
    """The copies that are kept, newest first."""
    return sorted((directory / FOLDER).glob("*.backup"), key=lambda path: path.stat().st_mtime_ns, reverse=True)


def _found(order: Order) -> str | None:
    """The name of what waits for a migration, which stays the same until an upgrade has ended; or `None`."""
    keys = dict(zip(MEMBERS, (order.keys.state, order.keys.ops), strict=True))
    paths = {name: order.ownership.directory / name for name in MEMBERS}
    if not all(path.exists() for path in paths.values()):
        return None
    epochs: list[str] = []
    waiting = False
    for name, path in paths.items():
        db = connect(order.ownership, path, keys[name])
        try:
            version = int(db.execute("PRAGMA user_version").get)
            if version == 0:
                return None
            migrate.require_known(path.stem, version)
            waiting = waiting or migrate.pending(db, path.stem)
            epochs.append(str(db.execute("SELECT epoch FROM owner_epoch WHERE id = 1").get))
        except apsw.Error as error:
            raise DbUnavailable(f"{name} cannot be read: {type(error).__name__}.") from error
        finally:
            db.close()
    return f"epoch-{'.'.join(epochs)}" if waiting else None
