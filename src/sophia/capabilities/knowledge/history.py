"""The life of a fact: what it took the place of, and what took its place."""

from typing import ClassVar

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge import records
from sophia.capabilities.knowledge.records import Fact
from sophia.catalog.call import Reader
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Window


class Stage(Fact, frozen=True):
    """One fact of a chain of corrections: who said it when, and until it ended, who ended it and why."""

    LISTED: ClassVar[Listed] = Listed("recorded_at", "fact_id", {"oldest": Order(("recorded_at", "fact_id"))})


_CHAIN = """
    WITH RECURSIVE
        step AS MATERIALIZED (
            SELECT f.id, f.superseded_by AS next FROM fact f
             WHERE f.entity_id IN (SELECT value FROM json_each(:about)) AND f.predicate = :predicate
                   AND f.superseded_by IS NOT NULL),
        later (id) AS (SELECT :id UNION SELECT s.next FROM later l JOIN step s ON s.id = l.id),
        chain (id) AS (SELECT l.id FROM later l UNION SELECT s.id FROM chain c JOIN step s ON s.next = c.id)
    SELECT c.id FROM chain c
"""


def of(db: Reader, window: Window, fact: Fact) -> Page[Stage]:
    """The fact with all that superseded it, and all that those superseded; the oldest first, unless asked otherwise."""
    chain = f"f.id IN ({_CHAIN})"
    part = paged(
        db, window, Stage.LISTED, f"{records.SELECT}, 0 AS n FROM fact f WHERE {chain}", id=fact.fact_id,
        about=merging.about(db, fact.entity_id), predicate=fact.predicate,
    )  # fmt: skip
    return part.page(records.filled(db, part.rows, Stage))
