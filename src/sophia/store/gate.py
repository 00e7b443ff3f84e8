"""Row-level scope inside SQLite: a view with its rule shadows each table, and the table itself is refused.

The engine names to the authorizer the view that a read comes through, and it names a common table expression in the
same way. A statement that has one called like a table must not be taken for the view: the rule is therefore in a view
of another name, which no statement uses, and the view that shadows the table reads from that one.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import apsw

from sophia.core.letters import holds_words
from sophia.core.scope import Scope
from sophia.store.journal import VIEWS
from sophia.store.rules import INDEXES, RULES, Rule
from sophia.store.schema import Table, table

_HARMLESS = {apsw.SQLITE_SELECT, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE, apsw.SQLITE_TRANSACTION}
_WRITES = {apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE}
_FENCES = {"owner_epoch", "party", "once", "journal_head", "joined_scope", "import_session_use"}
"""The store's own tables, which hold nothing of the owner's data."""
_KEPT = {"mutation", "mutation_change", "mutation_revert"}
"""The journal: only ever added to, by its triggers and by the store."""

_INNOCUOUS = apsw.SQLITE_INNOCUOUS


class Gate:
    """One connection's view of the world. Nothing can be read through it until a scope is bound."""

    def __init__(self, db: apsw.Connection, *, writes: bool, rules: Mapping[str, Rule] = RULES) -> None:
        self._db = db
        self._scope: Scope | None = None
        self._user: str | None = None
        self._connection = ""
        self._writes = writes
        self._reading = False
        self._rules = rules
        declared = {name: table(db, name) for name in rules}
        self._rule_views = frozenset(rule_view(name) for name in rules)
        self._keys = {(name, column) for name, shape in declared.items() for column, _ in shape.references}
        self.tables: dict[str, Table] = {
            name: replace(shape, references=(*shape.references, *rules[name].refers.items()))
            for name, shape in declared.items()
        }
        for name, function in (
            ("scope_all", self._scope_all),
            ("scope_ids", self._scope_ids),
            ("scope_user", self._scope_user),
            ("scope_connection", self._scope_connection),
        ):
            db.create_scalar_function(name, function, 0, deterministic=True, flags=_INNOCUOUS)
        db.create_scalar_function("holds_words", holds_words, 2, deterministic=True, flags=_INNOCUOUS)
        for name in rules:
            db.execute(_view(self.tables[name], rules, self.tables))
            db.execute(f'CREATE TEMP VIEW {name} AS SELECT * FROM temp."{rule_view(name)}"')
        triggers = {row[0] for row in db.execute("SELECT name FROM main.sqlite_schema WHERE type = 'trigger'")}
        self._stores_own = frozenset(triggers | set(VIEWS)) if writes else frozenset()
        self._indexes = {f"{index}_{shadow}" for index in INDEXES for shadow in ("data", "idx", "docsize", "config")}
        if writes:
            # Asked of each statement as it runs, not as it is prepared: a prepared one stays what it was.
            db.exec_trace = self._traced
        else:
            db.execute("PRAGMA query_only = on").fetchall()
        db.authorizer = self._authorize

    @contextmanager
    def bound(self, user_id: str, scope: Scope, connection_id: str = "") -> Generator[None]:
        """Let the rows of `user_id` within `scope`, and no more, be read within the block."""
        self.bind(user_id, scope, connection_id)
        try:
            yield
        finally:
            self.unbind()

    def bind(self, user_id: str, scope: Scope, connection_id: str = "") -> None:
        """Let them be read until `unbind`, and with them what is the connection's own whatever its scope."""
        self._scope, self._user, self._connection = scope, user_id, connection_id

    def unbind(self) -> None:
        """Let nothing be read any more."""
        self._scope = self._user = None

    def widen(self, entity_id: str) -> None:
        """Count an entity made in this very block as within its scope."""
        if self._scope is not None and self._scope.entities is not None:
            self._scope = Scope(self._scope.entities | {entity_id})

    @contextmanager
    def only_reading(self) -> Generator[None]:
        """Let nothing be written within the block, whatever the statement."""
        self._reading = True
        try:
            yield
        finally:
            self._reading = False

    @contextmanager
    def lifted(self) -> Generator[apsw.Connection]:
        """The tables themselves, for the block: for what the owner does to the state as a whole."""
        self._db.authorizer = None
        try:
            yield self._db
        finally:
            self._db.authorizer = self._authorize

    @property
    def sees_all(self) -> bool:
        """Whether no list bounds the scope at hand."""
        return self._bound().is_all

    def _traced(self, cursor: apsw.Cursor, _sql: str, _bindings: object) -> bool:
        return not self._reading or cursor.is_readonly

    def _scope_all(self, *_: object) -> int:
        return int(self._bound().is_all)

    def _scope_ids(self, *_: object) -> str:
        return self._bound().as_json

    def _scope_user(self, *_: object) -> str:
        if self._user is None:
            raise PermissionError("no user is bound")
        return self._user

    def _scope_connection(self, *_: object) -> str:
        return self._connection

    def _bound(self) -> Scope:
        if self._scope is None:
            raise PermissionError("no scope is bound")
        return self._scope

    def _authorize(
        self, operation: int, first: str | None, second: str | None, schema: str | None, inner: str | None
    ) -> int:
        if operation in _HARMLESS:
            return apsw.SQLITE_OK
        if operation == apsw.SQLITE_READ:
            return apsw.SQLITE_OK if self._readable(first or "", second or "", schema, inner) else apsw.SQLITE_DENY
        if operation == apsw.SQLITE_PRAGMA:
            return apsw.SQLITE_OK if first == "data_version" else apsw.SQLITE_DENY
        if self._writes and operation in _WRITES and schema == "main":
            return apsw.SQLITE_OK if self._writable(operation, first or "") else apsw.SQLITE_DENY
        return apsw.SQLITE_DENY

    def _readable(self, name: str, column: str, schema: str | None, inner: str | None) -> bool:
        if schema == "temp" or inner in self._rule_views or name == "json_each":
            return True
        if name in INDEXES:
            return column in (name, "rank", "ROWID")
        if name in self._indexes:
            return True
        # A keyed write names the row by its id, and the engine itself checks what refers to that.
        if self._writes and (column in ("id", "ROWID") or (name, column) in self._keys or name in _FENCES):
            return True
        return inner in self._stores_own

    def _writable(self, operation: int, name: str) -> bool:
        if name in self._indexes or name in INDEXES:
            return True
        if name in _KEPT:
            return operation == apsw.SQLITE_INSERT
        return name in self._rules or name in _FENCES


