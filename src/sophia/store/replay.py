"""Whether the rows are what the journal says that they became: a page that was put back is told by it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import apsw

from sophia.store.rules import RULES, Rule
from sophia.store.schema import table


def differing(db: apsw.Connection, rules: Mapping[str, Rule] = RULES) -> Iterator[tuple[str, str]]:
    """Each row, as `(table, id)`, that is not as its last change left it, or that no change accounts for."""
    for name, rule in rules.items():
        if rule.journaled:
            yield from _differing(db, name)


def _differing(db: apsw.Connection, name: str) -> Iterator[tuple[str, str]]:
    columns = table(db, name).columns
    rows = db.execute(f"SELECT {', '.join(columns)} FROM main.{name} ORDER BY id").fetchall()
    last: dict[Any, str | None] = {}
    for row_id, image in db.execute(
        "SELECT row_id, after FROM main.mutation_change WHERE table_name = ? ORDER BY n", (name,)
    ):
        last[row_id] = str(image) if image is not None else None
    for row in rows:
        is_now = dict(zip(columns, row, strict=True))
        became = json.loads(last.pop(is_now["id"], None) or "{}")
        # An image of an earlier release lacks the columns that came later.
        if not became or any(is_now.get(column) != value for column, value in became.items()):
            yield name, str(is_now["id"])
    yield from ((name, str(row_id)) for row_id, image in last.items() if image is not None)
