"""The index of the words of facts: what they say, the quotes behind them, and the source that each was taken from."""

import re
from typing import Any

from sophia.core.scope import Scope
from sophia.search.lexicon import MAX_TERMS, indexed, match_query
from sophia.search.ports import Index, Rows

FOUND = "fact_fts t CROSS JOIN fact_index i ON i.id = t.rowid CROSS JOIN fact f ON f.id = i.fact_id"
"""The facts `f` that the index finds, in the order of `t.rowid`, which is the order in which they were made."""
MATCHING = """
    fact_fts MATCH :match
    AND (f.quote IS NOT NULL OR t.rowid IN (SELECT s.rowid FROM fact_fts s WHERE s.fact_fts MATCH :said))
"""
"""Which of FOUND are meant. A quote that the caller cannot read finds nothing."""
_PART = re.compile(r'"[^"]*"|\S+')


def index(tx: Index, fact_id: str, said: str, quote: str | None, source_id: str | None) -> None:
    """Have a new fact found by what it says, by its quote and by its source."""
    tx.index("INSERT INTO main.fact_index (fact_id) VALUES (:fact_id)", fact_id=fact_id)
    tx.index(
        "INSERT INTO main.fact_fts (rowid, said, quote, source)"
        " VALUES ((SELECT i.id FROM fact_index i WHERE i.fact_id = :fact_id), :said, :quote, :source)",
        fact_id=fact_id, said=indexed(said), quote=indexed(quote or ""), source=source_id or "",
    )  # fmt: skip


def forget(tx: Index, fact_id: str) -> None:
    """Have a fact found by no word any more."""
    tx.index(
        "DELETE FROM main.fact_fts WHERE rowid = (SELECT i.id FROM fact_index i WHERE i.fact_id = :id)", id=fact_id
    )
    tx.index("DELETE FROM main.fact_index WHERE fact_id = :id", id=fact_id)


def best(db: Rows, query: str, scope: Scope, condition: str, limit: int, **values: Any) -> list[str]:
    """The current facts `f` that hold words of the query and pass the condition, best first.

    Quotes weigh for who sees everything only: the weight of one that is hidden would tell of it.
    """
    match, said = match_query(query, "{said quote}"), match_query(query, "said")
    if match is None or said is None:
        return []
    rows = db.rows(
        f"SELECT f.id FROM {FOUND} WHERE {MATCHING} AND f.status = 'current' AND ({condition})"  # noqa: S608 (SQL of ours)
        f" ORDER BY bm25(fact_fts, 1.0, {'1.0' if scope.is_all else '0.0'}, 0.0), t.rowid DESC LIMIT :limit",
        match=match, said=said, limit=limit, **values,
    )  # fmt: skip
    return [row["id"] for row in rows]


def sought(query: str | None, source_id: str | None) -> dict[str, str] | None:
    """The parameters of MATCHING for the facts of this source that hold every word of the query.

    `None` where the query holds no word. The index only finds the source's facts: whether the caller may know that
    they are from there is for the condition `f.source_id = :source_id` to say.
    """
    parts = [] if query is None else _PART.findall(query)[:MAX_TERMS]
    both, said = (
        [f"({found})" for part in parts if (found := match_query(part, columns))]
        for columns in ("{said quote}", "said")
    )
    if query is not None and not both:
        return None
    source = [] if source_id is None else ['source : "' + source_id.replace('"', " ") + '"']
    return {"match": " AND ".join(source + both), "said": " AND ".join(source + said)}