def rule_view(name: str) -> str:
    """The view that holds the rule of a table."""
    return f"{name} within scope"


def _view(shape: Table, rules: Mapping[str, Rule], tables: Mapping[str, Table]) -> str:
    rule = rules[shape.name]
    columns = ", ".join(
        f"CASE WHEN {rule.shown[column]} THEN {column} END AS {column}" if column in rule.shown else column
        for column in shape.columns
    )
    visible = rule.visible.replace("{change_visible}", _change_visible(tables, rules))
    mine = "user_id = scope_user() AND " if "user_id" in shape.columns else ""
    return (
        f'CREATE TEMP VIEW "{rule_view(shape.name)}" AS SELECT rowid AS rowid_, {columns}'
        f" FROM main.{shape.name} WHERE {mine}({visible})"
    )


def _change_visible(tables: Mapping[str, Table], rules: Mapping[str, Rule]) -> str:
    """A journaled change shows when its row does, and so does everything that either image refers to.

    The history of what no scope bounds, such as predicates, shows to those who see everything.
    """
    arms = []
    for shape in tables.values():
        if "id" not in shape.columns or rules[shape.name].shared:
            continue
        seen = [f"EXISTS (SELECT 1 FROM {shape.name} r WHERE r.id = mutation_change.row_id)"]
        seen += [
            f"(json_extract({image}, '$.{column}') IS NULL OR"
            f" EXISTS (SELECT 1 FROM {referred} r WHERE r.id = json_extract({image}, '$.{column}')))"
            for column, referred in shape.references
            if referred in tables
            for image in ("before", "after")
        ]
        arms.append(f"WHEN '{shape.name}' THEN {' AND '.join(seen)}")
    return f"CASE table_name {' '.join(arms)} ELSE 0 END"
