"""Documents put on the shelf without the tools that take them in: whatever the origin, whatever they are linked to."""

import hashlib
from collections.abc import Iterable

from sophia.core.source_text import stored
from sophia.store.journal import Entry
from tests.support.house import House


def put(house: House, body: str, *, origin: str = "owner", entity_ids: Iterable[str] = (), title: str = "Note") -> str:
    """A new document of that text; its id."""
    text, now, new = stored(body), house.clock.now(), house.parts.ids.new
    document_id = new("doc")
    with house.databases.state.writing(house.owner, _entry(house)) as unit:
        unit.tx.insert(
            "document", id=document_id, title=title, mime="text/plain", origin=origin, content_sha256=_sha(text),
            bytes=len(text.encode()), chars=len(text), tier="searchable", connection_id="owner", created_at=now,
            updated_at=now,
        )  # fmt: skip
        unit.tx.insert("document_text", id=document_id, text=text)
        for entity_id in entity_ids:
            unit.tx.insert("document_entity", id=new("link"), document_id=document_id, entity_id=entity_id)
    return document_id


def rewrite(house: House, document_id: str, body: str) -> None:
    """Change the document's text, as a folder does when its file changes."""
    text = stored(body)
    with house.databases.state.writing(house.owner, _entry(house)) as unit:
        unit.tx.update("document", document_id, content_sha256=_sha(text), chars=len(text), tier="searchable")
        unit.tx.update("document_text", document_id, text=text)


def archive(house: House, document_id: str) -> None:
    """Take the document away."""
    with house.databases.state.writing(house.owner, _entry(house)) as unit:
        unit.tx.update("document", document_id, status="archived")


def _entry(house: House) -> Entry:
    return Entry(house.parts.owner.user_id, "owner", "owner", "test", "call", house.clock.now())


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
