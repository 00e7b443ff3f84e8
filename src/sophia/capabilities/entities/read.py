"""Reading entities."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import records
from sophia.capabilities.entities.records import Entity
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import NotFound
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_entities", Access.READ)


@tools.tool()
def list_entities(
    call: ReadCall,
    kind: Annotated[str, Meta(description="Only this kind, such as person or project.")] | None = None,
    status: Annotated[str, Meta(description="active, merged or archived.")] = "active",
) -> Page[Entity]:
    """The entities within this connection's scope, by name."""
    return records.listed(call.db, call.window, kind=kind, status=status)


@tools.tool()
def get_entity(call: ReadCall, entity: Annotated[str, Meta(description="Id.")]) -> Entity:
    """One entity."""
    found = records.find(call.db, entity)
    if found is None:
        raise NotFound(argument="entity")
    return found
