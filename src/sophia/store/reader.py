"""Reading: SQL in, rows out. Scope needs no mention: the tables are already the caller's."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import apsw

from sophia.store.schema import Table


class Reader:
    """The rows that one unit of work can see."""

    def __init__(self, db: apsw.Connection, tables: Mapping[str, Table] = MappingProxyType({})) -> None:
        self._db = db
        self.tables = tables
        """What the tables are like that can be read."""

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """Every row of the statement, as `{column: value}`."""
        cursor = self._db.execute(sql, values)
        try:
            names = [column[0] for column in cursor.get_description()]
        except apsw.ExecutionCompleteError:
            return []
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def row(self, sql: str, **values: Any) -> dict[str, Any] | None:
        """The first row of the statement, or `None`."""
        found = self.rows(sql, **values)
        return found[0] if found else None

    def value(self, sql: str, **values: Any) -> Any:
        """The first column of the first row, or `None`."""
        return self._db.execute(sql, values).get
