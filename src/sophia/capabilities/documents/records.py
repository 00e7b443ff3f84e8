"""Documents at rest: SQL beside the shapes it fills."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.errors import NotFound
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window


class Document(Row, frozen=True):
    """A text that quotes can be grounded in, and where it came from."""

    COMPACT: ClassVar[tuple[str, ...]] = ("document_id", "title", "collection", "tier", "updated_at")
    LISTED: ClassVar[Listed] = Listed("updated_at", "document_id", {"added": Order(("document_id",), down=True)})

    document_id: str
    title: str
    mime: str
    origin: str
    tier: str
    status: str
    bytes: int
    chars: int
    content_sha256: str
    created_at: str
    updated_at: str
    collection: str | None = None
    location: str | None = None
    gone_at: str | None = None
    """Since when its file is no longer there; it was archived then, and comes back with the file."""
    entity_ids: list[str] = []
    tags: list[str] = []


class Collection(Row, frozen=True):
    """A name that documents are kept together under."""

    COMPACT: ClassVar[tuple[str, ...]] = ("collection", "documents")
    LISTED: ClassVar[Listed] = Listed("updated_at", "collection", {"name": Order(("collection",))})

    collection: str
    documents: int
    updated_at: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents are meant. `None` leaves a side open."""

    status: str | None = "active"
    tier: str | None = None
    collection: str | None = None
    tag: str | None = None
    about: str | None = None
    """An entity, by its ids as `merging.about` gives them."""

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of `FILTERED`."""
        return {name: getattr(self, name) for name in self.__slots__}


FILTERED = """
    (:status IS NULL OR d.status = :status) AND (:tier IS NULL OR d.tier = :tier)
    AND (:collection IS NULL OR d.collection = :collection)
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM document_tag t WHERE t.document_id = d.id AND t.tag = :tag))
    AND (:about IS NULL
         OR EXISTS (SELECT 1 FROM document_entity l WHERE l.document_id = d.id
                     AND l.entity_id IN (SELECT value FROM json_each(:about))))
"""
"""The condition of a `Filter` on a document `d`."""

_INSIDE = (
    (
        "about",
        "document_entity l CROSS JOIN document d ON d.id = l.document_id",
        "l.entity_id IN (SELECT value FROM json_each(:about))",
    ),
    ("tag", "document_tag t CROSS JOIN document d ON d.id = t.document_id", "t.tag = :tag"),
    ("collection", "document d", "d.collection = :collection"),
)
"""Where the documents that pass a filter are looked for: behind the first of these that it names."""

_SELECT = """
    SELECT d.id AS document_id, d.title, d.mime, d.origin, d.tier, d.status, d.bytes, d.chars, d.content_sha256,
           d.collection, d.location, d.gone_at, d.created_at, d.updated_at,
           (SELECT json_group_array(l.entity_id ORDER BY l.entity_id) FROM document_entity l
             WHERE l.document_id = d.id) AS entity_ids,
           (SELECT json_group_array(t.tag ORDER BY t.tag) FROM document_tag t WHERE t.document_id = d.id) AS tags
      FROM document d
