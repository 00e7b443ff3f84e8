"""Whether both databases are what was written: their pages, the journal's chain and the security log's."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice

import apsw

from sophia.core.refusals import DbUnavailable
from sophia.store import journal, replay
from sophia.store.engine import connect
from sophia.store.keys import Keys
from sophia.store.ops import broken_event
from sophia.store.ownership import Ownership

_MOST_TOLD = 20
_MOST_BREAKS = 10_000


@dataclass(frozen=True)
class Findings:
    """What was found."""

    damage: list[str]
    """What the engine's own check says of either file."""
    journal_breaks: list[int]
    """The mutations at which the journal is not what was written, in order."""
    log_breaks_at: int | None
    """The first security event that is not what was written."""
    differing: list[tuple[str, str]] = field(default_factory=list)
    """Rows, as `(table, id)`, that are not as the journal says their last change left them."""

    @property
    def whole(self) -> bool:
        """Whether all is as it was written."""
        return not (self.damage or self.journal_breaks or self.log_breaks_at is not None or self.differing)


def verified(ownership: Ownership, keys: Keys, step: Callable[[str], None] = lambda _step: None) -> Findings:
    """Both databases read from end to end, as they stand at one moment. `step` is told what comes next."""
    with ExitStack() as opened:
        try:
            state = opened.enter_context(closing(connect(ownership, ownership.directory / "state.db", keys.state)))
            ops = opened.enter_context(closing(connect(ownership, ownership.directory / "ops.db", keys.ops)))
        except DbUnavailable as error:
            return Findings([error.message], [], None)
        damage: list[str] = []
        for name, db in (("state.db", state), ("ops.db", ops)):
            step(f"pages of {name}")
            damage += [f"{name}: {told}" for told in _damage(db)]
        if damage:
            return Findings(damage, [], None)
        step("journal")
        breaks = _breaks(state, keys.seal)
        step("rows")
        differing = list(islice(replay.differing(state), _MOST_TOLD))
        step("security log")
        return Findings([], breaks, broken_event(ops), differing)


def _damage(db: apsw.Connection) -> list[str]:
    try:
        told = [str(row[0]) for row in db.execute(f"PRAGMA integrity_check({_MOST_TOLD})")]
    except apsw.Error as error:
        return [type(error).__name__]
    return [] if told == ["ok"] else told


def _breaks(db: apsw.Connection, seal: bytes) -> list[int]:
    db.execute("BEGIN")
    found: list[int] = []
    for seq in journal.broken(db, seal):
        found.append(seq)
        if len(found) == _MOST_BREAKS:
            break
    return found
