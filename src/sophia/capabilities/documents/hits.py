"""Documents found by their text: one passage of each, in one ranking."""

import json
from collections.abc import Sequence
from typing import ClassVar

from sophia.capabilities.documents import candidates
from sophia.capabilities.documents.candidates import Found, Search
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import Part, paged
from sophia.core.page import Listed, Order, Page, Row
from sophia.search import lexicon, told
from sophia.search.fusion import Fused
from sophia.search.snippet import snippet
from sophia.search.told import Explanation

WIDTH = 400
"""Most characters of a passage that are shown."""


class DocumentHit(Row, frozen=True):
    """A document with the passage that fits best. `passage` is its text from `start` to `end`."""

    COMPACT: ClassVar[tuple[str, ...]] = ("document_id", "title", "passage", "start", "end")
    LISTED: ClassVar[Listed] = Listed("updated_at", "document_id", {"relevance": Order(("rank", "document_id"))})
    PAGE: ClassVar[dict[str, object]] = told.PAGE

    document_id: str
    title: str
    score: float
    passage: str
    start: int
    end: int
    chunk_id: str
    updated_at: str
    explain: Explanation | None = None


def searched(db: Reader, search: Search) -> Page[DocumentHit]:
    """The documents that fit, best first or by time. `total` counts them as far as they are ranked."""
    return listed(db, search, candidates.found(db, search))


def listed(db: Reader, search: Search, found: Found) -> Page[DocumentHit]:
    """The part of the window of what was found, and by which signals."""
    best_first = search.window.order == "relevance"
    part = found.ranking.part(search.window, "document_id") if best_first else _by_time(db, found, search)
    ranked = {one.id: one for one in found.ranking.found}
    items = shown(db, [ranked[row["document_id"]] for row in part.rows], found, search)
    extra = told.of(found.signals, reranked=found.reranked, found=bool(ranked), capped=found.capped)
    return Page(items, part.total, part.keys, part.more, extra)


def _by_time(db: Reader, found: Found, search: Search) -> Part:
    """The part of the window of the same documents by the time of their last change."""
    return paged(
        db, search.window, DocumentHit.LISTED,
        "SELECT d.id AS document_id, d.updated_at FROM document d WHERE d.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(found.ranking.ids),
    )  # fmt: skip


def shown(db: Reader, chosen: Sequence[Fused], found: Found, search: Search) -> list[DocumentHit]:
    """These of what was found, each with its passage."""
    terms = lexicon.terms(search.query)
    passages = candidates.passages(db, [found.chunks[one.id] for one in chosen])
    made: list[DocumentHit] = []
    for one in chosen:
        row = passages[found.chunks[one.id]]
        why = told.explained(one, found.scores, search.scope) if search.explain else None
        part = snippet(row["text"], terms, WIDTH)
        made.append(DocumentHit(
            document_id=one.id, title=row["title"], score=round(one.score, 6), passage=part.text,
            start=row["starts"] + part.start, end=row["starts"] + part.end, chunk_id=f"{one.id}:{row['starts']}",
            updated_at=rfc3339(row["updated_at"]), explain=why,
        ))  # fmt: skip
    return made
