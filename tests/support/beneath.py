"""What lies beneath the gate: the files themselves, as somebody with the key and an editor would reach them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from sophia.store import journal, replay
from sophia.store.engine import connect
from sophia.store.keys import Keys, unlock
from sophia.store.ownership import Ownership, acquire, release


@contextmanager
def owned(place: Path) -> Iterator[tuple[Ownership, Keys]]:
    """The data directory of a house that does not stand just now, and its keys."""
    ownership = acquire(place / "data")
    try:
        yield ownership, unlock(ownership, place / "keys", False)
    finally:
        release(ownership)


@contextmanager
def bare(ownership: Ownership, keys: Keys, name: str = "state") -> Iterator[apsw.Connection]:
    """A connection without any gate, while or after a house stands."""
    db = connect(ownership, ownership.directory / f"{name}.db", getattr(keys, name))
    try:
        yield db
    finally:
        db.close()


@contextmanager
def offline(place: Path, name: str = "state") -> Iterator[tuple[apsw.Connection, Keys]]:
    """The file as an editor with its key has it: no trigger objects, and none is missing afterwards."""
    with owned(place) as (ownership, keys), bare(ownership, keys, name) as db:
        triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for trigger, _ in triggers:
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("PRAGMA foreign_keys = off").fetchall()
        yield db, keys
        for _, sql in triggers:
            db.execute(str(sql))


def faults(db: apsw.Connection, seal: bytes) -> list[object]:
    """All that is wrong with a state: its pages, its chain, its rows against their journal."""
    found: list[object] = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
    return found + list(journal.broken(db, seal)) + list(replay.differing(db))


def plant(db: apsw.Connection, table: str, user: str) -> None:
    """A row of that user's, with whatever fits in the other columns."""
    known = {
        "user_id": user, "origin": "owner", "tier": "scanned", "status": "begun", "trust_tier": "owner",
        "source_kind": "word", "quote_match": None, "single_valued": 1, "superseded_by": None,
        "watch": 1, "due": 0, "state": "gone", "urgency": "low", "whole": 1, "kind": "page",
        "noun": "entity", "status_before": "active",
    }  # fmt: skip
    values: dict[str, object] = {}
    for _, column, kind, required, default, key in db.execute(f"PRAGMA table_info({table})").fetchall():
        name = str(column)
        value: object
        if name == "status" and default is not None:
            continue
        if name in known:
            value = known[name]
        elif key or required:
            made: dict[str, object] = {"TEXT": f"{user}-{name}", "BLOB": user.encode()}
            value = made.get(str(kind), sum(user.encode()))
        else:
            value = None
        if value is not None or default is None:
            values[name] = value
    names = ", ".join(values)
    db.execute(f"INSERT INTO main.{table} ({names}) VALUES ({', '.join('?' * len(values))})", tuple(values.values()))
