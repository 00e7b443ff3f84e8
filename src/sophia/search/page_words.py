"""The index of the words of wiki pages, written in the transaction of the page: passages of what it says now."""

from collections.abc import Iterable

from sophia.search import fts
from sophia.search.chunks import Chunk
from sophia.search.ports import Index


def put(db: Index, user_id: str, page_id: str, chunks: Iterable[Chunk], entity_ids: Iterable[str]) -> None:
    """Make the page findable by these passages, and by no others."""
    for row in db.rows("SELECT id FROM main.page_chunk WHERE page_id = :id", id=page_id):
        db.index("DELETE FROM main.page_fts WHERE rowid = :id", id=row["id"])
        db.index("DELETE FROM main.page_chunk WHERE id = :id", id=row["id"])
    scope = fts.scope_words(entity_ids)
    for chunk in chunks:
        db.index(
            "INSERT INTO main.page_chunk (user_id, page_id, starts, ends) VALUES (:user_id, :page_id, :starts, :ends)",
            user_id=user_id, page_id=page_id, starts=chunk.starts, ends=chunk.ends,
        )  # fmt: skip
        db.index(
            "INSERT INTO main.page_fts (rowid, body, scope) VALUES (last_insert_rowid(), :body, :scope)",
            body=chunk.words, scope=scope,
        )  # fmt: skip
