"""The index of the words of facts: what they say, the quotes behind them, and the source that each was taken from."""

import re

from sophia.search.lexicon import MAX_TERMS, indexed, match_query
from sophia.search.ports import Index

MATCHING = """
    f.id IN (SELECT i.fact_id FROM fact_fts t JOIN fact_index i ON i.id = t.rowid WHERE fact_fts MATCH :words)
    AND (f.quote IS NOT NULL OR f.id IN
        (SELECT i.fact_id FROM fact_fts t JOIN fact_index i ON i.id = t.rowid WHERE fact_fts MATCH :said))
"""
"""The facts `f` that a query finds. A quote that the caller cannot read finds nothing."""
FROM_SOURCE = """
    f.source_id = :source_id
    AND f.id IN (SELECT i.fact_id FROM fact_fts t JOIN fact_index i ON i.id = t.rowid WHERE fact_fts MATCH :source)
"""
"""The facts `f` of one source. The index finds them; the row says whether the caller may know."""
_PART = re.compile(r'"[^"]*"|\S+')


def index(tx: Index, fact_id: str, said: str, quote: str | None, source_id: str | None) -> None:
    """Have a new fact found by what it says, by its quote and by its source."""
    tx.index("INSERT INTO main.fact_index (fact_id) VALUES (:fact_id)", fact_id=fact_id)
    tx.index(
        "INSERT INTO main.fact_fts (rowid, said, quote, source)"
        " VALUES ((SELECT i.id FROM fact_index i WHERE i.fact_id = :fact_id), :said, :quote, :source)",
        fact_id=fact_id, said=indexed(said), quote=indexed(quote or ""), source=source_id or "",
    )  # fmt: skip


def words(query: str) -> dict[str, str] | None:
    """The parameters of MATCHING for facts that hold every word of the query; `None` where it holds no word."""
    parts = _PART.findall(query)[:MAX_TERMS]
    both, said = (
        " AND ".join(f"({found})" for part in parts if (found := match_query(part, columns)))
        for columns in ("{said quote}", "said")
    )
    return {"words": both, "said": said} if both else None


def source(source_id: str) -> dict[str, str]:
    """The parameters of FROM_SOURCE."""
    spelled = source_id.replace('"', " ")
    return {"source_id": source_id, "source": f'source : "{spelled}"'}
