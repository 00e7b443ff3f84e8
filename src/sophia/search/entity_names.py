"""The index of what entities are called: by runs of three characters, so that a slip of the pen still finds them."""

from typing import Any

from sophia.search.ports import Index, Rows

MAX_RUNS = 40
"""How many runs of a name are looked for."""


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
    """The active entities with a name that begins with `key`, by name, each with `id, name, kind, aliases`."""
    return db.rows(
        """
        SELECT e.id, e.name, e.kind,
               (SELECT json_group_array(a.alias) FROM entity_alias a WHERE a.entity_id = e.id) AS aliases
          FROM entity e
         WHERE e.name_key >= :key AND e.name_key < :end AND e.status = 'active' AND (:kind IS NULL OR e.kind = :kind)
         ORDER BY e.name_key, e.id
         LIMIT :limit
        """,
        key=key, end=key + "\U0010ffff", kind=kind, limit=limit,
    )  # fmt: skip


def near(db: Rows, key: str, kind: str | None, limit: int) -> list[dict[str, Any]]:
    """The active entities whose names share most runs with `key`, best first, each with `id, name, kind, aliases`."""
    runs = list(dict.fromkeys(key[at : at + 3] for at in range(len(key) - 2)))[:MAX_RUNS]
    if not runs:
        return []
    query = " OR ".join('"' + run.replace('"', '""') + '"' for run in runs)
    return db.rows(
        """
        SELECT e.id, e.name, e.kind,
               (SELECT json_group_array(a.alias) FROM entity_alias a WHERE a.entity_id = e.id) AS aliases
          FROM entity_fts t
          JOIN entity_index i ON i.id = t.rowid
          JOIN entity e ON e.id = i.entity_id
         WHERE entity_fts MATCH :query AND e.status = 'active' AND (:kind IS NULL OR e.kind = :kind)
         ORDER BY t.rank, e.id
         LIMIT :limit
        """,
        query=query, kind=kind, limit=limit,
    )  # fmt: skip
