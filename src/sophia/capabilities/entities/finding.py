"""The entity that a read names: by id, by its exact name, or by an alias."""

from sophia.catalog.call import Reader
from sophia.core.errors import Ambiguous, NotFound


def named(db: Reader, text: str, argument: str) -> str:
    """The id of the one entity that `text` names; `NotFound` for none, `Ambiguous` with the candidates for more."""
    if db.row("SELECT id FROM entity e WHERE e.id = :id", id=text):
        return text
    rows = db.rows(
        "SELECT e.id, e.name, e.kind FROM entity e WHERE e.status = 'active' AND (e.name_key = :key OR e.id IN"
        " (SELECT a.entity_id FROM entity_alias a WHERE a.alias_key = :key)) ORDER BY e.id LIMIT 21",
        key=text.casefold(),
    )
    if not rows:
        raise NotFound(argument=argument)
    if len(rows) > 1:
        candidates = [{"entity_id": row["id"], "name": row["name"], "kind": row["kind"]} for row in rows[:20]]
        raise Ambiguous(argument=argument, candidates=candidates)
    return str(rows[0]["id"])
