"""Adding documents and changing what they are linked to."""

from typing import Annotated, Literal

from msgspec import Meta

from sophia.capabilities.documents import intake, links, records, registered, waiting
from sophia.capabilities.documents.intake import Act, Place, Text
from sophia.capabilities.documents.records import Document
from sophia.capabilities.documents.registered import Registered, Terms
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Owner
from sophia.core.errors import Unsupported
from sophia.core.page import Row
from sophia.core.source_text import Origin
from sophia.extraction import kinds
from sophia.extraction.extracted import Unextracted

tools: Group[WriteCall] = Group("mutate_documents", Access.WRITE)

DocumentId = Annotated[str, Meta(max_length=64)]
Collection = Annotated[str, Meta(min_length=1, max_length=200)]
EntityIds = Annotated[list[str], Meta(max_length=50, description="Linked entities: who sees all of them sees it.")]
Tags = Annotated[list[str], Meta(max_length=50)]
Patterns = Annotated[list[str], Meta(max_length=50, description="Of paths in the folder, as notes/**/*.md.")]
SAME = "Nothing was changed: this document holds the same already."
CHANGED = "The document of this file was there already: it has the text of now, and keeps its links and tags."


class DocumentWritten(Row, frozen=True):
    """The document as it is now."""

    document: Document
    warning: str | None = None


class FolderWritten(Row, frozen=True):
    """A registered folder. Its files are taken in behind the calls: ingest_status tells how far they are."""

    entity_id: str
    name: str
    include: list[str]
    exclude: list[str]
    watch: bool


@tools.tool()
def add_document(
    call: WriteCall,
    title: Annotated[str, Meta(min_length=1, max_length=300)],
    body: Annotated[str, Meta(description="The whole text.")],
    mime: Literal["text/markdown", "text/plain"] = "text/markdown",
    collection: Collection | None = None,
    entity_ids: EntityIds | None = None,
    tags: Tags | None = None,
) -> DocumentWritten:
    """Add a text. What an agent adds itself can be quoted, but grounds facts as inferred only."""
    origin = Origin.OWNER if isinstance(call.caller, Owner) else Origin.AGENT
    place = Place(origin, collection, None, tuple(entity_ids or ()))
    text = Text.of(title, body, mime, call.secrets)
    same = intake.twin(call.db, text, place)
    if same is not None:
        return _written(call, same, SAME)
    return _added(call, text, place, links.spelled(tags or ()))


@tools.tool(idempotent=True)
def add_file(
    call: WriteCall,
    path: Annotated[str, Meta(min_length=1, max_length=4096, description="Below a folder that the owner granted.")],
    collection: Collection | None = None,
    entity_ids: EntityIds | None = None,
    tags: Tags | None = None,
) -> DocumentWritten:
    """Add a Markdown or text file from below a folder that the owner granted, as it is now."""
    opened = call.roots.read(path)
    found = kinds.extracted(opened.content, opened.name)
    if isinstance(found, Unextracted):
        raise Unsupported(found.message, argument="path", reason=found.reason)
    text = Text.of(found.title, found.text, found.mime, call.secrets, opened.content)
    held = intake.of_file(call.db, opened.location)
    if held is None:
        origin = Origin.OWNER if isinstance(call.caller, Owner) else Origin.FOLDER
        place = Place(origin, collection, opened.location, tuple(entity_ids or ()))
        return _added(call, text, place, links.spelled(tags or ()))
    document_id, digest = held
    if digest == text.content_sha256:
        return _written(call, document_id, SAME)
    intake.settle(call.db, [intake.replace(call.db, document_id, text, _act(call))])
    return _written(call, document_id, CHANGED)


@tools.tool(idempotent=True)
def register_folder(
    call: WriteCall,
    path: Annotated[str, Meta(min_length=1, max_length=4096, description="Below a folder that the owner granted.")],
    name: Annotated[str, Meta(min_length=1, max_length=200)] | None = None,
    include: Patterns | None = None,
    exclude: Patterns | None = None,
    watch: Annotated[bool, Meta(description="Take in what comes, changes, moves and goes from now on.")] = True,
) -> FolderWritten:
    """Take a folder's files in as documents. The folder becomes an entity that they are linked to, so it is a scope."""
    location = call.roots.below(path)
    terms = Terms(location, name, include, exclude, watch)
    return _folder(registered.register(call.db, terms, call.caller.connection_id, call.now, call.new_id)[0])


@tools.tool(idempotent=True)
def rescan_folder(
    call: WriteCall, entity_id: Annotated[str, Meta(max_length=64, description="The entity of a registered folder.")]
) -> FolderWritten:
    """Look a registered folder through anew, and try again what of it failed. Nothing changes where no file did."""
    folder = registered.found(call.db, entity_id)
    waiting.ask(call.db, entity_id)
    return _folder(folder)


@tools.tool(idempotent=True)
def tag_document(
    call: WriteCall, document_id: DocumentId, add_tags: Tags | None = None, remove_tags: Tags | None = None
) -> DocumentWritten:
    """Put tags on a document, and take others off."""
    call.db.require("document", document_id)
    adds, removes = links.spelled(add_tags or (), "add_tags"), links.spelled(remove_tags or (), "remove_tags")
    links.apart(adds, removes, "remove_tags")
    untagged = links.untag(call.db, document_id, removes)
    if links.tag(call.db, document_id, adds, call.new_id) or untagged:
        call.db.update("document", document_id, updated_at=call.now)
    return _written(call, document_id)


@tools.tool(idempotent=True)
def link_document(
    call: WriteCall,
    document_id: DocumentId,
    add_entity_ids: EntityIds | None = None,
    remove_entity_ids: EntityIds | None = None,
) -> DocumentWritten:
    """Link a document to entities, and unlink it from others. A connection sees it that sees all of them."""
    call.db.require("document", document_id)
    links.apart(add_entity_ids or (), remove_entity_ids or (), "remove_entity_ids")
    linked = links.link(call.db, document_id, add_entity_ids or (), call.new_id)
    if links.unlink(call.db, document_id, remove_entity_ids or ()) or linked:
        call.db.update("document", document_id, updated_at=call.now)
        intake.settle(call.db, [intake.renewed(call.db, document_id, call.caller.user_id)])
    return _written(call, document_id)


@tools.tool(destructive=True, idempotent=True)
def archive_document(call: WriteCall, document_id: DocumentId) -> DocumentWritten:
    """Take a document out of lists and searches. Its text stays for the quotes that are grounded in it."""
    if call.db.update("document", document_id, status="archived", updated_at=call.now):
        intake.settle(call.db, [intake.renewed(call.db, document_id, call.caller.user_id)])
    return _written(call, document_id)


def _added(call: WriteCall, text: Text, place: Place, tags: list[str]) -> DocumentWritten:
    act = _act(call)
    made = intake.add(call.db, text, place, act)
    links.tag(call.db, made.document_id, tags, act.new_id)
    intake.settle(call.db, [made])
    return _written(call, made.document_id)


def _folder(one: Registered) -> FolderWritten:
    return FolderWritten(
        entity_id=one.entity_id, name=one.name, include=list(one.include), exclude=list(one.exclude), watch=one.watch
    )


def _act(call: WriteCall) -> Act:
    return Act(call.caller.user_id, call.caller.connection_id, call.now, call.new_id)


def _written(call: WriteCall, document_id: str, warning: str | None = None) -> DocumentWritten:
    """The document as this write leaves it; refused where it leaves it outside the caller's scope."""
    call.db.settle()
    return DocumentWritten(document=records.found(call.db, document_id), warning=warning)
