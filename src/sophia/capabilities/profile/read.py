"""Reading all that is known of one entity."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.profile import timeline
from sophia.capabilities.profile.composed import Profile, composed
from sophia.capabilities.profile.timeline import Moment
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_entities", Access.READ)
EntityName = Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")]


@tools.tool()
def get_entity_profile(call: ReadCall, entity_id: EntityName) -> Profile:
    """All about one entity: the newest facts, relations, documents and changes with totals, and what contradicts."""
    return composed(call, resolve.named(call.db, entity_id, "entity_id").entity_id)


@tools.tool()
def entity_timeline(call: ReadCall, entity_id: EntityName) -> Page[Moment]:
    """What happened to an entity, newest first: facts recorded, documents added, and who changed what."""
    return timeline.listed(call.db, call.window, resolve.meant(call.db, entity_id, "entity_id"))
