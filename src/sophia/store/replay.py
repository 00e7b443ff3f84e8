"""Whether the rows are what the journal says that they became: a page that was put back is told by it."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import apsw

from sophia.store.rules import RULES, Rule
from sophia.store.schema import table

_LAST = "SELECT after FROM main.mutation_change WHERE table_name = ? AND row_id = ? ORDER BY n DESC LIMIT 1"
_EVERY = 1_000
Looked = Callable[[int, int], None]


def differing(
    db: apsw.Connection, rules: Mapping[str, Rule] = RULES, step: Looked = lambda _done, _total: None
) -> Iterator[tuple[str, str]]:
    """Each row, as `(table, id)`, that is not as its last change left it, or that no change accounts for.

    One row is held at a time. `step` is told how many rows were looked at, and of how many.
    """
    journaled = [name for name, rule in rules.items() if rule.journaled]
    total = sum(int(db.execute(f"SELECT count(*) FROM main.{name}").get or 0) for name in journaled)
    done = 0
    step(done, total)
    for name in journaled:
        for row_id, differs in _rows(db, name):
            if differs:
                yield name, row_id
            done += 1
            if done % _EVERY == 0:
                step(done, total)
        yield from ((name, row_id) for row_id in _gone(db, name))


def _rows(db: apsw.Connection, name: str) -> Iterator[tuple[str, bool]]:
    """Each row's id, and whether the row is another than its last change left."""
    columns = table(db, name).columns
    for row in db.execute(f"SELECT {', '.join(columns)} FROM main.{name} ORDER BY id"):
        is_now = dict(zip(columns, row, strict=True))
        image: Any = db.execute(_LAST, (name, is_now["id"])).get
        became = json.loads(image or "{}")
        # An image of an earlier release lacks the columns that came later.
        yield str(is_now["id"]), not became or any(is_now.get(key) != value for key, value in became.items())


def _gone(db: apsw.Connection, name: str) -> Iterator[str]:
    """The ids of rows that are not there, though no change took them away."""
    missing = db.execute(
        "SELECT DISTINCT row_id FROM main.mutation_change WHERE table_name = ?"
        f" AND NOT EXISTS (SELECT 1 FROM main.{name} r WHERE r.id = row_id)",
        (name,),
    )
    for (row_id,) in missing:
        if db.execute(_LAST, (name, row_id)).get is not None:
            yield str(row_id)
