"""The one way to write: keyed rows, visible before and after, and every id that they name visible too."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from sophia.core.errors import Conflict, NotFound, NotPermitted
from sophia.store.gate import Gate
from sophia.store.reader import Reader
from sophia.store.rules import DERIVED, RULES

_TARGET = re.compile(r"\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+main\.(\w+)\b")
_IN_THE_WAY = {
    apsw.SQLITE_CONSTRAINT_FOREIGNKEY: "Something else hangs on a row of {table} that would go, or one that would"
    " come back names what is gone.",
    apsw.SQLITE_CONSTRAINT_UNIQUE: "Another row of {table}, made since, is in the place of one that would come back.",
}


class Tx(Reader):
    """One write transaction of one caller."""

    def __init__(self, db: apsw.Connection, gate: Gate, user_id: str) -> None:
        super().__init__(db, gate.tables)
        self._gate = gate
        self.user_id = user_id
        self._touched: dict[tuple[str, str], None] = {}
        self.joined: list[str] = []
        self.derived: set[str] = set()
        """The derived tables that were written to."""
        self.reverted: dict[int, bool] = {}
        """The mutations that this one reverts, and whether each of them as a whole."""
        self._named: defaultdict[str, set[str]] = defaultdict(set)

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]:
        """Every row of the statement, which may only read: what is written is written by key, below."""
        with self._gate.only_reading():
            return super().rows(sql, **values)

    def value(self, sql: str, **values: Any) -> Any:
        """The first column of the first row, or `None`, of a statement that may only read."""
        with self._gate.only_reading():
            return super().value(sql, **values)

    def insert(self, table: str, **row: Any) -> None:
        """Add a row; its `user_id` is the caller's."""
        self.insert_all(table, [row])

    def insert_all(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Add rows of the same columns that do not name each other; their `user_id` is the caller's."""
        if not rows:
            return
        self._require_right(table)
        self._require_references(table, rows)
        names = tuple(rows[0])
        self._db.executemany(
            f"INSERT INTO main.{table} (user_id, {', '.join(names)}) VALUES (?{', ?' * len(names)})",
            [(self.user_id, *[row[name] for name in names]) for row in rows],
        )
        keys = [row["id"] for row in rows]
        self._touched.update(dict.fromkeys((table, key) for key in keys))
        if table == "entity":
            self.joined += keys
            for key in keys:
                self._gate.widen(key)

    def update(self, table: str, key: str, **changes: Any) -> bool:
        """Change a row that the caller can see; whether it is another now.

        What would change nothing but `updated_at` is no change, and leaves no entry in the journal.
        """
        self._require_right(table)
        differs = " OR ".join(f"{name} IS NOT :{name}" for name in changes if name != "updated_at") or "1"
        values = {**changes, "_id": key}
        changed = self._db.execute(f"SELECT {differs} FROM {table} WHERE id = :_id", values).get
        if changed is None:
            raise NotFound
        self._require_references(table, [changes])
        if not changed:
            return False
        settings = ", ".join(f"{name} = :{name}" for name in changes)
        self._db.execute(f"UPDATE main.{table} SET {settings} WHERE id = :_id", values)
        self._touched[table, key] = None
        return True

    def delete(self, table: str, key: str) -> None:
        """Take away a row that the caller can see. Only links and the like are ever deleted."""
        self._require_right(table)
        self.require(table, key)
        self._db.execute(f"DELETE FROM main.{table} WHERE id = :_id", {"_id": key})
        self._touched.pop((table, key), None)

    def restore(self, table: str, rows: Mapping[str, Mapping[str, Any] | None]) -> None:
        """Bring rows, by id, to what they were, times and all; `None` takes one away.

        The rows that they name have to be there, and those that name what goes have to be gone.
        """
        self._require_right(table)
        if any(row is not None and row.get("user_id", self.user_id) != self.user_id for row in rows.values()):
            raise NotFound
        there = self._there(table, rows)
        gone = [key for key, row in rows.items() if row is None]
        if not there.issuperset(gone):
            raise NotFound
        back: defaultdict[tuple[str, ...], list[Mapping[str, Any]]] = defaultdict(list)
        for key, row in rows.items():
            if row is not None:
                back[tuple(row)].append({**row, "id": key})
                self._touched[table, key] = None
        try:
            self._db.executemany(f"DELETE FROM main.{table} WHERE id = ?", [(key,) for key in gone])
            for names, some in back.items():
                self._brought_back(table, names, some, there)
        except apsw.ConstraintError as error:
            why = _IN_THE_WAY.get(getattr(error, "extendedresult", 0))
            if why is None:
                raise
            raise Conflict(why.format(table=table)) from None
        for key in gone:
            self._touched.pop((table, key), None)
        for column, referred in self._gate.tables[table].references:
            self._named[referred].update(
                row[column] for some in back.values() for row in some if row.get(column) is not None
            )

    def _brought_back(
        self, table: str, names: Sequence[str], rows: Sequence[Mapping[str, Any]], there: set[str]
    ) -> None:
        settings = ", ".join(f"{name} = :{name}" for name in names)
        self._db.executemany(
            f"UPDATE main.{table} SET {settings} WHERE id = :id", [row for row in rows if row["id"] in there]
        )
        values = ", ".join(f":{name}" for name in names)
        self._db.executemany(
            f"INSERT INTO main.{table} ({', '.join(names)}) VALUES ({values})",
            [row for row in rows if row["id"] not in there],
        )

    def reverts(self, seqs: Iterable[int], *, whole: bool) -> None:
        """Note that this write takes these mutations back, as a whole or in part."""
        self.reverted |= dict.fromkeys(seqs, whole)

    def _there(self, table: str, keys: Iterable[str]) -> set[str]:
        """Those of the rows that the caller can see."""
        found = self._db.execute(
            f"SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(keys)),)
        )
        return {row[0] for row in found}

    def require(self, table: str, key: object) -> None:
        """Refuse, exactly as for what does not exist, unless the caller can see the row."""
        if self._db.execute(f"SELECT 1 FROM {table} WHERE id = :key", {"key": key}).get is None:
            raise NotFound

    def touched(self, table: str) -> list[str]:
        """The rows of a table that were made or changed so far."""
        return [key for name, key in self._touched if name == table]

    def settle(self) -> None:
        """Refuse the whole where it would leave behind a row that the caller cannot see, or that names one."""
        if self._gate.sees_all:
            return  # what it wrote is its user's own, and of that it sees all
        for table, named in self._named.items():
            if self._there(table, named) != named:
                raise NotFound
        for table, key in self._touched:
            if self._db.execute(f"SELECT 1 FROM {table} WHERE id = :key", {"key": key}).get is None:
                raise NotFound(
                    "What this write would leave behind lies outside this connection's scope.",
                    hint="Name the entities it belongs to, all of them within get_permissions().entity_scope.",
                )

    def index(self, sql: str, **values: Any) -> None:
        """Write to a derived index, which is neither scoped nor journaled; `TypeError` for any other table."""
        self._derive(sql)
        self._db.execute(sql, values)

    def index_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write to a derived index once for each row of values."""
        self._derive(sql)
        self._db.executemany(sql, rows)

    def _derive(self, sql: str) -> None:
        target = _TARGET.match(sql)
        if target is None or target[1] not in DERIVED or ";" in sql:
            raise TypeError("only a derived index is written to by SQL")
        self.derived.add(target[1])

    def _require_right(self, table: str) -> None:
        """Refuse to change what everybody shares for the sake of a part of it."""
        if RULES[table].shared and not self._gate.sees_all:
            raise NotPermitted(
                f"{table} rows hold for every entity: a connection with a listed scope cannot change them.",
                hint="Ask the owner, or a connection of scope all.",
            )

    def _require_references(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        for column, referred in self._gate.tables[table].references:
            for key in {row.get(column) for row in rows} - {None}:
                # What this very write made may become visible by what is still to come: `settle` judges it.
                if (referred, key) not in self._touched:
                    self.require(referred, key)
