"""The lexical signal: full-text search over passages, written in the transaction of the text that they are of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sophia.core.scope import Scope
from sophia.search import lexicon, vectors
from sophia.search.chunks import Chunk
from sophia.search.ports import Index, Rows

SHORT_SCOPE = 32
"""Up to so many listed entities the index itself narrows the candidates; beyond, the scoped view does it alone."""
RARE = 3
"""A word that stands in so many texts at most puts one of them first."""
ASKED_ALONE = 8
"""How many words of a query are looked at alone, to see whether they are rare."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts that are searched alike: their table, the index of their passages, and what says whose each one is."""

    table: str
    index: str
    place: str


DOCUMENTS = Corpus("document", "chunk_fts", "chunk_place")
PAGES = Corpus("page", "page_fts", "page_chunk")


@dataclass(frozen=True, slots=True)
class Hit:
    """The passage of a text that fits best. A lower score fits better; it depends on the whole corpus."""

    id: str
    chunk_id: int
    score: float


@dataclass(frozen=True, slots=True)
class Findable:
    """A document, the passages that it is to be found by, and the entities that it is linked to."""

    document_id: str
    user_id: str
    chunks: Sequence[Chunk]
    entity_ids: Sequence[str]
    is_new: bool = False
    """Whether nothing can have found it so far."""


def put(db: Index, texts: Sequence[Findable]) -> None:
    """Make the documents findable by their passages, and by no others."""
    for one in texts:
        if not one.is_new:
            remove(db, one.document_id)
    passages = [(one, chunk) for one in texts for chunk in one.chunks]
    db.index_all(
        "INSERT INTO main.chunk (user_id, document_id, starts, ends, text) VALUES (?, ?, ?, ?, ?)",
        [(one.user_id, one.document_id, chunk.starts, chunk.ends, chunk.text) for one, chunk in passages],
    )
    # Each row's number is one more than the largest there is: together they are a run that ends at the last.
    last = db.rows("SELECT last_insert_rowid() AS id")[0]["id"]
    kept = list(enumerate(passages, last - len(passages) + 1))
    db.index_all(
        "INSERT INTO main.chunk_place (id, user_id, document_id) VALUES (?, ?, ?)",
        [(n, one.user_id, one.document_id) for n, (one, _) in kept],
    )
    scopes = {linked: scope_words(linked) for linked in {tuple(one.entity_ids) for one in texts}}
    db.index_all(
        "INSERT INTO main.chunk_fts (rowid, body, scope) VALUES (?, ?, ?)",
        [(n, chunk.words, scopes[tuple(one.entity_ids)]) for n, (one, chunk) in kept],
    )


def remove(db: Index, document_id: str) -> None:
    """Make the document findable by nothing."""
    # One by one: a statement that may delete several has the engine flush the index to disk first.
    for row in db.rows("SELECT id FROM main.chunk WHERE document_id = :id", id=document_id):
        vectors.remove(db, row["id"])
        db.index("DELETE FROM main.chunk_fts WHERE rowid = :id", id=row["id"])
        db.index("DELETE FROM main.chunk_place WHERE id = :id", id=row["id"])
        db.index("DELETE FROM main.chunk WHERE id = :id", id=row["id"])


def best(
    db: Rows, match: str, scope: Scope, condition: str | None, limit: int, of: Corpus = DOCUMENTS, **values: Any
) -> list[Hit]:
    """The best passage of each text `d` that passes the condition, best first, at most `limit` of them.

    `match` is an expression of FTS5 (`lexicon.match_query`), `condition` is SQL with `values` for its parameters. The
    index knows of no rights: what is found counts where the caller's own passages and texts hold it.
    """
    narrowed = _narrowed(match, scope)
    if condition is not None:
        return _all(db, of, narrowed, condition, limit, values)
    # The best passages are of the best texts. The others are looked up only where too few of these can be seen.
    passages = limit + limit // 4
    while True:
        hits = _first(db, of, narrowed, passages)
        if len(hits) >= limit or len(_matching(db, of, narrowed, passages)) < passages:
            return hits[:limit]
        passages *= 8


