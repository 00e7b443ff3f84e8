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


def link(db: Writer, document_id: str, entity_ids: Iterable[str], new_id: NewId) -> bool:
    """Link the document to these entities too; whether one is new. `NotFound` for one that the caller cannot see."""
    linked, changed = set(entities_of(db, document_id)), False
    for entity_id in dict.fromkeys(entity_ids):
        db.require("entity", entity_id)
        if entity_id not in linked:
            db.insert("document_entity", id=new_id("link"), document_id=document_id, entity_id=entity_id)
            changed = True
    return changed


def unlink(db: Writer, document_id: str, entity_ids: Iterable[str]) -> bool:
    """Link the document to these entities no more; whether it was. `NotFound` for one that the caller cannot see."""
    changed = False
    for entity_id in dict.fromkeys(entity_ids):
        db.require("entity", entity_id)
        row = db.row(
            "SELECT l.id FROM document_entity l WHERE l.document_id = :id AND l.entity_id = :entity_id",
            id=document_id, entity_id=entity_id,
        )  # fmt: skip
        if row is not None:
            db.delete("document_entity", row["id"])
            changed = True
    return changed


def apart(adds: Iterable[str], removes: Iterable[str], argument: str) -> None:
    """Refuse (`BadArguments`) what is to be put there and taken away at once: no order says which comes last."""
    both = sorted(set(adds).intersection(removes))
    if both:
        raise BadArguments(f"Added and removed at once: {', '.join(both)[:200]}.", argument=argument)


def tag(db: Writer, document_id: str, tags: Iterable[str], new_id: NewId) -> bool:
    """Put these tags on the document too; whether one is new."""
    rows = db.rows("SELECT t.tag FROM document_tag t WHERE t.document_id = :id", id=document_id)
    there = {row["tag"] for row in rows}
    added = [one for one in tags if one not in there]
    if len(there) + len(added) > MAX_TAGS:
        raise BadArguments(f"A document has at most {MAX_TAGS} tags.", argument="tags")
    for one in added:
        db.insert("document_tag", id=new_id("tag"), document_id=document_id, tag=one)
    return bool(added)


def untag(db: Writer, document_id: str, tags: Iterable[str]) -> bool:
    """Take these tags off the document; whether it had one."""
    changed = False
    for one in tags:
        row = db.row(
            "SELECT t.id FROM document_tag t WHERE t.document_id = :id AND t.tag = :tag", id=document_id, tag=one
        )
        if row is not None:
            db.delete("document_tag", row["id"])
            changed = True
    return changed


def spelled(tags: Iterable[str], argument: str = "tags") -> list[str]:
    """The tags as they are kept: NFC, white space single, each once; `BadArguments` for an empty or a long one."""
    kept = [" ".join(unicodedata.normalize("NFC", one).split()) for one in tags]
    if not all(0 < len(one) <= MAX_TAG for one in kept):
        raise BadArguments(f"A tag has 1 to {MAX_TAG} characters.", argument=argument)
    return list(dict.fromkeys(kept))
