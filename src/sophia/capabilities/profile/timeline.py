"""The life of an entity in time: what was learned of it, what was linked to it, and who changed it."""

from typing import ClassVar, Literal

from sophia.capabilities.entities.touched import TOUCHING
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import paged
from sophia.core.page import Listed, Page, Row, Window

MOST_SAID = 300


class Moment(Row, frozen=True):
    """Something that happened to an entity: a fact recorded, a document added, a mutation."""

    COMPACT: ClassVar[tuple[str, ...]] = ("id", "at", "family", "said")
    LISTED: ClassVar[Listed] = Listed("at", "id")

    id: str
    """A fact_id, a document_id, or a mutation_seq as text."""
    at: str
    family: Literal["fact", "document", "mutation"]
    said: str
    by: str
    """By the name that it had then, whoever said or did it; of a document, where it comes from."""
    status: str | None = None
    """Of a fact or document: whether it still holds."""
    observed_at: str | None = None


_MOMENTS = f"""
    SELECT f.id, f.recorded_at AS at, 'fact' AS family, f.observer_name AS by, f.status, f.observed_at,
           substr(coalesce((SELECT e.name FROM entity e WHERE e.id = f.entity_id), '') || ' ' || f.predicate || ' '
           || coalesce((SELECT e.name FROM entity e WHERE e.id = f.object_entity_id), f.object), 1, {MOST_SAID}) AS said
      FROM fact f WHERE f.entity_id IN (SELECT value FROM json_each(:about))
           OR f.object_entity_id IN (SELECT value FROM json_each(:about))
    UNION ALL
    SELECT d.id, d.created_at, 'document', d.origin, d.status, NULL, substr(d.title, 1, {MOST_SAID})
      FROM document d WHERE d.id IN (SELECT l.document_id FROM document_entity l
                                      WHERE l.entity_id IN (SELECT value FROM json_each(:about)))
    UNION ALL
    SELECT CAST(m.seq AS TEXT), m.at, 'mutation', m.actor_name, NULL, NULL, m.tool
      FROM mutation m WHERE m.seq IN ({TOUCHING})
"""  # noqa: S608 (SQL of ours)


def listed(db: Reader, window: Window, about: str) -> Page[Moment]:
    """What happened to the entity whose ids are given, and to what went into it."""
    part = paged(db, window, Moment.LISTED, _MOMENTS, about=about)
    return part.page([
        Moment(**{
            **row, "at": rfc3339(row["at"]),
            "observed_at": None if row["observed_at"] is None else rfc3339(row["observed_at"]),
        })
        for row in part.rows
    ])  # fmt: skip
