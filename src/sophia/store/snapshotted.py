"""Every row of the owner's data as it stands at one moment, table by table, without holding a table in memory."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import apsw

from sophia.store.engine import connect
from sophia.store.journal import Head
from sophia.store.keys import Keys
from sophia.store.ownership import Ownership
from sophia.store.rules import RULES
from sophia.store.schema import table


@dataclass(frozen=True, slots=True)
class Snapshotted:
    """The journaled tables of one state, at one moment."""

    _db: apsw.Connection
    head: Head

    @property
    def version(self) -> int:
        """The number of the schema."""
        return int(self._db.execute("PRAGMA user_version").get or 0)

    @property
    def tables(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(name for name, rule in RULES.items() if rule.journaled)

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """The rows of a table by their ids, each with all its columns."""
        columns = table(self._db, name).columns
        for row in self._db.execute(f"SELECT {', '.join(columns)} FROM main.{name} ORDER BY id"):
            yield dict(zip(columns, row, strict=True))

    def count(self, name: str) -> int:
        """How many rows a table has."""
        return int(self._db.execute(f"SELECT count(*) FROM main.{name}").get or 0)


@contextmanager
def snapshotted(ownership: Ownership, keys: Keys) -> Generator[Snapshotted]:
    """The state as it stands now, for the block, while writes go on."""
    db = connect(ownership, ownership.directory / "state.db", keys.state)
    try:
        db.execute("BEGIN")
        yield Snapshotted(db, Head(*(db.execute("SELECT seq, hash FROM main.journal_head").get or (0, ""))))
    finally:
        db.close()
