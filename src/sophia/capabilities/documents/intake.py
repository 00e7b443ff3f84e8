"""Texts on their way in: stored once, found at once."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sophia.capabilities.documents import links
from sophia.capabilities.documents.links import NewId
from sophia.catalog.call import Reader, Writer
from sophia.core.errors import TooLarge, Unsupported
from sophia.core.secrets.masking import Masking
from sophia.core.source_text import Origin, stored
from sophia.extraction import kinds
from sophia.extraction.extracted import Piece
from sophia.search import fts
from sophia.search.chunks import Chunk, chunks
from sophia.search.fts import Findable

MAX_BYTES = 4_000_000
"""The most text of one document, in bytes of UTF-8."""
TEXTS = tuple(kinds.PLAIN)
"""The kinds of text that are taken as they are."""
READ = frozenset({*kinds.PLAIN, *kinds.RISKY})
"""The kinds of files whose text is taken with the bytes that it was read from."""


@dataclass(frozen=True, slots=True)
class Text:
    """A document's text as it is stored, with what is known of the bytes that it came from."""

    title: str
    text: str
    mime: str
    content_sha256: str
    size: int
    chunks: tuple[Chunk, ...]
    places: str | None = None
    """Where the parts of the text stood in the file, as it is kept; `None` where lines say it."""

    @classmethod
    def of(
        cls, title: str, text: str, mime: str, masking: Masking, content: bytes | None = None,
        pieces: Sequence[Piece] = (),
    ) -> "Text":  # fmt: skip
        """The text made ready, without secrets; `content` are the bytes it was read from, where it has some of its own.

        `TooLarge` beyond MAX_BYTES, `Unsupported` for what is no text, or was read from no file of its kind.
        """
        if mime not in (TEXTS if content is None else READ):
            raise Unsupported("A text by itself is Markdown or plain.", argument="mime", valid=list(TEXTS))
        masked = masking.text(stored(text))
        kept = masked.text
        encoded = kept.encode()
        if len(encoded) > MAX_BYTES:
            raise TooLarge(f"The text has {len(encoded)} bytes, more than the {MAX_BYTES} of one document.")
        source = content if content is not None else encoded
        title = titled(masking.text(title).text)
        digest = masking.digest(source) if masked.hits else hashlib.sha256(source).hexdigest()
        moved = [Piece(masked.moved(piece.start), masked.moved(piece.end), piece.place) for piece in pieces]
        places = msgspec.json.encode(moved).decode() if moved else None
        return cls(title, kept, mime, digest, len(source), tuple(chunks(title, kept)), places)


@dataclass(frozen=True, slots=True)
class Bytes:
    """What is known of a file whose text is not read yet."""

    name: str
    mime: str
    content_sha256: str
    size: int
    digests: tuple[str, ...] = ()
    """All the digests that the same bytes may be known by: those of them, and of a text that lost secrets."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document belongs."""

    origin: Origin
    collection: str | None = None
    location: str | None = None
    entity_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """Who takes something in, and when."""

    user_id: str
    connection_id: str
    now: int
    new_id: NewId


def digests(content: bytes, masking: Masking) -> tuple[str, str]:
    """The digests that a document of these bytes may have, under what the owner allows now."""
    return hashlib.sha256(content).hexdigest(), masking.digest(content)


def titled(title: str) -> str:
    """A title as it is kept: one line, with no white space at its ends."""
    return " ".join(stored(title).split()) or "Untitled"


def twin(db: Writer, text: Text, place: Place) -> str | None:
    """The active document that already holds the same text under the same title, collection and links, or `None`.

    What an agent wrote is no twin of what anybody else brings: only the other grounds facts.
    """
    rows = db.rows(
        "SELECT d.id, d.origin FROM document d WHERE d.content_sha256 = :sha AND d.status = 'active'"
        " AND d.location IS NULL AND d.title = :title AND d.collection IS :collection ORDER BY d.id",
        sha=text.content_sha256, title=text.title, collection=place.collection,
    )  # fmt: skip
    wanted = sorted(set(place.entity_ids))
    for row in rows:
        grounds = Origin(row["origin"]).grounds or not place.origin.grounds
        if grounds and links.entities_of(db, row["id"]) == wanted:
            return str(row["id"])
    return None


def of_file(db: Writer, location: str) -> tuple[str, str] | None:
    """The id and the content's digest of the active document that was read from this file, or `None`."""
    row = db.row(
        "SELECT d.id, d.content_sha256 FROM document d WHERE d.location = :location AND d.status = 'active'"
        " ORDER BY d.id LIMIT 1",
        location=location,
    )
    return (row["id"], row["content_sha256"]) if row else None


FORGOTTEN = "forgotten"
"""Why a file is left out whose bytes, or whose text, the owner had forgotten."""


def forgotten(db: Writer, shas: Sequence[str], texts: Sequence[str]) -> set[str]:
    """Which of these digests of bytes, and of these texts, the owner had forgotten."""
    if db.value("SELECT 1 FROM forgotten_value LIMIT 1") is None:
        return set()
    rows = db.rows(
        "SELECT w.value FROM json_each(:offered) o, json_each(o.value) w"
        " WHERE EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash(o.key, w.value))",
        offered=json.dumps({"bytes": list(shas), "text": list(texts)}),
    )
    return {row["value"] for row in rows}


