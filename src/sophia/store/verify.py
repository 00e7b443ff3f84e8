"""Whether both databases are what was written: their pages, the journal's chain and the security log's."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import apsw

from sophia.core.refusals import DbUnavailable
from sophia.store import journal, replay
from sophia.store.engine import connect
from sophia.store.keys import Keys
from sophia.store.ops import broken_event
from sophia.store.ownership import Ownership

_MOST_TOLD = 20
_MOST_BREAKS = 10_000
_EVERY = 1_000
Step = Callable[[str, int, int | None], None]
"""Told what is looked at, how much of it has been, and of how much, where that is known."""


def unheard(_step: str, _done: int, _total: int | None) -> None:
    """Nobody listens."""


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


def verified(ownership: Ownership, keys: Keys, step: Step = unheard, folder: Path | None = None) -> Findings:
    """Both databases read from end to end, as they stand at one moment, in memory that does not grow with them.

    They are those in `folder`, by default the data directory's own.
    """
    place = folder or ownership.directory
    with ExitStack() as opened:
        try:
            state = opened.enter_context(closing(connect(ownership, place / "state.db", keys.state)))
            ops = opened.enter_context(closing(connect(ownership, place / "ops.db", keys.ops)))
        except DbUnavailable as error:
            return Findings([error.message], [], None)
        damage: list[str] = []
        for name, db in (("state.db", state), ("ops.db", ops)):
            step(f"pages of {name}", 0, None)
            damage += [f"{name}: {told}" for told in unsound(db)]
        if damage:
            return Findings(damage, [], None)
        state.execute("BEGIN")
        breaks = _breaks(state, keys.seal, step)
        differing = list(
            islice(replay.differing(state, step=lambda done, total: step("rows", done, total)), _MOST_TOLD)
        )
        step("security log", 0, None)
        return Findings([], breaks, broken_event(ops), differing)


def unsound(db: apsw.Connection) -> list[str]:
    """What the engine's own check says is wrong with a file; nothing where it is whole."""
    try:
        told = [str(row[0]) for row in db.execute(f"PRAGMA integrity_check({_MOST_TOLD})")]
    except apsw.Error as error:
        return [type(error).__name__]
    return [] if told == ["ok"] else told


def _breaks(db: apsw.Connection, seal: bytes, step: Step) -> list[int]:
    total = int(db.execute("SELECT seq FROM journal_head").get or 0)

    def looked(seq: int) -> None:
        if seq % _EVERY == 0:
            step("journal", seq, total)

    step("journal", 0, total)
    return list(islice(journal.broken(db, seal, looked=looked), _MOST_BREAKS))
