"""Reading the wiki and searching it."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve as entities
from sophia.capabilities.wiki import citations, diff, records, resolve, searched, shown
from sophia.capabilities.wiki.records import Backlink, Filter, Revision, Status, WikiPage
from sophia.capabilities.wiki.searched import PageHit, Search
from sophia.capabilities.wiki.shown import PageText
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page, Row

tools: Group[ReadCall] = Group("read_wiki", Access.READ)

PageName = Annotated[str, Meta(min_length=1, max_length=300, description="Id or exact title.")]
Number = Annotated[int, Meta(ge=1, le=2**53 - 1)]
LOOKED_AT = 500
"""How many facts of changed sources are looked at to tell which citations are lost."""
FRAME = 240
"""Bytes that an answer takes beside the hunks."""


class PageDiff(Row, frozen=True):
    """What differs between two revisions, in the unified form; `added` and `removed` count lines of the whole."""

    page_id: str
    from_revision: int
    to_revision: int
    diff: str
    added: int
    removed: int
    truncated: bool = False


@tools.tool()
def list_wiki_pages(
    call: ReadCall,
    entity_id: Annotated[str, Meta(max_length=200, description="Only linked to this entity: id, exact name or alias.")]
    | None = None,
    citing_lost: Annotated[bool, Meta(description="Only pages that cite what no longer holds.")] = False,
    status: Status = "active",
) -> Page[WikiPage]:
    """The wiki's pages by title, and who wrote each last."""
    of = None if entity_id is None else entities.named(call.db, entity_id, "entity_id").entity_id
    return records.listed(call.db, call.window, Filter(status, of, _lost_quotes(call) if citing_lost else None))


@tools.tool()
def get_wiki_page(
    call: ReadCall,
    page: PageName,
    revision: Number | None = None,
    start: Annotated[int, Meta(ge=0, le=2**53 - 1, description="First character, counted from 0.")] = 0,
) -> PageText:
    """A page's text, with where its links lead and whether what it cites still holds; next_start while more follows."""
    return shown.page_text(call, resolve.named(call.db, page), page, revision, start)


@tools.tool()
def search_wiki(
    call: ReadCall,
    query: Annotated[str, Meta(min_length=1, max_length=1000, description='Words; "in quotes" as a phrase.')],
    explain: Annotated[bool, Meta(description="Add why each stands where it does.")] = False,
) -> Page[PageHit]:
    """Search the wiki by words: the best passage of each page. no_match says that nothing fits."""
    return searched.searched(call.db, Search(query, call.window, call.caller.scope, explain))


@tools.tool()
def wiki_backlinks(call: ReadCall, page: PageName) -> Page[Backlink]:
    """The pages that link to a page, by title; by a title that it had before, too."""
    meant = resolve.named(call.db, page).page_id
    by = resolve.exact(call.db, records.called(call.db, meant))
    targets = [target for target, found in by.items() if meant in {each.page_id for each in found}]
    return records.backlinks(call.db, call.window, meant, targets)


@tools.tool()
def wiki_history(call: ReadCall, page: PageName) -> Page[Revision]:
    """The revisions of a page, newest first: who wrote each, when and why."""
    return records.history(call.db, call.window, resolve.named(call.db, page).page_id)


@tools.tool()
def wiki_diff(call: ReadCall, page: PageName, from_: Number, to: Number) -> PageDiff:
    """What differs between two revisions of a page, line by line."""
    meant = resolve.named(call.db, page).page_id
    before, after = (
        records.text(call.db, meant, number, argument) for number, argument in ((from_, "from"), (to, "to"))
    )
    found = diff.unified(before["body"], after["body"], call.window.room - FRAME)
    return PageDiff(
        page_id=meant, from_revision=from_, to_revision=to, diff=found.text, added=found.added, removed=found.removed,
        truncated=found.truncated,
    )  # fmt: skip


def _lost_quotes(call: ReadCall) -> list[str]:
    """The facts that pages cite and whose quotes no longer stand in their sources."""
    changed = records.cited_of_changed(call.db, LOOKED_AT)
    return [fact_id for fact_id, quote in call.house.quotes(call.db, changed).items() if quote in citations.LOST]
