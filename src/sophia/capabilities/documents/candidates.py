"""Which documents a search has to show, and in what order: every signal, fused, refined."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sophia.capabilities.documents import records
from sophia.capabilities.documents.records import FILTERED, Filter
from sophia.capabilities.entities import merging, resolve
from sophia.catalog.call import Reader
from sophia.catalog.house import Dense, DenseQuestion
from sophia.core.listing import within
from sophia.core.page import Window
from sophia.core.scope import Scope
from sophia.search import fts, lexicon
from sophia.search.blend import BLENDED, COMPARED, blended
from sophia.search.ranking import Ranking

MOST = 100
"""How many documents of the lexical signal are ranked at most."""
NEAREST = 50
"""How many documents of the dense signal."""
NAMED = 10
"""How many documents that are linked to the entity that the query names."""
BUDGET_S = 0.3
"""How long comparing words may take: where it would take longer, the order stays as the signals have it."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for, among which documents, for whom."""

    query: str
    wanted: Filter
    window: Window
    scope: Scope
    dense: Dense
    rerank: bool = True
    explain: bool = False

    @property
    def is_open(self) -> bool:
        """Whether every active document passes."""
        return self.wanted == Filter() and self.window.since is None and self.window.until is None

    @property
    def condition(self) -> str:
        """The condition on a document `d`, with `values` for its parameters."""
        return f"{FILTERED} AND {within(self.window, 'd.updated_at')}"

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the condition."""
        return {**self.wanted.values, "since": self.window.since, "until": self.window.until}

    @property
    def among_most(self) -> bool:
        """Whether so many documents are searched that it takes longer to list them than to look at what is found."""
        return self.is_open and (self.scope.entities is None or len(self.scope.entities) > fts.SHORT_SCOPE)


@dataclass(slots=True)
class Found:
    """What was found, best first, the passage of each document that fits best, and what the signals say of it."""

    ranking: Ranking
    chunks: dict[str, int]
    signals: list[str]
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    capped: bool = False
    reranked: bool = False


def found(db: Reader, search: Search) -> Found:
    """The documents that fit the search."""
    match = lexicon.match_query(search.query)
    condition, values = (None, {}) if search.is_open else (search.condition, search.values)
    pending = search.dense.ask(search.query, NEAREST if search.among_most else 0) if match else _nothing
    hits = fts.best(db, match, search.scope, condition, MOST + 1, **values) if match else []
    capped, hits = len(hits) > MOST, hits[:MOST]
    asked = pending()
    near = nearest(db, search, asked) if asked and (hits or asked.known) else []
    named = _named(db, search)
    chunks = _first_passages(db, named)
    chunks |= {one.document_id: one.chunk_id for one in near} | {hit.id: hit.chunk_id for hit in hits}
    ranking = Ranking.of({
        "bm25": [hit.id for hit in hits],
        "dense": [one.document_id for one in near],
        "name": [document_id for document_id in named if document_id in chunks],
    })  # fmt: skip
    told = Found(ranking, chunks, ["bm25", "dense"] if asked else ["bm25"], capped=capped)
    told.scores["bm25"] = {hit.id: -hit.score for hit in hits}
    if asked and search.rerank:
        _refine(db, told, asked)
    if asked and search.explain:
        told.scores["dense"] = asked.cosines(ranking.ids)
    told.ranking = told.ranking.led_by(_leading(db, search, told.ranking.ids))
    return told


def passages(db: Reader, chunk_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The passages of these ids with their documents' titles, as the caller can see them."""
    return {row["id"]: row for row in records.passages(db, chunk_ids)}


def _nothing() -> None:
    """There is nothing to ask."""


def nearest(db: Reader, search: Search, asked: DenseQuestion) -> list[Any]:
    """The documents that come near to what is meant. No other than these is compared with it at all.

    The index in memory knows of no rights: what is near counts where the caller's own rows hold it, as they are now.
    """
    if not search.among_most:
        listed = None if search.scope.entities is None else sorted(search.scope.entities)
        return _held(db, asked.best(NEAREST, records.inside(db, search.condition, search.values, listed)))
    looked_at = NEAREST
    while True:
        near = asked.best(looked_at, None)
        held = _held(db, near)
        if len(held) >= NEAREST or len(near) < looked_at:
            return held[:NEAREST]
        looked_at *= 8


def _held(db: Reader, near: Sequence[Any]) -> list[Any]:
    numbers = records.vectors_held(db, [one.n for one in near])
    return [one for one in near if one.n in numbers]


def _named(db: Reader, search: Search) -> list[str]:
    """The document of that id, or the newest ones of the entity that the query is the name, alias or id of."""
    named = [each.entity_id for each in resolve.exact(db, [search.query])[search.query]]
    entity_ids = [each for part in merging.parts(db, named).values() for each in part] if named else []
    linked = records.linked_to(db, search.condition, search.values, entity_ids, NAMED) if entity_ids else []
    called = search.query.strip()
    by_id = records.passing(db, search.condition, search.values, called) if called.startswith("doc-") else []
    return [*by_id, *linked]


def _first_passages(db: Reader, document_ids: Sequence[str]) -> dict[str, int]:
    rows = records.first_passages(db, document_ids) if document_ids else []
    return {row["document_id"]: row["id"] for row in rows}


def _refine(db: Reader, told: Found, asked: DenseQuestion) -> None:
    """Order the best anew, by the blend of all that is known of them, where the words can be compared in time."""
    best = told.ranking.ids[:BLENDED]
    if len(best) < 2:
        return
    compared = best[:COMPARED]
    rows = passages(db, [told.chunks[each] for each in compared])
    texts = [f"{row['title']}\n{row['text']}" for row in (rows[told.chunks[each]] for each in compared)]
    likeness = asked.likeness(texts, BUDGET_S)
    if likeness is None:
        return
    bm25 = [told.scores["bm25"].get(each, 0.0) for each in best]
    cosines = asked.cosines(best)
    dense = [cosines.get(each, 0.0) for each in best]
    told.ranking = told.ranking.reordered(blended(bm25, dense, likeness), "rerank")
    told.scores["rerank"] = dict(zip(compared, likeness, strict=True))
    told.reranked = True


def _leading(db: Reader, search: Search, ids: Sequence[str]) -> list[str]:
    """What comes first whatever the signals say: what is called exactly so, and what holds a word that few hold."""
    if not ids:
        return []
    title = " ".join(search.query.split()).casefold()
    titles = records.titles(db, ids[:BLENDED])
    called = {each for each in titles if title in (titles[each].casefold(), each.casefold())}
    condition, values = (None, {}) if search.is_open else (search.condition, search.values)
    rare = fts.rare(db, search.query, search.scope, condition, **values)
    first = next((each for each in ids if each in rare), None)
    return [each for each in ids if each in called] + ([first] if first else [])
