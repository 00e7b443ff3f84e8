"""Reading entities."""

from typing import Annotated, Literal

from msgspec import Meta

from sophia.capabilities.entities import found, pairs, records, resolve
from sophia.capabilities.entities.found import EntityHit
from sophia.capabilities.entities.pairs import Pair
from sophia.capabilities.entities.records import Entity
from sophia.capabilities.entities.resolve import Candidate
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page, Row

tools: Group[ReadCall] = Group("read_entities", Access.READ)


class Resolved(Row, frozen=True):
    """The one entity that a name means, where it is one, and those that it may mean."""

    candidates: list[Candidate]
    entity_id: str | None = None


@tools.tool()
def list_entities(
    call: ReadCall,
    kind: Annotated[str, Meta(max_length=60, description="Only this kind, such as person or project.")] | None = None,
    status: Literal["active", "merged", "archived"] = "active",
) -> Page[Entity]:
    """The entities within this connection's scope, by name."""
    return records.listed(call.db, call.window, kind=None if kind is None else records.kind_of(kind), status=status)


@tools.tool()
def get_entity(
    call: ReadCall, entity_id: Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")]
) -> Entity:
    """One entity with its aliases, summary and attributes."""
    return records.find(call.db, resolve.named(call.db, entity_id, "entity_id").entity_id)


@tools.tool()
def search_entities(
    call: ReadCall,
    query: Annotated[str, Meta(min_length=1, max_length=1000, description="A name, its words, or one like it.")],
    kind: Annotated[str, Meta(max_length=60, description="Only this kind.")] | None = None,
) -> Page[EntityHit]:
    """Search the entities by what they are called. no_match says that none is called anything like it."""
    return found.searched(call.db, call.window, query, None if kind is None else records.kind_of(kind))


@tools.tool()
def find_duplicate_entities(
    call: ReadCall, kind: Annotated[str, Meta(max_length=60, description="Only this kind.")] | None = None
) -> Page[Pair]:
    """Pairs of entities that are likely one, likeliest first, with score and why; merge_entities makes them one."""
    return pairs.listed(call.db, call.window, None if kind is None else records.kind_of(kind))


@tools.tool()
def resolve_entity(
    call: ReadCall,
    name: Annotated[str, Meta(min_length=1, max_length=1000, description="Id, name, alias or like one.")],
    kind: Annotated[str, Meta(max_length=60, description="Only this kind.")] | None = None,
) -> Resolved:
    """What a name means: entity_id where it is exactly one's id, name or alias; candidates with score and why."""
    wanted = None if kind is None else records.kind_of(kind)
    exact = [each for each in resolve.exact(call.db, [name])[name] if wanted in (None, each.kind)]
    return Resolved(
        candidates=resolve.candidates(call.db, name, wanted),
        entity_id=exact[0].entity_id if len(exact) == 1 else None,
    )
