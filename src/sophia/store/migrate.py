"""Numbered migrations, each one transaction, and the check that a schema is what they make."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from importlib import resources

import apsw

from sophia.core.refusals import DbUnavailable, SchemaUnsupported
from sophia.store.failpoints import Failpoints

_JOURNALS = "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND name GLOB 'journal_*'"
Extra = Callable[[apsw.Connection], Iterable[str]]


def migrations(name: str) -> list[tuple[int, str]]:
    """The numbered statements for the database `state` or `ops`, oldest first. Numbers may be left out."""
    folder = resources.files("sophia.store.migrations") / name
    found = [(int(file.name[:4]), file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql")]
    return sorted(found)


def pending(db: apsw.Connection, name: str) -> bool:
    """Whether there is something in the database, and this version would bring it up to date."""
    version = db.execute("PRAGMA user_version").get
    return bool(0 < version < migrations(name)[-1][0])


def require_known(name: str, version: int) -> None:
    """`SchemaUnsupported` where a database of this version was written by a newer Sophia."""
    if version > migrations(name)[-1][0]:
        raise SchemaUnsupported(f"{name}.db was written by a newer Sophia; upgrade, or restore a backup.")


def migrate(db: apsw.Connection, name: str, extra: Extra, failpoints: Failpoints = Failpoints()) -> None:
    """Bring the database up to this version; `Refusal` 87 where it is newer, 86 where its schema was tampered with."""
    version = db.execute("PRAGMA user_version").get
    require_known(name, version)
    newer = [(number, statements) for number, statements in migrations(name) if number > version]
    # What is only being made is made at once; what there is goes from one release's schema to the next.
    for some in [newer] if version == 0 else [[one] for one in newer]:
        _apply(db, name, some, extra, failpoints)
    if fingerprint(db) != expected(name, extra):
        raise DbUnavailable(f"The schema of {name}.db is not the one that this version makes.")


def _apply(
    db: apsw.Connection, name: str, migrations: Sequence[tuple[int, str]], extra: Extra, failpoints: Failpoints
) -> None:
    """These migrations, their triggers and the last number, all or nothing. What a journaled table holds stays."""
    last = migrations[-1][0]

    def met(_cursor: apsw.Cursor, _sql: str, _bindings: object) -> bool:
        failpoints.reach(f"migrate_{name}_{last}")
        return True

    db.execute("BEGIN IMMEDIATE")
    if failpoints.spec:
        db.exec_trace = met
    try:
        for (trigger,) in db.execute(_JOURNALS).fetchall():
            db.execute(f'DROP TRIGGER "{trigger}"')
        for _, statements in migrations:
            db.execute(statements)
        for statement in extra(db):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {last}")
        failpoints.reach("mid_migrate")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    finally:
        db.exec_trace = None


def fingerprint(db: apsw.Connection) -> str:
    """A hash of every object that the schema defines."""
    schema = sorted(db.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema"))
    return hashlib.sha256(repr(schema).encode()).hexdigest()


def expected(name: str, extra: Extra) -> str:
    """The fingerprint of a fresh database of this version."""
    fresh = apsw.Connection(":memory:")
    try:
        for _number, statements in migrations(name):
            fresh.execute(statements)
        for statement in extra(fresh):
            fresh.execute(statement)
        return fingerprint(fresh)
    finally:
        fresh.close()
