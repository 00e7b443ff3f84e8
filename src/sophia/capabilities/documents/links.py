"""What a document is linked to: the entities that say who sees it, and its tags."""

import unicodedata
from collections.abc import Callable, Iterable

from sophia.catalog.call import Writer
from sophia.core.errors import BadArguments

MAX_TAG = 60
MAX_TAGS = 50
NewId = Callable[[str], str]


def entities_of(db: Writer, document_id: str) -> list[str]:
    """The ids of the linked entities, sorted."""
    rows = db.rows(
        "SELECT l.entity_id FROM document_entity l WHERE l.document_id = :id ORDER BY l.entity_id", id=document_id
    )
    return [row["entity_id"] for row in rows]


def link(db: Writer, document_id: str, entity_ids: Iterable[str], new_id: NewId) -> None:
    """Link the document to these entities too; `NotFound` for one that the caller cannot see."""
    linked = set(entities_of(db, document_id))
    for entity_id in dict.fromkeys(entity_ids):
        db.require("entity", entity_id)
        if entity_id not in linked:
            db.insert("document_entity", id=new_id("link"), document_id=document_id, entity_id=entity_id)


def unlink(db: Writer, document_id: str, entity_ids: Iterable[str]) -> None:
    """Link the document to these entities no more; `NotFound` for one that the caller cannot see."""
    for entity_id in dict.fromkeys(entity_ids):
        db.require("entity", entity_id)
        row = db.row(
            "SELECT l.id FROM document_entity l WHERE l.document_id = :id AND l.entity_id = :entity_id",
            id=document_id, entity_id=entity_id,
        )  # fmt: skip
        if row is not None:
            db.delete("document_entity", row["id"])


def tag(db: Writer, document_id: str, tags: Iterable[str], new_id: NewId) -> None:
    """Put these tags on the document too."""
    rows = db.rows("SELECT t.tag FROM document_tag t WHERE t.document_id = :id", id=document_id)
    there = {row["tag"] for row in rows}
    added = [one for one in tags if one not in there]
    if len(there) + len(added) > MAX_TAGS:
        raise BadArguments(f"A document has at most {MAX_TAGS} tags.", argument="tags")
    for one in added:
        db.insert("document_tag", id=new_id("tag"), document_id=document_id, tag=one)


def untag(db: Writer, document_id: str, tags: Iterable[str]) -> None:
    """Take these tags off the document."""
    for one in tags:
        row = db.row(
            "SELECT t.id FROM document_tag t WHERE t.document_id = :id AND t.tag = :tag", id=document_id, tag=one
        )
        if row is not None:
            db.delete("document_tag", row["id"])


def spelled(tags: Iterable[str], argument: str = "tags") -> list[str]:
    """The tags as they are kept: NFC, white space single, each once; `BadArguments` for an empty or a long one."""
    kept = [" ".join(unicodedata.normalize("NFC", one).split()) for one in tags]
    if not all(0 < len(one) <= MAX_TAG for one in kept):
        raise BadArguments(f"A tag has 1 to {MAX_TAG} characters.", argument=argument)
    return list(dict.fromkeys(kept))
