"""Contradictions: what several current facts say of one thing and cannot all be right about."""

import json
from collections import defaultdict
from typing import Any, ClassVar

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge import clashes, records
from sophia.capabilities.knowledge.clashes import CONTESTED, MERGED, NOW, OF_TOPIC, SINGLE, TOPIC
from sophia.capabilities.knowledge.records import Fact
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import paged
from sophia.core.page import Listed, Page, Row, Window

MOST_SHOWN = 4
"""How many facts of a contradiction are shown, the best grounded of each value first."""


class Contradiction(Row, frozen=True):
    """Facts that contradict each other, side by side: the best grounded of each value first, and how many there are."""

    COMPACT: ClassVar[tuple[str, ...]] = ("latest_fact_id", "entity_id", "entity_name", "predicate", "total_facts")
    LISTED: ClassVar[Listed] = Listed("recorded_at", "latest_fact_id")

    entity_id: str
    entity_name: str
    predicate: str
    facts: list[Fact]
    total_facts: int
    latest_fact_id: str
    recorded_at: str
    """When the latest of them was recorded."""


_TOPICS = f"SELECT {NOW} AS entity_id, {TOPIC} AS topic FROM {{rows}} WHERE {{about}} AND {{which}}"  # noqa: S608 (SQL of ours)
_LOOKED_AT = (
    ("fact_clash a", f"a.predicate IN {SINGLE}"),
    ("same m CROSS JOIN fact a ON a.entity_id = m.one", f"a.status = 'current' AND a.predicate IN {SINGLE}"),
    (
        "fact a",
        "a.status = 'current' AND (a.predicate = 'dislikes' OR (a.predicate >= 'not_' AND a.predicate < 'not`'))",
    ),
    ("fact_dispute d CROSS JOIN fact a ON a.id = d.by_fact_id", "a.status = 'current'"),
)
"""Where contradictions may be: where several values are current, where what has one is said of merged entities, where
something is denied, and where two facts were said against each other."""
_ABOUT = "a.entity_id IN (SELECT p.entity_id UNION ALL SELECT s.other FROM same s WHERE s.one = p.entity_id)"
_SELECT = """
    {merged} SELECT p.entity_id, (SELECT e.name FROM entity e WHERE e.id = p.entity_id) AS entity_name,
           p.topic AS predicate, count(*) AS total_facts, max(a.recorded_at) AS recorded_at, max(a.id) AS latest_fact_id
      FROM ({topics}) p CROSS JOIN fact a ON {about} AND a.predicate IN {of_topic}
     WHERE {contested} GROUP BY p.entity_id, p.topic
"""
_FACTS = """
    {merged} SELECT n, id FROM (
        SELECT n, id, object_key, trust_rank, row_number() OVER (
            PARTITION BY n ORDER BY nth, trust_rank DESC, recorded_at DESC, id DESC) AS place
          FROM (SELECT CAST(p.key AS INTEGER) AS n, a.id, a.object_key, a.trust_rank, a.recorded_at,
                       row_number() OVER (PARTITION BY p.key, a.predicate, a.object_key
                                          ORDER BY a.trust_rank DESC, a.recorded_at DESC, a.id DESC) AS nth
                  FROM (SELECT key, value ->> 0 AS entity_id, value ->> 1 AS topic FROM json_each(:groups)) p
                       CROSS JOIN fact a ON {about} AND a.predicate IN {of_topic}
                 WHERE {contested}))
     WHERE place <= :most ORDER BY n, place
"""


def select(about: str = "1") -> str:
    """The SQL of all contradictions whose `a.entity_id` fits the condition `about`, with the parameter `known`."""
    topics = " UNION ".join(_TOPICS.format(about=about, rows=rows, which=which) for rows, which in _LOOKED_AT)
    return _SELECT.format(merged=MERGED, topics=topics, about=_ABOUT, of_topic=OF_TOPIC, contested=CONTESTED)


def listed(db: Reader, window: Window, entity_id: str | None) -> Page[Contradiction]:
    """The contradictions, of this entity or of all."""
    about = "1" if entity_id is None else "a.entity_id IN (SELECT value FROM json_each(:about))"
    ids = None if entity_id is None else merging.about(db, entity_id)
    part = paged(db, window, Contradiction.LISTED, select(about), about=ids, **clashes.known(db))
    facts = of(db, part.rows)
    return part.page(
        [Contradiction(**{**row, "recorded_at": rfc3339(row["recorded_at"])}, facts=facts[n])
         for n, row in enumerate(part.rows)]
    )  # fmt: skip


def of(db: Reader, groups: list[dict[str, Any]]) -> dict[int, list[Fact]]:
    """The facts of each of these rows of `select` that are shown."""
    asked = json.dumps([[row["entity_id"], row["predicate"]] for row in groups])
    sql = _FACTS.format(merged=MERGED, about=_ABOUT, of_topic=OF_TOPIC, contested=CONTESTED)
    rows = db.rows(sql, groups=asked, most=MOST_SHOWN, **clashes.known(db)) if groups else []
    held = records.several(db, [row["id"] for row in rows])
    found: dict[int, list[Fact]] = defaultdict(list)
    for row in rows:
        found[row["n"]].append(held[row["id"]])
    return found


def topics(db: Reader, entity_id: str) -> list[str]:
    """The predicates of which the entity has contradicting facts, by name."""
    about = "a.entity_id IN (SELECT value FROM json_each(:about))"
    rows = db.rows(select(about), about=merging.about(db, entity_id), **clashes.known(db))
    return sorted(row["predicate"] for row in rows)


def counted(db: Reader) -> int:
    """How many contradictions there are."""
    found: int = db.value(f"SELECT count(*) FROM ({select()})", **clashes.known(db))  # noqa: S608 (ours)
    return found
