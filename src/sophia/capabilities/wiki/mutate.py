"""Writing the wiki."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.wiki import citations, records, resolve, titles, writing
from sophia.capabilities.wiki.records import WikiPage
from sophia.capabilities.wiki.writing import MAX_CHARS, Text
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import Conflict, NotFound
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_wiki", Access.WRITE)

PageName = Annotated[str, Meta(min_length=1, max_length=300, description="Id or exact title.")]
Body = Annotated[str, Meta(min_length=1, max_length=MAX_CHARS, description="Markdown.")]
EntityIds = Annotated[list[str], Meta(max_length=50, description="Linked entities: who sees all of them sees it.")]
Reason = Annotated[str, Meta(max_length=1000)]
SAME = "Nothing was changed: the page says the same already."
TOLD = 5


class PageWritten(Row, frozen=True):
    """The page as it is now; get_wiki_page has its text."""

    page: WikiPage
    warning: str | None = None


@tools.tool(idempotent=True)
def write_wiki_page(
    call: WriteCall,
    page: Annotated[str, Meta(min_length=1, max_length=300, description="Id or exact title; a free title makes one.")],
    body: Body,
    entity_ids: EntityIds | None = None,
    base_revision: Annotated[int, Meta(ge=1, le=2**53 - 1, description="Needed where the page exists.")] | None = None,
    reason: Reason | None = None,
) -> PageWritten:
    """Write a wiki page whole. [[Title]] links to a page, [[f-…]] and [[doc-…]] cite a fact and a document."""
    held, text = resolve.writable(call.db, page), Text.of(body)
    if held is None:
        if base_revision is not None:
            raise NotFound("There is no page of that title to be revised.", argument="page")
        page_id = writing.create(call, titles.shown(page, "page"), text, entity_ids or (), reason)
        return _written(call, page_id, _unseen(call, text))
    same = records.text(call.db, held.page_id, held.revision)["body"] == text.body
    if not same and base_revision != held.revision:
        raise _stale(held, base_revision)
    linked = writing.link(call, held.page_id, entity_ids or ())
    if not same:
        writing.revise(call, held.page_id, held.revision + 1, text, reason)
    elif linked:
        writing.touch(call, held.page_id)
    return _written(call, held.page_id, SAME if same and not linked else _unseen(call, text))


@tools.tool()
def append_wiki_page(call: WriteCall, page: PageName, body: Body, reason: Reason | None = None) -> PageWritten:
    """Add a paragraph to the end of a page, whatever its revision is by now."""
    held = resolve.named(call.db, page)
    resolve.require_active(held)
    before = records.text(call.db, held.page_id, held.revision)["body"].rstrip("\n")
    # What is a secret only once it stands behind what was there before is kept out here.
    text = Text.of(call.secrets.text(f"{before}\n\n{body}").text)
    writing.revise(call, held.page_id, held.revision + 1, text, reason)
    return _written(call, held.page_id, _unseen(call, text))


@tools.tool(idempotent=True)
def rename_wiki_page(
    call: WriteCall, page: PageName, title: Annotated[str, Meta(min_length=1, max_length=300)]
) -> PageWritten:
    """Call a page otherwise. The title that it had still leads to it, and so do links by that title."""
    held, called = resolve.named(call.db, page), titles.shown(title, "title")
    resolve.require_active(held)
    others = [
        each
        for each in resolve.exact(call.db, [called])[called]
        if each.page_id != held.page_id and (each.why, each.status) == ("title", "active")
    ]
    if others:
        raise Conflict("Another page has this title.", argument="title", candidates=[each.candidate for each in others])
    writing.rename(call, held.page_id, called)
    return _written(call, held.page_id)


@tools.tool(idempotent=True)
def link_wiki_page(
    call: WriteCall,
    page: PageName,
    add_entity_ids: EntityIds | None = None,
    remove_entity_ids: EntityIds | None = None,
) -> PageWritten:
    """Link a page to entities, and unlink it from others. A connection sees it that sees all of them."""
    held = resolve.named(call.db, page)
    linked = writing.link(call, held.page_id, add_entity_ids or ())
    if writing.unlink(call.db, held.page_id, remove_entity_ids or ()) or linked:
        writing.touch(call, held.page_id)
    return _written(call, held.page_id)


@tools.tool(destructive=True, idempotent=True)
def archive_wiki_page(call: WriteCall, page: PageName) -> PageWritten:
    """Take a page out of lists and searches. Its revisions stay, and its title is free again."""
    held = resolve.named(call.db, page)
    if call.db.update("page", held.page_id, status="archived", updated_at=call.now):
        writing.derive(call.db, held.page_id)
    return _written(call, held.page_id)


def _stale(held: resolve.Named, base_revision: int | None) -> Conflict:
    """The refusal of a text that is not based on what the page says now."""
    if base_revision is None:
        message, hint = "The page exists already.", "Read it, and name the revision that your text is based on."
    else:
        message, hint = "The page was changed since.", "Read it as it is now, and base your text on that."
    return Conflict(message, argument="base_revision", hint=hint, page_id=held.page_id, revision=held.revision)


def _unseen(call: WriteCall, text: Text) -> str | None:
    """A sentence that names what is cited and is not there, `None` for nothing."""
    missing = citations.unseen(call.db, text.named)
    if not missing:
        return None
    more = f" and {len(missing) - TOLD} more" if len(missing) > TOLD else ""
    return f"Cites what this connection sees nothing of: {', '.join(missing[:TOLD])}{more}."


def _written(call: WriteCall, page_id: str, warning: str | None = None) -> PageWritten:
    """The page as this write leaves it; refused where it leaves it outside the caller's scope."""
    call.db.settle()
    return PageWritten(page=records.found(call.db, page_id), warning=warning)
