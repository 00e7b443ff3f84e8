"""What the database itself says of a table: its columns and what they refer to."""

from dataclasses import dataclass

import apsw


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the main schema."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    references: tuple[tuple[str, str], ...]
    """(column, table whose id it holds)."""


def table(db: apsw.Connection, name: str) -> Table:
    """The table of that name, from the schema."""
    found = [(row[1], row[2]) for row in db.execute(f"PRAGMA main.table_xinfo({name})") if row[6] == 0]
    references = tuple((row[3], row[2]) for row in db.execute(f"PRAGMA main.foreign_key_list({name})"))
    return Table(name, tuple(column for column, _ in found), tuple(kind for _, kind in found), references)


def described(shape: Table) -> list[tuple[str, str, str | None]]:
    """The columns with their types and what they refer to, the user's own column aside."""
    refers = dict(shape.references)
    return [
        (column, kind.lower(), refers.get(column))
        for column, kind in zip(shape.columns, shape.types, strict=True)
        if column != "user_id"
    ]