def _all(db: Rows, of: Corpus, match: str, condition: str, limit: int, values: dict[str, Any]) -> list[Hit]:
    found = db.rows(
        f"""
        WITH matched AS MATERIALIZED (
          SELECT rowid AS id, bm25({of.index}, 1.0, 0.0) AS score FROM {of.index} WHERE {of.index} MATCH :match
        )
        SELECT d.id, c.id AS chunk_id, min(m.score) AS score
          FROM matched m CROSS JOIN {of.place} c ON c.id = m.id CROSS JOIN {of.table} d ON d.id = c.{of.table}_id
         WHERE {condition} GROUP BY d.id ORDER BY score, d.id LIMIT :limit""",  # noqa: S608 (names and condition are ours)
        match=match, limit=limit, **values,
    )  # fmt: skip
    return [Hit(**row) for row in found]


def _first(db: Rows, of: Corpus, match: str, passages: int) -> list[Hit]:
    """The texts of so many passages, by the best of each."""
    found = db.rows(
        f"""
        WITH matched AS MATERIALIZED (
          SELECT rowid AS id, bm25({of.index}, 1.0, 0.0) AS score FROM {of.index} WHERE {of.index} MATCH :match
           ORDER BY score LIMIT :passages
        )
        SELECT c.{of.table}_id AS id, c.id AS chunk_id, m.score FROM matched m CROSS JOIN {of.place} c ON c.id = m.id
         ORDER BY m.score, c.{of.table}_id, c.id""",  # noqa: S608 (the names are ours)
        match=match, passages=passages,
    )  # fmt: skip
    best: dict[str, Hit] = {}
    for row in found:
        if row["id"] not in best:
            best[row["id"]] = Hit(**row)
    return list(best.values())


def _matching(db: Rows, of: Corpus, match: str, limit: int) -> list[dict[str, Any]]:
    return db.rows(
        f"SELECT rowid FROM {of.index} WHERE {of.index} MATCH :match LIMIT :limit",  # noqa: S608 (the name is ours)
        match=match, limit=limit,
    )  # fmt: skip


def holding(
    db: Rows, match: str, scope: Scope, condition: str | None, limit: int, of: Corpus = DOCUMENTS, **values: Any
) -> list[str]:
    """At most `limit` texts `d` that match and pass the condition, in no order; no more are looked for."""
    found = db.rows(
        f"""
        SELECT DISTINCT d.id FROM {of.index} t CROSS JOIN {of.place} c ON c.id = t.rowid
         CROSS JOIN {of.table} d ON d.id = c.{of.table}_id
         WHERE t.{of.index} MATCH :match AND ({condition or "1"}) LIMIT :limit""",  # noqa: S608 (names and condition are ours)
        match=_narrowed(match, scope), limit=limit, **values,
    )  # fmt: skip
    return [row["id"] for row in found]


def rare(db: Rows, query: str, scope: Scope, condition: str | None, of: Corpus = DOCUMENTS, **values: Any) -> set[str]:
    """The texts `d` that hold one of the query's words, where no more than RARE do."""
    found: set[str] = set()
    for term in lexicon.terms(query)[:ASKED_ALONE]:
        match = lexicon.match_query(term)
        if match:
            some = holding(db, match, scope, condition, RARE + 1, of, **values)
            found.update(some if len(some) <= RARE else ())
    return found


def _narrowed(match: str, scope: Scope) -> str:
    """The expression over the text alone, and over the listed entities where the list is short."""
    entities = scope.entities
    if not entities or len(entities) > SHORT_SCOPE:
        return f"body : ({match})"
    listed = " OR ".join(f'"{_token(entity_id)}"' for entity_id in sorted(entities))
    return f"(body : ({match})) AND (scope : ({listed}))"


def scope_words(entity_ids: Iterable[str]) -> str:
    """What the index is told of the entities that a text is linked to."""
    return " ".join(_token(entity_id) for entity_id in entity_ids)


def _token(entity_id: str) -> str:
    """An entity as one word of the index. Two may share it: it only narrows what the scoped view then judges."""
    return "".join(character for character in entity_id.casefold() if character.isalnum())
