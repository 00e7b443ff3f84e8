"""Documents found by their text: one passage of each, in one ranking."""

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from sophia.capabilities.documents.records import FILTERED, Filter
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import Part, paged, within
from sophia.core.page import Key, Listed, Order, Page, Row, Window
from sophia.core.scope import Scope
from sophia.search import fts, lexicon
from sophia.search.fusion import Fused, K, fuse
from sophia.search.snippet import snippet

MOST = 1000
"""How many documents a search ranks at most."""
WIDTH = 400
"""Most characters of a passage that are shown."""


class Explanation(Row, frozen=True):
    """Why a document stands where it does: its rank in each signal, and the signal's raw score where it may be told."""

    ranks: dict[str, int]
    scores: dict[str, float] | None = None


class DocumentHit(Row, frozen=True):
    """A document with the passage that fits best. `passage` is its text from `start` to `end`."""

    COMPACT: ClassVar[tuple[str, ...]] = ("document_id", "title", "passage", "start", "end")
    LISTED: ClassVar[Listed] = Listed("updated_at", "document_id", {"relevance": Order(("rank", "document_id"))})
    PAGE: ClassVar[dict[str, object]] = {
        "fusion": {
            "type": "object",
            "properties": {
                "method": {"const": "rrf"},
                "k": {"type": "integer"},
                "signals": {"type": "array", "items": {"enum": ["bm25", "dense"]}},
            },
            "required": ["method", "k", "signals"],
        },
        "reranked": {"type": "boolean"},
        "no_match": {"type": "boolean"},
        "total_is_capped": {"type": "boolean"},
    }

    document_id: str
    title: str
    score: float
    passage: str
    start: int
    end: int
    chunk_id: str
    updated_at: str
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for, among which documents, for whom."""

    query: str
    wanted: Filter
    scope: Scope
    explain: bool = False


def searched(db: Reader, window: Window, search: Search) -> Page[DocumentHit]:
    """The documents that fit, best first or by time. `total` counts them up to MOST."""
    match = lexicon.match_query(search.query)
    hits = _hits(db, match, window, search) if match else []
    by_document = {hit.document_id: hit for hit in hits[:MOST]}
    ranked = {one.id: one for one in fuse({"bm25": list(by_document)})}
    part = _best(list(ranked), window) if window.order == "relevance" else _by_time(db, list(ranked), window)
    chosen = [row["document_id"] for row in part.rows]
    items = _shown(db, [(ranked[each], by_document[each]) for each in chosen], search)
    extra: dict[str, object] = {"fusion": {"method": "rrf", "k": K, "signals": ["bm25"]}, "reranked": False}
    if not hits:
        extra["no_match"] = True
    if len(hits) > MOST:
        extra["total_is_capped"] = True
    return Page(items, part.total, part.keys, part.more, extra)


def _hits(db: Reader, match: str, window: Window, search: Search) -> list[fts.Hit]:
    """The passages that fit, of documents of the window's times: they are not to be crowded out by others."""
    condition = f"{FILTERED} AND {within(window, 'd.updated_at')}"
    return fts.best(
        db, match, search.scope, condition, MOST + 1,
        since=window.since, until=window.until, **search.wanted.values,
    )  # fmt: skip


def _best(ranked: list[str], window: Window) -> Part:
    """The part of the window of what is ranked."""
    first = _first(ranked, window.after)
    chosen = ranked[first : first + window.limit]
    keys: list[Key] = [(first + n, each) for n, each in enumerate(chosen, 1)]
    rows = [{"document_id": each} for each in chosen]
    return Part(rows, keys, len(ranked), more=first + len(chosen) < len(ranked))


def _by_time(db: Reader, ranked: list[str], window: Window) -> Part:
    """The part of the window of the same documents by the time of their last change."""
    return paged(
        db, window, DocumentHit.LISTED,
        "SELECT d.id AS document_id, d.updated_at FROM document d WHERE d.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(ranked),
    )  # fmt: skip


def _first(ranked: list[str], after: Key | None) -> int:
    """Where the page begins: behind the document that the last one ended with, wherever that ranks by now.

    Where it is gone, behind the rank that it had.
    """
    if after is None:
        return 0
    rank, document_id = after
    return ranked.index(str(document_id)) + 1 if document_id in ranked else int(rank or 0)


def _shown(db: Reader, chosen: list[tuple[Fused, fts.Hit]], search: Search) -> list[DocumentHit]:
    terms = lexicon.terms(search.query)
    passages = _passages(db, [hit.chunk_id for _, hit in chosen])
    shown: list[DocumentHit] = []
    for one, hit in chosen:
        row = passages[hit.chunk_id]
        part = snippet(row["text"], terms, WIDTH)
        shown.append(DocumentHit(
            document_id=one.id, title=row["title"], score=round(one.score, 6), passage=part.text,
            start=row["starts"] + part.start, end=row["starts"] + part.end, chunk_id=f"{one.id}:{row['starts']}",
            updated_at=rfc3339(row["updated_at"]), explain=_explained(one, hit, search) if search.explain else None,
        ))  # fmt: skip
    return shown


def _passages(db: Reader, chunk_ids: list[int]) -> dict[int, dict[str, Any]]:
    rows = db.rows(
        "SELECT c.id, c.starts, c.text, d.title, d.updated_at FROM chunk c JOIN document d ON d.id = c.document_id"
        " WHERE c.id IN (SELECT value FROM json_each(:ids))",
        ids=str(chunk_ids),
    )
    return {row["id"]: row for row in rows}


def _explained(one: Fused, hit: fts.Hit, search: Search) -> Explanation:
    """The ranks among what the caller can see, and the raw scores where the caller can see all.

    They weigh words by the whole corpus, and so would tell of what is hidden.
    """
    scores = {"bm25": round(-hit.score, 4)} if search.scope.is_all else None
    return Explanation(ranks=one.ranks, scores=scores)
