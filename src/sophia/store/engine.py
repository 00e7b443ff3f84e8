"""One encrypted SQLite connection, opened the one way that is safe, or refused."""

from pathlib import Path
from typing import Any

import apsw

from sophia.core.refusals import DbUnavailable, SqliteUnsafe
from sophia.store.ownership import Ownership, proven

OLDEST_SAFE = (3, 51, 3)
"""Older libraries are inside the range of the WAL-reset corruption bug."""

WAL_KEPT = 4 * 1024 * 1024
"""Bytes of the write-ahead log that are kept for reuse once it was folded back."""

PRAGMAS: tuple[tuple[str, Any, Any], ...] = (
    ("journal_mode", "wal", "wal"),
    ("synchronous", "full", 2),
    ("fullfsync", "on", 1),
    ("checkpoint_fullfsync", "on", 1),
    ("foreign_keys", "on", 1),
    ("recursive_triggers", "on", 1),
    ("trusted_schema", "off", 0),
    ("temp_store", "memory", 2),
    ("threads", 0, 0),
    ("cell_size_check", "on", 1),
    ("cache_size", -65536, -65536),
    ("journal_size_limit", WAL_KEPT, WAL_KEPT),
    ("busy_timeout", 5000, 5000),
)
"""Name, what is set, and what must be read back: several pragmas fail silently.

Without `recursive_triggers` a row that `REPLACE` pushes aside would be gone without a journal entry.
"""


def require_safe_library() -> None:
    """Refuse to start on a library that writes plaintext or that can corrupt a WAL database."""
    if not getattr(apsw, "mc_version", None):
        raise SqliteUnsafe("The SQLite library in use cannot encrypt; reinstall apsw-sqlite3mc.")
    version = tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
    if version < OLDEST_SAFE:
        raise SqliteUnsafe(f"SQLite {apsw.sqlite_lib_version()} is older than 3.51.3; upgrade Sophia.")


def library() -> str:
    """Which SQLite, and which cipher of it, is in use."""
    return f"SQLite {apsw.sqlite_lib_version()}, {getattr(apsw, 'mc_version', None) or 'without encryption'}"


def connect(
    ownership: Ownership, path: Path, key: str, *, vfs: str | None = None, exclusive: bool = False
) -> apsw.Connection:
    """A connection to the encrypted file at `path`, made when it is not there; `DbUnavailable` for another key.

    An `exclusive` one shares the file with no other connection, and so needs no shared memory of its VFS.
    """
    proven(ownership)
    try:
        db = apsw.Connection(str(path), vfs=vfs, statementcachesize=400)
    except apsw.Error as error:
        raise _unavailable(path, error) from None
    try:
        _set_up(db, key, exclusive=exclusive)
    except apsw.Error as error:
        db.close()
        raise _unavailable(path, error) from None
    except SqliteUnsafe:
        db.close()
        raise
    return db


def _set_up(db: apsw.Connection, key: str, *, exclusive: bool) -> None:
    db.execute("PRAGMA cipher = 'aegis'")
    db.execute(f"PRAGMA key = 'raw:{key}'")
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    # A plan that may depend on bound values is made anew, authorizer and all, whenever another value is bound.
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    if exclusive:
        db.execute("PRAGMA locking_mode = exclusive").fetchall()
    for name, value, expected in PRAGMAS:
        db.execute(f"PRAGMA {name} = {value}").fetchall()
        found = db.execute(f"PRAGMA {name}").get
        if found != expected:
            raise SqliteUnsafe(f"SQLite did not accept {name}={value}.")
    db.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def _unavailable(path: Path, error: apsw.Error) -> DbUnavailable:
    if isinstance(error, apsw.FullError):
        return DbUnavailable(f"{path.name} does not open: the disk is full. Make room, and start again.")
    return DbUnavailable(
        f"{path.name} does not open: {type(error).__name__}. Its key is another one, or it is damaged."
    )


def is_plaintext(path: Path) -> bool:
    """Whether the file at `path` begins like an unencrypted SQLite database."""
    with path.open("rb") as file:
        return file.read(15) == b"SQLite format 3"
