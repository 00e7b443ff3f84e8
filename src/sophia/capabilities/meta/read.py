"""Reading what was done: every write, by whom, through what, and what it changed."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.meta import records
from sophia.capabilities.meta.families import FAMILIES, Asked, Family, Hit, searched
from sophia.capabilities.meta.records import Filter, Mutation, MutationInFull
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import BadArguments
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_meta", Access.READ)


@tools.tool()
def list_mutations(
    call: ReadCall,
    table: Annotated[str, Meta(max_length=60, description="Such as fact or entity; see get_schema.")] | None = None,
    row_id: Annotated[str, Meta(max_length=200)] | None = None,
    entity_id: Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")] | None = None,
    connection_id: Annotated[str, Meta(max_length=64)] | None = None,
    tool: Annotated[str, Meta(max_length=100)] | None = None,
) -> Page[Mutation]:
    """Writes, newest first: one for each call, however many rows it touched."""
    tables = call.house.tables()
    if table is not None and table not in tables:
        raise BadArguments(f"There is no table {table[:60]!r}.", argument="table", valid=sorted(tables))
    named = call.house.catalog.find(tool) if tool else None
    wanted = Filter(
        table=table,
        row_id=row_id,
        about=None if entity_id is None else resolve.meant(call.db, entity_id, "entity_id"),
        connection_id=connection_id,
        tool=named.name if named else tool,
    )
    return records.listed(call.db, call.window, wanted)


@tools.tool()
def get_mutation(call: ReadCall, mutation_seq: int) -> MutationInFull:
    """One write with each row before and after it."""
    return records.find(call.db, mutation_seq)


@tools.tool()
def search(
    call: ReadCall,
    query: Annotated[str, Meta(min_length=1, max_length=1000, description='Words; "in quotes" as a phrase.')],
    families: Annotated[list[Family], Meta(min_length=1, max_length=len(FAMILIES), description="Only these; else all.")]
    | None = None,
    rerank: Annotated[bool, Meta(description="Refine the order where that is quick.")] = True,
    explain: Annotated[bool, Meta(description="Add why each stands where it does.")] = False,
) -> Page[Hit]:
    """Search everything in one ranking: documents, wiki, entities, facts; family and id say what each is."""
    return searched(call, Asked(query, families or FAMILIES, rerank, explain))
