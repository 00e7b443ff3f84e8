"""Reading what is known from a document."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.knowledge import records
from sophia.capabilities.knowledge.records import Fact, Wanted
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import NotFound
from sophia.core.page import Page
from sophia.search import fact_words

tools: Group[ReadCall] = Group("read_documents", Access.READ)


@tools.tool()
def document_facts(
    call: ReadCall,
    document_id: Annotated[str, Meta(max_length=64)],
    history: Annotated[bool, Meta(description="Superseded and retracted facts, too.")] = False,
) -> Page[Fact]:
    """The facts that stand on quotes from a document, newest first."""
    if call.db.value("SELECT 1 FROM document d WHERE d.id = :id", id=document_id) is None:
        raise NotFound(argument="document_id")
    wanted = Wanted()
    wanted.where("f.source_id = :source_id", source_id=document_id)
    if not history:
        wanted.where("f.status = 'current'")
        wanted.where(fact_words.MATCHING, **(fact_words.sought(None, document_id) or {}))
        wanted.indexed = True
    return records.listed(call.db, call.window, wanted)