def linked_at(db: Reader, location: str) -> list[list[str]]:
    """What each document of this file is linked to, archived ones included."""
    rows = db.rows(
        "SELECT (SELECT json_group_array(l.entity_id) FROM document_entity l WHERE l.document_id = d.id) AS entity_ids"
        " FROM document d WHERE d.location = :location",
        location=location,
    )
    return [json.loads(row["entity_ids"]) for row in rows]


_HELD = "SELECT d.id, d.status, d.gone_at, d.content_sha256, d.tier, d.location FROM document d"


def held_by_id(db: Reader, document_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What is held of these documents, by id."""
    rows = db.rows(
        f"{_HELD} WHERE d.id IN (SELECT value FROM json_each(:ids))",  # noqa: S608
        ids=json.dumps(document_ids),
    )
    return {row["id"]: row for row in rows}


def held_at(db: Reader, locations: Sequence[str]) -> dict[str, dict[str, Any]]:
    """What is held of the documents of these locations; of several the active one, and of those the first."""
    rows = db.rows(
        f"{_HELD} WHERE d.location IN (SELECT value FROM json_each(:locations))"  # noqa: S608
        " ORDER BY d.status = 'active', d.id DESC",
        locations=json.dumps(locations),
    )
    return {row["location"]: row for row in rows}


def settle(db: Writer, findable: Sequence[Findable]) -> None:
    """Make documents findable once their rows are written: of many at the very end.

    A journaled row that is written after the index has the engine flush the index to disk.
    """
    fts.put(db, findable)


@dataclass(frozen=True, slots=True)
class New:
    """A document that is to be made of a text."""

    id: str
    text: Text
    place: Place


def add(db: Writer, text: Text, place: Place, act: Act) -> Findable:
    """A new document, to be indexed in the same transaction. `NotFound` for an entity that the caller cannot see."""
    return add_all(db, [New(act.new_id("doc"), text, place)], act)[0]


def add_all(db: Writer, fresh: Sequence[New], act: Act) -> list[Findable]:
    """New documents, as `add` makes one."""
    linked = {one.id: tuple(dict.fromkeys(one.place.entity_ids)) for one in fresh}
    db.insert_all("document", [
        {
            "id": one.id, "title": one.text.title, "mime": one.text.mime, "origin": one.place.origin.value,
            "collection": one.place.collection, "location": one.place.location,
            "content_sha256": one.text.content_sha256, "bytes": one.text.size, "chars": len(one.text.text),
            "tier": "searchable", "status": "active", "connection_id": act.connection_id, "created_at": act.now,
            "updated_at": act.now,
        }
        for one in fresh
    ])  # fmt: skip
    db.insert_all("document_entity", [
        {"id": act.new_id("link"), "document_id": document_id, "entity_id": entity_id}
        for document_id, entity_ids in linked.items()
        for entity_id in entity_ids
    ])  # fmt: skip
    db.insert_all("document_text", [{"id": one.id, "text": one.text.text, "places": one.text.places} for one in fresh])
    return [Findable(one.id, act.user_id, one.text.chunks, linked[one.id], is_new=True) for one in fresh]


def scan(db: Writer, seen: Bytes, place: Place, act: Act) -> str:
    """A document without a text so far; its id. `NotFound` for an entity that the caller cannot see."""
    document_id = act.new_id("doc")
    db.insert(
        "document", id=document_id, title=titled(seen.name), mime=seen.mime, origin=place.origin.value,
        collection=place.collection, location=place.location, content_sha256=seen.content_sha256, bytes=seen.size,
        chars=0, tier="scanned", status="active", connection_id=act.connection_id, created_at=act.now,
        updated_at=act.now,
    )  # fmt: skip
    links.link(db, document_id, place.entity_ids, act.new_id)
    return document_id


def replace(db: Writer, document_id: str, text: Text, act: Act) -> Findable:
    """Give a document the text that its source has now, to be indexed in the same transaction."""
    db.update(
        "document", document_id, title=text.title, mime=text.mime, content_sha256=text.content_sha256,
        bytes=text.size, chars=len(text.text), tier="searchable", updated_at=act.now,
    )  # fmt: skip
    if db.value("SELECT t.id FROM document_text t WHERE t.id = :id", id=document_id) is None:
        db.insert("document_text", id=document_id, text=text.text, places=text.places)
    else:
        db.update("document_text", document_id, text=text.text, places=text.places)
    return Findable(document_id, act.user_id, text.chunks, links.entities_of(db, document_id))


def renewed(db: Writer, document_id: str, user_id: str) -> Findable:
    """What the index has to say of a document by its rows as they are: nothing where it is archived."""
    row = db.row(
        "SELECT d.title, d.status, t.text FROM document d JOIN document_text t ON t.id = d.id WHERE d.id = :id",
        id=document_id,
    )
    found = row is not None and row["status"] == "active"
    made = tuple(chunks(row["title"], row["text"])) if row and found else ()
    return Findable(document_id, user_id, made, links.entities_of(db, document_id))
