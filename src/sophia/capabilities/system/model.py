"""The data model as an agent may know it."""

from sophia.capabilities.knowledge import registry
from sophia.capabilities.system.answers import ColumnEntry, SchemaAnswer
from sophia.catalog.call import Reader
from sophia.catalog.house import Columns
from sophia.core.errors import NotFound


def described(db: Reader, tables: dict[str, Columns], table: str | None) -> SchemaAnswer:
    """The tables that an agent's connection can read and the predicates of facts, or one table; `NotFound` else."""
    if table is not None and table not in tables:
        raise NotFound(f"There is no table {table[:80]!r}.", argument="table", valid=sorted(tables))
    chosen = tables if table is None else {table: tables[table]}
    return SchemaAnswer(
        tables={
            name: [ColumnEntry(name=column, type=kind, refers_to=refers) for column, kind, refers in columns]
            for name, columns in chosen.items()
        },
        predicates=registry.everything(db) if table in (None, "fact") else None,
    )
