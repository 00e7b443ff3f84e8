"""What the database itself says of a table: its columns, what they refer to, and what no two rows may share."""

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
    uniques: tuple[tuple[str, ...], ...] = ()
    """Columns that no two rows have the same values in, the id aside."""


def table(db: apsw.Connection, name: str) -> Table:
    """The table of that name, from the schema."""
    found = [(row[1], row[2]) for row in db.execute(f"PRAGMA main.table_xinfo({name})") if row[6] == 0]
    references = tuple((row[3], row[2]) for row in db.execute(f"PRAGMA main.foreign_key_list({name})"))
    kept = tuple(index[1] for index in db.execute(f"PRAGMA main.index_list({name})") if index[2] and not index[4])
    uniques = (tuple(row[2] for row in db.execute(f"PRAGMA main.index_info({index})")) for index in kept)
    columns, types = tuple(column for column, _ in found), tuple(kind for _, kind in found)
    return Table(name, columns, types, references, tuple(unique for unique in uniques if unique != ("id",)))


def described(shape: Table) -> list[tuple[str, str, str | None]]:
    """The columns with their types and what they refer to, the user's own column aside."""
    refers = dict(shape.references)
    return [
        (column, kind.lower(), refers.get(column))
        for column, kind in zip(shape.columns, shape.types, strict=True)
        if column != "user_id"
    ]
