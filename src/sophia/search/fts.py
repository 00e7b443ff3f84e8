"""The lexical signal: full-text search over passages, written in the transaction of the document that they are of."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sophia.core.scope import Scope
from sophia.search import vectors
from sophia.search.ports import Index, Rows

SHORT_SCOPE = 32
"""Up to so many listed entities the index itself narrows the candidates; beyond, the scoped view does it alone."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage at `starts:ends` of its document, and the words that it is found by."""

    starts: int
    ends: int
    text: str
    words: str


@dataclass(frozen=True, slots=True)
class Hit:
    """The passage of a document that fits best. A lower score fits better; it depends on the whole corpus."""

    document_id: str
    chunk_id: int
    score: float


def put(db: Index, user_id: str, document_id: str, chunks: Iterable[Chunk], entity_ids: Iterable[str]) -> None:
    """Make the document findable by these passages, and by no others."""
    remove(db, document_id)
    scope = " ".join(_token(entity_id) for entity_id in entity_ids)
    for chunk in chunks:
        db.index(
            "INSERT INTO main.chunk (user_id, document_id, starts, ends, text)"
            " VALUES (:user_id, :document_id, :starts, :ends, :text)",
            user_id=user_id, document_id=document_id, starts=chunk.starts, ends=chunk.ends, text=chunk.text,
        )  # fmt: skip
        db.index(
            "INSERT INTO main.chunk_place (id, user_id, document_id)"
            " VALUES (last_insert_rowid(), :user_id, :document_id)",
            user_id=user_id, document_id=document_id,
        )  # fmt: skip
        db.index(
            "INSERT INTO main.chunk_fts (rowid, body, scope) VALUES (last_insert_rowid(), :body, :scope)",
            body=chunk.words, scope=scope,
        )  # fmt: skip


def remove(db: Index, document_id: str) -> None:
    """Make the document findable by nothing."""
    # One by one: a statement that may delete several has the engine flush the index to disk first.
    for row in db.rows("SELECT id FROM main.chunk WHERE document_id = :id", id=document_id):
        vectors.remove(db, row["id"])
        db.index("DELETE FROM main.chunk_fts WHERE rowid = :id", id=row["id"])
        db.index("DELETE FROM main.chunk_place WHERE id = :id", id=row["id"])
        db.index("DELETE FROM main.chunk WHERE id = :id", id=row["id"])


def best(db: Rows, match: str, scope: Scope, condition: str | None, limit: int, **values: Any) -> list[Hit]:
    """The best passage of each document `d` that passes the condition, best first, at most `limit` of them.

    `match` is an expression of FTS5 (`lexicon.match_query`), `condition` is SQL with `values` for its parameters. The
    index knows of no rights: what is found counts where the caller's own `chunk` and `document` hold it.
    """
    narrowed = _narrowed(match, scope)
    if condition is not None:
        return _all(db, narrowed, condition, limit, values)
    # The best passages are of the best documents. The others are looked up only where too few of these can be seen.
    passages = limit + limit // 4
    while True:
        hits = _first(db, narrowed, passages)
        if len(hits) >= limit or len(_matching(db, narrowed, passages)) < passages:
            return hits[:limit]
        passages *= 8


def _all(db: Rows, match: str, condition: str, limit: int, values: dict[str, Any]) -> list[Hit]:
    found = db.rows(
        f"""
        WITH matched AS MATERIALIZED (
          SELECT rowid AS id, bm25(chunk_fts, 1.0, 0.0) AS score FROM chunk_fts WHERE chunk_fts MATCH :match
        )
        SELECT d.id AS document_id, c.id AS chunk_id, min(m.score) AS score
          FROM matched m CROSS JOIN chunk_place c ON c.id = m.id CROSS JOIN document d ON d.id = c.document_id
         WHERE {condition} GROUP BY d.id ORDER BY score, d.id LIMIT :limit""",  # noqa: S608 (the condition is SQL of ours)
        match=match, limit=limit, **values,
    )  # fmt: skip
    return [Hit(**row) for row in found]


def _first(db: Rows, match: str, passages: int) -> list[Hit]:
    """The documents of so many passages, by the best of each."""
    found = db.rows(
        """
        WITH matched AS MATERIALIZED (
          SELECT rowid AS id, bm25(chunk_fts, 1.0, 0.0) AS score FROM chunk_fts WHERE chunk_fts MATCH :match
           ORDER BY score LIMIT :passages
        )
        SELECT c.document_id, c.id AS chunk_id, m.score FROM matched m CROSS JOIN chunk_place c ON c.id = m.id
         ORDER BY m.score, c.document_id, c.id""",
        match=match, passages=passages,
    )  # fmt: skip
    best: dict[str, Hit] = {}
    for row in found:
        if row["document_id"] not in best:
            best[row["document_id"]] = Hit(**row)
    return list(best.values())


def _matching(db: Rows, match: str, limit: int) -> list[dict[str, Any]]:
    return db.rows("SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH :match LIMIT :limit", match=match, limit=limit)


def holding(db: Rows, match: str, scope: Scope, condition: str | None, limit: int, **values: Any) -> list[str]:
    """At most `limit` documents `d` that match and pass the condition, in no order; no more are looked for."""
    found = db.rows(
        f"""
        SELECT DISTINCT d.id FROM chunk_fts t CROSS JOIN chunk_place c ON c.id = t.rowid
         CROSS JOIN document d ON d.id = c.document_id
         WHERE t.chunk_fts MATCH :match AND ({condition or "1"}) LIMIT :limit""",  # noqa: S608 (the condition is SQL of ours)
        match=_narrowed(match, scope), limit=limit, **values,
    )  # fmt: skip
    return [row["id"] for row in found]


def _narrowed(match: str, scope: Scope) -> str:
    """The expression over the text alone, and over the listed entities where the list is short."""
    entities = scope.entities
    if not entities or len(entities) > SHORT_SCOPE:
        return f"body : ({match})"
    listed = " OR ".join(f'"{_token(entity_id)}"' for entity_id in sorted(entities))
    return f"(body : ({match})) AND (scope : ({listed}))"


def _token(entity_id: str) -> str:
    """An entity as one word of the index. Two may share it: it only narrows what the scoped view then judges."""
    return "".join(character for character in entity_id.casefold() if character.isalnum())
