"""Changing entities."""

from typing import Annotated, Any

from msgspec import Meta

from sophia.capabilities.entities import records
from sophia.capabilities.entities.records import Entity
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_entities", Access.WRITE)


class Written(Row, frozen=True):
    """The entity as it is now."""

    entity: Entity
    warning: str | None = None


@tools.tool()
def create_entity(
    call: WriteCall,
    kind: Annotated[str, Meta(min_length=1, max_length=60)],
    name: Annotated[str, Meta(min_length=1, max_length=200)],
    summary: Annotated[str, Meta(max_length=2000)] | None = None,
    attributes: dict[str, Any] | None = None,
) -> Written:
    """Make a new entity. The owner is always asked first."""
    entity_id = call.new_id("e")
    call.db.insert(
        "entity", id=entity_id, kind=kind, name=name, name_key=name.casefold(), summary=summary,
        created_at=call.now, updated_at=call.now,
    )  # fmt: skip
    made = records.find(call.db, entity_id)
    assert made is not None
    return Written(entity=made)


@tools.tool()
def update_entity(call: WriteCall, entity_id: str, name: Annotated[str, Meta(min_length=1, max_length=200)]) -> Written:
    """Change what is held about an entity."""
    call.db.update("entity", entity_id, name=name, name_key=name.casefold(), updated_at=call.now)
    made = records.find(call.db, entity_id)
    assert made is not None
    return Written(entity=made)
