"""The index of what entities are called: by runs of three characters, so that a slip of the pen still finds them."""

from typing import Any

from sophia.search.ports import Index, Rows

MAX_RUNS = 40
"""How many runs of a name are looked for."""
_FOUND = """
        SELECT e.id, e.name, e.kind, e.status, e.attributes,
               (SELECT json_group_array(a.alias) FROM entity_alias a WHERE a.entity_id = e.id) AS aliases
"""
_MEANT = "e.status <> 'archived' AND (:kind IS NULL OR e.kind = :kind OR e.status = 'merged')"
"""One that was merged is found for the one that it went into, of whatever kind that is."""


def index(tx: Index, entity_id: str, names: list[str]) -> None:
    """Have the entity found by these names, and by no other."""
    tx.index(
        "DELETE FROM main.entity_fts WHERE rowid = (SELECT i.id FROM entity_index i WHERE i.entity_id = :entity_id)",
        entity_id=entity_id,
    )
    tx.index(
        "INSERT INTO main.entity_index (entity_id) SELECT :entity_id"
        " WHERE NOT EXISTS (SELECT 1 FROM entity_index i WHERE i.entity_id = :entity_id)",
        entity_id=entity_id,
    )
    tx.index(
        "INSERT INTO main.entity_fts (rowid, names)"
        " VALUES ((SELECT i.id FROM entity_index i WHERE i.entity_id = :entity_id), :names)",
        entity_id=entity_id, names="\n".join(names),
    )  # fmt: skip


def forget(tx: Index, entity_id: str) -> None:
    """Have the entity found by no name any more."""
    tx.index(
        "DELETE FROM main.entity_fts WHERE rowid = (SELECT i.id FROM entity_index i WHERE i.entity_id = :entity_id)",
        entity_id=entity_id,
    )
    tx.index("DELETE FROM main.entity_index WHERE entity_id = :entity_id", entity_id=entity_id)


def beginning(db: Rows, key: str, kind: str | None, limit: int) -> list[dict[str, Any]]:
    """The entities, but archived ones, with a name that begins with `key`, by name.

    Each with `id, name, kind, status, attributes, aliases`.
    """
    return db.rows(
        f"""{_FOUND} FROM entity e
         WHERE e.name_key >= :key AND e.name_key < :end AND {_MEANT}
         ORDER BY e.name_key, e.id
         LIMIT :limit
        """,
        key=key, end=key + "\U0010ffff", kind=kind, limit=limit,
    )  # fmt: skip


def near(db: Rows, key: str, kind: str | None, limit: int) -> list[dict[str, Any]]:
    """The entities, but archived ones, whose names share most runs with `key`, best first, told as in `beginning`."""
    runs = list(dict.fromkeys(key[at : at + 3] for at in range(len(key) - 2)))[:MAX_RUNS]
    return _matching(db, " OR ".join(_phrase(run) for run in runs), kind, limit) if runs else []


def holding(db: Rows, texts: list[str], kind: str | None, limit: int) -> list[dict[str, Any]]:
    """The entities, but archived ones, that are indexed under one of these texts, among others that hold one."""
    return _matching(db, " OR ".join(_phrase(text) for text in texts), kind, limit) if texts else []


def _matching(db: Rows, query: str, kind: str | None, limit: int) -> list[dict[str, Any]]:
    return db.rows(
        f"""{_FOUND} FROM entity_fts t
          JOIN entity_index i ON i.id = t.rowid
          JOIN entity e ON e.id = i.entity_id
         WHERE entity_fts MATCH :query AND {_MEANT}
         ORDER BY t.rank, e.id
         LIMIT :limit
        """,
        query=query, kind=kind, limit=limit,
    )  # fmt: skip


def _phrase(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