"""


def _filled(row: dict[str, Any]) -> Document:
    return Document(
        document_id=row["document_id"], title=row["title"], mime=row["mime"], origin=row["origin"], tier=row["tier"],
        status=row["status"], bytes=row["bytes"], chars=row["chars"], content_sha256=row["content_sha256"],
        collection=row["collection"], location=row["location"], entity_ids=json.loads(row["entity_ids"]),
        gone_at=None if row["gone_at"] is None else rfc3339(row["gone_at"]), tags=json.loads(row["tags"]),
        created_at=rfc3339(row["created_at"]), updated_at=rfc3339(row["updated_at"]),
    )  # fmt: skip


def found(db: Reader, document_id: str) -> Document:
    """The document of this id; `NotFound` where there is none."""
    row = db.row(f"{_SELECT} WHERE d.id = :id", id=document_id)
    if row is None:
        raise NotFound(argument="document_id")
    return _filled(row)


def listed(db: Reader, window: Window, wanted: Filter) -> Page[Document]:
    """The documents that pass the filter."""
    part = paged(db, window, Document.LISTED, f"{_SELECT} WHERE {FILTERED}", **wanted.values)
    return part.page([_filled(row) for row in part.rows])


def inside(db: Reader, condition: str, values: dict[str, Any], listed: list[str] | None) -> set[str]:
    """The ids of the documents `d` that pass the condition, of all that the caller can see.

    `listed` are the entities of the caller's scope, where it has a list: what is linked to none of them is not there.
    """
    source, narrowed = next(
        ((source, narrowed) for name, source, narrowed in _INSIDE if values[name] is not None), ("document d", "1")
    )
    if narrowed == "1" and listed is not None:
        source = (
            "json_each(:listed) s CROSS JOIN document_entity l ON l.entity_id = s.value"
            " CROSS JOIN document d ON d.id = l.document_id"
        )
        values = {**values, "listed": json.dumps(listed)}
    rows = db.rows(f"SELECT DISTINCT d.id FROM {source} WHERE {narrowed} AND {condition}", **values)
    return {row["id"] for row in rows}


def linked_to(db: Reader, condition: str, values: dict[str, Any], entity_ids: list[str], limit: int) -> list[str]:
    """The newest documents `d` that pass the condition and are linked to one of these entities."""
    rows = db.rows(
        "SELECT DISTINCT d.id FROM json_each(:entity_ids) s CROSS JOIN document_entity l ON l.entity_id = s.value"
        f" CROSS JOIN document d ON d.id = l.document_id WHERE {condition} ORDER BY d.id DESC LIMIT :limit",
        entity_ids=json.dumps(entity_ids), limit=limit, **values,
    )  # fmt: skip
    return [row["id"] for row in rows]


def passing(db: Reader, condition: str, values: dict[str, Any], document_id: str) -> list[str]:
    """The document `d` of this id, where it passes the condition."""
    rows = db.rows(f"SELECT d.id FROM document d WHERE d.id = :id AND {condition}", id=document_id, **values)
    return [row["id"] for row in rows]


def titles(db: Reader, document_ids: Sequence[str]) -> dict[str, str]:
    """The titles of these documents."""
    rows = db.rows(
        "SELECT d.id, d.title FROM document d WHERE d.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(list(document_ids)),
    )
    return {row["id"]: row["title"] for row in rows}


def passages(db: Reader, chunk_ids: Sequence[int]) -> list[dict[str, Any]]:
    """The passages of these ids, each with its document's title."""
    return db.rows(
        "SELECT c.id, c.starts, c.text, d.title, d.updated_at FROM chunk c JOIN document d ON d.id = c.document_id"
        " WHERE c.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(list(chunk_ids)),
    )


def first_passages(db: Reader, document_ids: Sequence[str]) -> list[dict[str, Any]]:
    """The first passage of each of these documents."""
    return db.rows(
        "SELECT c.document_id, min(c.id) AS id FROM chunk_place c"
        " WHERE c.document_id IN (SELECT value FROM json_each(:ids)) GROUP BY c.document_id",
        ids=json.dumps(list(document_ids)),
    )


def vectors_held(db: Reader, numbers: Sequence[int]) -> set[int]:
    """Which of these vectors are there, and are of passages that the caller can see."""
    rows = db.rows(
        "SELECT v.id FROM chunk_vector v WHERE v.id IN (SELECT value FROM json_each(:numbers))",
        numbers=json.dumps(list(numbers)),
    )
    return {row["id"] for row in rows}


def collections(db: Reader, window: Window) -> Page[Collection]:
    """The collections of active documents. The time of each is that of its last change."""
    part = paged(
        db, window, Collection.LISTED,
        "SELECT d.collection AS collection, count(d.id) AS documents, max(d.updated_at) AS updated_at"
        " FROM document d WHERE d.status = 'active' AND d.collection IS NOT NULL GROUP BY d.collection",
    )  # fmt: skip
    return part.page([Collection(**{**row, "updated_at": rfc3339(row["updated_at"])}) for row in part.rows])
