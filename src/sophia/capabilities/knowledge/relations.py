"""What connects an entity with others: facts between entities, read from either end."""

import json
from typing import ClassVar, Literal

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge import registry
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import paged
from sophia.core.page import Listed, Page, Row, Window

Direction = Literal["out", "in"]


class Relation(Row, frozen=True):
    """One fact that connects an entity with another. `relation` says what the other is to it, as read from it."""

    COMPACT: ClassVar[tuple[str, ...]] = ("fact_id", "relation", "direction", "other_id", "other_name")
    LISTED: ClassVar[Listed] = Listed("recorded_at", "fact_id")

    fact_id: str
    relation: str
    """The predicate, or seen from its object the inverse of it; the predicate itself where it has no inverse."""
    direction: Direction
    """Whether the entity is the fact's subject, or its object."""
    predicate: str
    other_id: str
    other_name: str
    other_kind: str
    trust_tier: str
    recorded_at: str
    source_id: str | None = None


_OUT = """
    SELECT f.id AS fact_id, 'out' AS direction, f.predicate, f.object_entity_id AS other_id, f.trust_tier,
           f.recorded_at, f.source_id
      FROM fact f
     WHERE f.entity_id IN (SELECT value FROM json_each(:about)) AND f.object_entity_id IS NOT NULL
           AND f.status = 'current' AND (:predicate IS NULL OR f.predicate = :predicate)
"""
_IN = """
    SELECT f.id AS fact_id, 'in' AS direction, f.predicate, f.entity_id AS other_id, f.trust_tier,
           f.recorded_at, f.source_id
      FROM fact f
     WHERE f.object_entity_id IN (SELECT value FROM json_each(:about))
           AND f.entity_id NOT IN (SELECT value FROM json_each(:about))
           AND f.status = 'current'
           AND (:predicate IS NULL OR f.predicate = :predicate
                OR f.predicate IN (SELECT value FROM json_each(:inverses)))
"""
_ARMS = {"out": _OUT, "in": _IN}


def listed(
    db: Reader, window: Window, about: str, predicate: str | None = None, direction: Direction | None = None
) -> Page[Relation]:
    """The relations of the entity whose ids are given, of a predicate read from either end."""
    select = " UNION ALL ".join(_ARMS[each] for each in ((direction,) if direction else ("out", "in")))
    inverses = [each.predicate for each in registry.everything(db) if each.inverse == predicate] if predicate else []
    part = paged(db, window, Relation.LISTED, select, about=about, predicate=predicate, inverses=json.dumps(inverses))
    predicates = registry.predicates(db, (row["predicate"] for row in part.rows))
    others = merging.standing(db, (row["other_id"] for row in part.rows))
    return part.page([
        Relation(**{
            **row,
            "relation": read(predicates[row["predicate"]].inverse, row["predicate"], row["direction"]),
            "other_id": (other := others[row["other_id"]]).entity_id, "other_name": other.name,
            "other_kind": other.kind, "recorded_at": rfc3339(row["recorded_at"]),
        })
        for row in part.rows
    ])  # fmt: skip


def read(inverse: str | None, predicate: str, direction: Direction) -> str:
    """What a predicate is called in this direction."""
    return predicate if direction == "out" else inverse or predicate
