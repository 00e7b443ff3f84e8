"""Reading how entities hang together."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.knowledge import paths, relations
from sophia.capabilities.knowledge.paths import MOST_HOPS, Way
from sophia.capabilities.knowledge.relations import Direction, Relation
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_entities", Access.READ)
EntityName = Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")]


@tools.tool()
def entity_relations(
    call: ReadCall,
    entity_id: EntityName,
    predicate: Annotated[str, Meta(max_length=100, description="As read from the entity, or as the fact says.")]
    | None = None,
    direction: Direction | None = None,
) -> Page[Relation]:
    """What connects an entity with others, newest first: facts that it is the subject of, and those of which object."""
    about = resolve.meant(call.db, entity_id, "entity_id")
    return relations.listed(call.db, call.window, about, predicate, direction)


@tools.tool()
def entity_path(
    call: ReadCall,
    from_id: EntityName,
    to_id: EntityName,
    max_hops: Annotated[int, Meta(ge=1, le=MOST_HOPS)] = 4,
) -> Way:
    """A shortest way between two entities over current facts; complete says whether all within max_hops was seen."""
    start, end = (
        resolve.named(call.db, text, argument).entity_id for text, argument in ((from_id, "from_id"), (to_id, "to_id"))
    )
    return paths.shortest(call.db, start, end, max_hops)
