"""The data model as an agent may know it."""

from sophia.capabilities.system.answers import ColumnEntry, SchemaAnswer
from sophia.catalog.house import Columns
from sophia.core.errors import NotFound


def described(tables: dict[str, Columns], table: str | None) -> SchemaAnswer:
    """The tables that an agent's connection can read, or one of them; `NotFound` lists the names."""
    if table is not None and table not in tables:
        raise NotFound(f"There is no table {table[:80]!r}.", argument="table", valid=sorted(tables))
    chosen = tables if table is None else {table: tables[table]}
    return SchemaAnswer(
        tables={
            name: [ColumnEntry(name=column, type=kind, refers_to=refers) for column, kind, refers in columns]
            for name, columns in chosen.items()
        }
    )
