"""Reading documents and searching them."""

from typing import Annotated, Literal

from msgspec import Meta

from sophia.capabilities.documents import hits, outline, progress, records, similar, texts
from sophia.capabilities.documents.candidates import Search
from sophia.capabilities.documents.hits import DocumentHit
from sophia.capabilities.documents.outline import Section
from sophia.capabilities.documents.progress import IngestStatus
from sophia.capabilities.documents.records import Collection, Document, Filter
from sophia.capabilities.documents.texts import DocumentText
from sophia.capabilities.entities import resolve
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_documents", Access.READ)

InCollection = Annotated[str, Meta(max_length=200, description="Only this collection.")]
Tagged = Annotated[str, Meta(max_length=60, description="Only with this tag.")]
LinkedTo = Annotated[str, Meta(max_length=200, description="Only linked to this entity: id, exact name or alias.")]
DocumentId = Annotated[str, Meta(max_length=64)]


@tools.tool()
def list_documents(
    call: ReadCall,
    tier: Literal["scanned", "searchable", "indexed"] | None = None,
    collection: InCollection | None = None,
    tag: Tagged | None = None,
    entity_id: LinkedTo | None = None,
    status: Literal["active", "archived"] = "active",
) -> Page[Document]:
    """The documents within this connection's scope, last added first; their time is that of the last change."""
    wanted = _filter(call, collection, tag, entity_id, status=status, tier=tier)
    return records.listed(call.db, call.window, wanted)


@tools.tool()
def get_document(call: ReadCall, document_id: DocumentId) -> Document:
    """One document: where it came from and what it is linked to. fetch_document gives its text."""
    return records.found(call.db, document_id)


@tools.tool()
def fetch_document(
    call: ReadCall,
    document_id: DocumentId,
    start: Annotated[int, Meta(ge=0, le=2**53 - 1, description="First character, counted from 0.")] = 0,
    length: Annotated[int, Meta(ge=1, le=40_000, description="Most characters.")] = 8000,
) -> DocumentText:
    """A document's text by range of characters; next_start is there while more follows. Quotes are grounded in it."""
    return texts.ranged(call.db, document_id, start, length, call.window.room)


@tools.tool()
def document_outline(call: ReadCall, document_id: DocumentId) -> Page[Section]:
    """A document's headings, else its pages, slides or sheets, with the range of text that fetch_document gives."""
    return outline.outlined(call.db, call.window, document_id)


@tools.tool()
def search_documents(
    call: ReadCall,
    query: Annotated[str, Meta(min_length=1, max_length=1000, description='Words; "in quotes" as a phrase.')],
    collection: InCollection | None = None,
    tag: Tagged | None = None,
    entity_id: LinkedTo | None = None,
    rerank: Annotated[bool, Meta(description="Refine the order where that is quick.")] = True,
    explain: Annotated[bool, Meta(description="Add why each stands where it does.")] = False,
) -> Page[DocumentHit]:
    """Search the documents by words and meaning: the best passage of each. no_match says that nothing fits."""
    wanted = _filter(call, collection, tag, entity_id)
    search = Search(query, wanted, call.window, call.caller.scope, call.house.dense, rerank, explain)
    return hits.searched(call.db, search)


@tools.tool()
def similar_documents(call: ReadCall, document_id: DocumentId) -> Page[DocumentHit]:
    """The documents most like one, by words and, where fusion.signals says dense, by meaning."""
    return similar.similar(call, document_id)


@tools.tool()
def list_collections(call: ReadCall) -> Page[Collection]:
    """The collections of documents, by name, with how many each holds."""
    return records.collections(call.db, call.window)


@tools.tool()
def ingest_status(
    call: ReadCall,
    entity_id: Annotated[str, Meta(max_length=200, description="Only of this folder or entity.")] | None = None,
    document_id: DocumentId | None = None,
) -> IngestStatus:
    """How far documents and the files of registered folders have come, what waits, and what failed and why."""
    of = None if entity_id is None else resolve.named(call.db, entity_id, "entity_id").entity_id
    if document_id is not None:
        records.found(call.db, document_id)
    return progress.status(call.db, of, document_id)


def _filter(
    call: ReadCall,
    collection: str | None,
    tag: str | None,
    entity: str | None,
    *,
    status: str = "active",
    tier: str | None = None,
) -> Filter:
    return Filter(
        status=status,
        tier=tier,
        collection=collection,
        tag=tag,
        about=None if entity is None else resolve.meant(call.db, entity, "entity_id"),
    )
