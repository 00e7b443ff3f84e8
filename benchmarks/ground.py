"""The data that everybody reads: entities with five facts each, as plain rows and as SQL."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

ENTITIES = 4_000
FACTS_EACH = 5
BEGAN = 1_790_000_000_000_000
"""Microseconds since 1970 UTC."""
COLUMNS = ("id", "entity_id", "predicate", "object", "trust_tier", "recorded_at")
FACTS_OF = (
    "SELECT id, entity_id, predicate, object, trust_tier, recorded_at FROM fact"
    " WHERE entity_id = :entity ORDER BY recorded_at LIMIT :limit"
)
"""The one read that all servers make: five rows by an index."""


def entity_id(n: int) -> str:
    return f"e-{n:026d}"


def facts(entities: int = ENTITIES) -> Iterator[tuple[str, str, str, str, str, int]]:
    """Rows in the order of COLUMNS."""
    predicates = ("works_at", "born", "likes", "lives_in", "knows")
    for n in range(entities * FACTS_EACH):
        predicate = predicates[n % FACTS_EACH]
        said = f"what somebody once said of it, number {n}"
        yield f"f-{n:026d}", entity_id(n // FACTS_EACH), predicate, said, "quoted", BEGAN + n


def plain(path: Path) -> None:
    """Write the facts into an ordinary SQLite file, for the servers that are measured against."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = wal")
    db.execute(
        "CREATE TABLE fact (id TEXT PRIMARY KEY, entity_id TEXT NOT NULL, predicate TEXT NOT NULL,"
        " object TEXT NOT NULL, trust_tier TEXT NOT NULL, recorded_at INTEGER NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX fact_entity ON fact (entity_id, recorded_at)")
    db.executemany("INSERT INTO fact VALUES (?, ?, ?, ?, ?, ?)", facts())
    db.commit()
    db.close()


class Plain:
    """Reads that file."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, check_same_thread=False)

    def facts_of(self, entity: str, limit: int) -> dict[str, object]:
        rows = self._db.execute(FACTS_OF, {"entity": entity, "limit": limit}).fetchall()
        return {"items": [dict(zip(COLUMNS, row, strict=True)) for row in rows], "total": len(rows)}
