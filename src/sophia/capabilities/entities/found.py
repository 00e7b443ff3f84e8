"""Entities found by what they are called: exactly so, by the words of a name, or by one that is spelled like it."""

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from sophia.capabilities.entities import names, records, resolve
from sophia.catalog.call import Reader
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window
from sophia.search import entity_names
from sophia.search.fusion import Fused
from sophia.search.ranking import Ranking

MOST = 100
"""How many entities are compared with what is asked for."""
WORDS, BEGINNING = 0.8, 0.75
"""How well all words of the query, in a longer name, and its beginning stand for the name."""
WORTH_SHOWING = 0.6


class EntityHit(Row, frozen=True):
    """An entity that is called something like what was asked for, how like, and why."""

    COMPACT: ClassVar[tuple[str, ...]] = ("entity_id", "name", "kind", "score", "why")
    LISTED: ClassVar[Listed] = Listed("updated_at", "entity_id", {"relevance": Order(("rank", "entity_id"))})
    PAGE: ClassVar[dict[str, object]] = {"no_match": {"type": "boolean"}}

    entity_id: str
    name: str
    kind: str
    score: float
    why: str
    updated_at: str
    aliases: list[str] | None = None
    summary: str | None = None


def searched(db: Reader, window: Window, query: str, kind: str | None) -> Page[EntityHit]:
    """The active entities that fit, best first or by time."""
    likeness = ranked(db, query, kind)
    if window.order == "relevance":
        ids = records.within_times(db, window, list(likeness))
        part = Ranking([Fused(each, likeness[each][0], {}) for each in ids]).part(window, "entity_id")
    else:
        part = paged(
            db, window, EntityHit.LISTED,
            "SELECT e.id AS entity_id, e.updated_at FROM entity e WHERE e.id IN (SELECT value FROM json_each(:ids))",
            ids=json.dumps(list(likeness)),
        )  # fmt: skip
    items = shown(db, [row["entity_id"] for row in part.rows], likeness)
    return Page(items, part.total, part.keys, part.more, {} if part.total else {"no_match": True})


def ranked(db: Reader, query: str, kind: str | None = None) -> dict[str, tuple[float, str]]:
    """How like each of them is and why, best first."""
    key = names.key(query)
    exact = resolve.exact(db, [query])[query]
    told = {
        each.entity_id: (1.0, each.candidate.why)
        for each in exact
        if kind in (None, each.kind) and each.status != "archived"
    }
    rows = entity_names.near(db, key, kind, MOST) + (entity_names.beginning(db, key, kind, MOST) if key else [])
    for row in resolve.followed(db, rows, kind):
        score, why = _likeness(key, row)
        if score >= WORTH_SHOWING and (row["id"] not in told or told[row["id"]][0] < score):
            told[row["id"]] = (score, why)
    # Stable: of equals, the one that the index has found to share more comes first.
    return dict(sorted(told.items(), key=lambda each: -each[1][0]))


def shown(db: Reader, ids: Sequence[str], likeness: dict[str, tuple[float, str]]) -> list[EntityHit]:
    """These entities, each with how like it is."""
    told = []
    for entity_id in ids:
        held = records.find(db, entity_id)
        score, why = likeness[entity_id]
        told.append(EntityHit(
            entity_id=entity_id, name=held.name, kind=held.kind, score=round(score, 4), why=why,
            updated_at=held.updated_at, aliases=held.aliases or None, summary=held.summary,
        ))  # fmt: skip
    return told


def _likeness(key: str, row: dict[str, Any]) -> tuple[float, str]:
    called = [row["name"], *json.loads(row["aliases"])]
    best = names.best([key], called)
    words = set(key.split())
    keys = [names.key(each) for each in called]
    if words and any(words <= set(each.split()) for each in keys):
        return max((best.score, best.why), (WORDS, "words"))
    if any(each.startswith(key) for each in keys):
        return max((best.score, best.why), (BEGINNING, "beginning"))
    return best.score, best.why
