"""Pages found by their title and text: one passage of each, in one ranking."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sophia.capabilities.entities import resolve as entities
from sophia.capabilities.wiki import records, resolve
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import Part, paged, within
from sophia.core.page import Listed, Order, Page, Row, Window
from sophia.core.scope import Scope
from sophia.search import fts, lexicon, told
from sophia.search.fusion import Fused
from sophia.search.ranking import Ranking
from sophia.search.snippet import snippet
from sophia.search.told import Explanation

MOST = 100
"""How many pages are ranked by their words at most."""
NAMED = 10
"""How many pages that are linked to the entity that the query names."""
WIDTH = 400
"""Most characters of a passage that are shown."""
SIGNALS = ("bm25",)
"""Pages have no vectors: they are found by words alone."""


class PageHit(Row, frozen=True):
    """A page with the passage that fits best. `passage` is its text from `start` to `end`."""

    COMPACT: ClassVar[tuple[str, ...]] = ("page_id", "title", "passage", "start", "end")
    LISTED: ClassVar[Listed] = Listed("updated_at", "page_id", {"relevance": Order(("rank", "page_id"))})
    PAGE: ClassVar[dict[str, object]] = told.PAGE

    page_id: str
    title: str
    score: float
    passage: str
    start: int
    end: int
    revision: int
    updated_at: str
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for, within which times, for whom."""

    query: str
    window: Window
    scope: Scope
    explain: bool = False

    @property
    def condition(self) -> str | None:
        """The condition on a page `d`, with `values` for its parameters; `None` where every active page passes."""
        return None if self.window.since is None and self.window.until is None else within(self.window, "d.updated_at")

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the condition."""
        return {} if self.condition is None else {"since": self.window.since, "until": self.window.until}


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, best first, the passage of each page that fits best, and the scores by words."""

    ranking: Ranking
    chunks: dict[str, int]
    scores: dict[str, dict[str, float]]
    capped: bool


def found(db: Reader, search: Search) -> Found:
    """The active pages that fit: by words, by what they are called, and by the entity that the query names."""
    match = lexicon.match_query(search.query)
    condition, values = search.condition, search.values
    hits = fts.best(db, match, search.scope, condition, MOST + 1, fts.PAGES, **values) if match else []
    capped, hits = len(hits) > MOST, hits[:MOST]
    called = [each.page_id for each in resolve.exact(db, [search.query])[search.query]]
    of = [each.entity_id for each in entities.exact(db, [search.query])[search.query]]
    first = records.first_passages(db, condition or "1", values, called, of, NAMED) if called or of else {}
    chunks = first | {hit.id: hit.chunk_id for hit in hits}
    ranking = Ranking.of({"bm25": [hit.id for hit in hits], "name": list(first)})
    rare = fts.rare(db, search.query, search.scope, condition, fts.PAGES, **values) if hits else set()
    leading = [each for each in called if each in chunks]
    leading += [each for each in ranking.ids if each in rare][:1]
    return Found(ranking.led_by(leading), chunks, {"bm25": {hit.id: -hit.score for hit in hits}}, capped)


def searched(db: Reader, search: Search) -> Page[PageHit]:
    """The pages that fit, best first or by time. `total` counts them as far as they are ranked."""
    all_found = found(db, search)
    best_first = search.window.order == "relevance"
    part = all_found.ranking.part(search.window, "page_id") if best_first else _by_time(db, all_found, search)
    ranked = {one.id: one for one in all_found.ranking.found}
    items = shown(db, [ranked[row["page_id"]] for row in part.rows], all_found, search)
    extra = told.of(SIGNALS, found=bool(ranked), capped=all_found.capped)
    return Page(items, part.total, part.keys, part.more, extra)


def shown(db: Reader, chosen: Sequence[Fused], whole: Found, search: Search) -> list[PageHit]:
    """These of what was found, each with its passage."""
    terms = lexicon.terms(search.query)
    passages = {row["page_id"]: row for row in records.passages(db, [whole.chunks[one.id] for one in chosen])}
    made: list[PageHit] = []
    for one in chosen:
        row = passages[one.id]
        part = snippet(row["text"], terms, WIDTH)
        made.append(PageHit(
            page_id=one.id, title=row["title"], score=round(one.score, 6), passage=part.text,
            start=row["starts"] + part.start, end=row["starts"] + part.end, revision=row["revision"],
            updated_at=rfc3339(row["updated_at"]),
            explain=told.explained(one, whole.scores, search.scope) if search.explain else None,
        ))  # fmt: skip
    return made


def _by_time(db: Reader, whole: Found, search: Search) -> Part:
    """The part of the window of the same pages by the time of their last change."""
    return paged(
        db, search.window, PageHit.LISTED,
        "SELECT p.id AS page_id, p.updated_at FROM page p WHERE p.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(whole.ranking.ids),
    )  # fmt: skip
