"""What contradicts itself: an entity that has several current objects of a predicate that takes one at a time."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge import registry
from sophia.catalog.call import Reader

Pair = tuple[str, str]
"""An entity, by the id that stands for it now, and a predicate."""

_OBJECTS = """
    SELECT DISTINCT CAST(w.key AS INTEGER) AS n, f.object_key, f.object_entity_id
      FROM json_each(:pairs) w CROSS JOIN json_each(w.value, '$[0]') p CROSS JOIN fact f
     WHERE f.entity_id = p.value AND f.predicate = w.value ->> 1 AND f.status = 'current'
"""
_SEVERAL = """
    SELECT f.predicate FROM fact f WHERE f.entity_id IN (SELECT value FROM json_each(:about)) AND f.status = 'current'
     GROUP BY f.predicate HAVING count(DISTINCT f.object_key) > 1
"""
_FACTS = """
    SELECT f.id, f.predicate FROM fact f
     WHERE f.entity_id IN (SELECT value FROM json_each(:about)) AND f.status = 'current'
           AND f.predicate IN (SELECT value FROM json_each(:predicates))
     ORDER BY f.predicate, f.trust_rank DESC, f.recorded_at DESC, f.id DESC LIMIT :limit
"""


def among(db: Reader, pairs: Collection[Pair]) -> set[Pair]:
    """Which of the pairs contradict themselves. Objects that were merged are one."""
    predicates = registry.predicates(db, (predicate for _, predicate in pairs))
    asked = sorted(pair for pair in pairs if predicates[pair[1]].single_valued)
    if not asked:
        return set()
    parts = merging.parts(db, (entity_id for entity_id, _ in asked))
    wanted = json.dumps([[parts[entity_id], predicate] for entity_id, predicate in asked])
    objects: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in db.rows(_OBJECTS, pairs=wanted):
        objects[row["n"]].append(row)
    several = {n: rows for n, rows in objects.items() if len(rows) > 1}
    ends = {row["object_entity_id"] for rows in several.values() for row in rows if row["object_entity_id"]}
    now = merging.standing(db, ends) if ends else {}
    return {asked[n] for n, rows in several.items() if len({_meant(row, now) for row in rows}) > 1}


def predicates_of(db: Reader, entity_id: str) -> list[str]:
    """The predicates of which the entity, with what went into it, has contradicting facts, by name."""
    rows = db.rows(_SEVERAL, about=merging.about(db, entity_id))
    return sorted(predicate for _, predicate in among(db, {(entity_id, row["predicate"]) for row in rows}))


def facts_of(db: Reader, entity_id: str, predicates: Sequence[str], limit: int) -> dict[str, list[str]]:
    """The ids of the entity's current facts of these predicates, the most trusted first, at most so many in all."""
    told: dict[str, list[str]] = {}
    about, asked = merging.about(db, entity_id), json.dumps(list(predicates))
    for row in db.rows(_FACTS, about=about, predicates=asked, limit=limit):
        told.setdefault(row["predicate"], []).append(row["id"])
    return told


def _meant(row: dict[str, Any], now: dict[str, merging.Standing]) -> str:
    end = row["object_entity_id"]
    return now[end].entity_id if end in now else row["object_key"]
