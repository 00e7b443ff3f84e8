"""When facts contradict each other: the one definition, behind `contested` and the list of contradictions."""

import json
from collections.abc import Iterable
from typing import Any

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge.predicates import BUILT_IN
from sophia.catalog.call import Reader

TOPIC = """
    CASE WHEN a.predicate IN ('dislikes', 'not_dislikes') THEN 'likes'
         WHEN substr(a.predicate, 1, 4) = 'not_' THEN substr(a.predicate, 5) ELSE a.predicate END
"""
"""What a fact `a` speaks of, said or denied: contradictions are told by it."""
OF_TOPIC = """
    (p.topic, 'not_' || p.topic, CASE p.topic WHEN 'likes' THEN 'dislikes' END,
     CASE p.topic WHEN 'likes' THEN 'not_dislikes' END)
"""
"""The predicates that speak of a topic `p.topic`."""
_DENIED = """
    (CASE WHEN substr(a.predicate, 1, 4) = 'not_' THEN substr(a.predicate, 5) END, 'not_' || a.predicate,
     CASE a.predicate WHEN 'likes' THEN 'dislikes' WHEN 'dislikes' THEN 'likes' END)
"""
MERGED = """
    WITH stands (id, now) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(:merged)),
    same (one, other) AS MATERIALIZED (
        SELECT h.id, o.id FROM stands h CROSS JOIN stands o ON o.now = h.now AND o.id <> h.id)
"""
"""What CONTESTED stands behind: by `merged`, which ids are `same`, and which one each stands for."""
NOW = "coalesce((SELECT s.now FROM stands s WHERE s.id = a.entity_id), a.entity_id)"
"""The entity that a fact `a` is about now."""
_OF_ONE = "b.entity_id IN (SELECT a.entity_id UNION ALL SELECT s.other FROM same s WHERE s.one = a.entity_id)"
_ONE_OBJECT = "EXISTS (SELECT 1 FROM same s WHERE s.one = a.object_entity_id AND s.other = b.object_entity_id)"
_AT_ONCE = """
    b.status = 'current' AND (a.valid_from IS NULL OR b.valid_to IS NULL OR a.valid_from < b.valid_to)
     AND (b.valid_from IS NULL OR a.valid_to IS NULL OR b.valid_from < a.valid_to)
"""
SINGLE = """
    (SELECT o.id FROM predicate o WHERE o.single_valued = 1 UNION ALL
     SELECT k.value FROM json_each(:known) k WHERE k.value NOT IN (SELECT o.id FROM predicate o))
"""
"""The predicates that have one value at a time, by definition or, as the parameter `known` has it, from the start."""
KNOWN = json.dumps([predicate.name for predicate in BUILT_IN if predicate.single_valued])
CONTESTED = f"""
    a.status = 'current' AND (
        (a.predicate IN {SINGLE} AND EXISTS (
            SELECT 1 FROM fact b WHERE {_OF_ONE} AND b.predicate = a.predicate
                AND b.object_key <> a.object_key AND NOT {_ONE_OBJECT} AND {_AT_ONCE}))
        OR EXISTS (SELECT 1 FROM fact b WHERE {_OF_ONE} AND b.predicate IN {_DENIED}
                AND (b.object_key = a.object_key OR {_ONE_OBJECT}) AND {_AT_ONCE})
        OR EXISTS (SELECT 1 FROM fact_dispute d CROSS JOIN fact b ON b.id = d.by_fact_id
                WHERE d.fact_id = a.id AND {_AT_ONCE})
        OR EXISTS (SELECT 1 FROM fact_dispute d CROSS JOIN fact b ON b.id = d.fact_id
                WHERE d.by_fact_id = a.id AND {_AT_ONCE}))
"""  # noqa: S608 (SQL of ours)
"""Whether another current fact `b` contradicts the fact `a` while both are valid.

It gives another value for what has only one, it denies the same (`not_x` denies `x`, `dislikes` denies `likes`), or
one of the two was said against the other on weaker evidence. Entities that were merged are one.
"""


def known(db: Reader) -> dict[str, Any]:
    """The parameters of CONTESTED: what has one value from the start, and what was merged."""
    return _of(merging.groups(db))


def _of(merged: list[tuple[str, str]]) -> dict[str, Any]:
    return {"known": KNOWN, "merged": json.dumps(merged)}


def among(db: Reader, fact_ids: Iterable[str], named: Iterable[str]) -> set[str]:
    """Which of these facts another one contradicts; `named` is what their entities stand for now."""
    rows = db.rows(
        f"{MERGED} SELECT a.id FROM json_each(:ids) w CROSS JOIN fact a ON a.id = w.value WHERE {CONTESTED}",  # noqa: S608 (ours)
        ids=json.dumps(list(fact_ids)), **_of(merging.wholes(db, named)),
    )  # fmt: skip
    return {row["id"] for row in rows}
