"""Documents that are like one: by its words, and where there is a model, by what it means."""

from sophia.capabilities.documents import candidates, hits, records
from sophia.capabilities.documents.candidates import MOST, Found, Search
from sophia.capabilities.documents.hits import DocumentHit
from sophia.capabilities.documents.records import Filter
from sophia.catalog.call import ReadCall
from sophia.core.page import Page
from sophia.search import fts, lexicon
from sophia.search.ranking import Ranking

WORDS = 2_000
"""Characters of a text whose words are looked for in the others, its title before them."""


def similar(call: ReadCall, document_id: str) -> Page[DocumentHit]:
    """The other documents that are most like it, best first; `NotFound` where the caller does not see it."""
    document = records.found(call.db, document_id)
    said = call.db.value(
        "SELECT substr(t.text, 1, :most) FROM document_text t WHERE t.id = :id", most=WORDS, id=document_id
    )
    # Without quotation marks, which would ask for whole phrases.
    query = f"{document.title} {said or ''}".replace('"', " ")
    search = Search(query, Filter(), call.window, call.caller.scope, call.house.dense, rerank=False)
    match = lexicon.match_query(query)
    condition, values = (None, {}) if search.is_open else (search.condition, search.values)
    worded = fts.best(call.db, match, search.scope, condition, MOST + 2, **values) if match else []
    worded = [hit for hit in worded if hit.id != document_id]
    asked = call.house.dense.like(document_id)
    near = candidates.nearest(call.db, search, asked) if asked else []
    near = [one for one in near if one.document_id != document_id]
    found = Found(
        Ranking.of({
            "bm25": [hit.id for hit in worded[:MOST]],
            "dense": [one.document_id for one in near],
        }),
        {one.document_id: one.chunk_id for one in near} | {hit.id: hit.chunk_id for hit in worded[:MOST]},
        ["bm25", "dense"] if asked else ["bm25"],
        capped=len(worded) > MOST,
    )  # fmt: skip
    return hits.listed(call.db, search, found)
