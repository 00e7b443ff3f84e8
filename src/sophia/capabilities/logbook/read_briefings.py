"""Reading briefings."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.logbook.briefings import BRIEFINGS, Briefing
from sophia.capabilities.logbook.read import LinkedTo, linked
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_meta", Access.READ)


@tools.tool()
def list_briefings(call: ReadCall, entity_id: LinkedTo | None = None) -> Page[Briefing]:
    """What was written up for whoever comes next, newest first."""
    return BRIEFINGS.page(call.db, call.window, linked(call, entity_id))


@tools.tool()
def get_briefing(call: ReadCall, briefing_id: Annotated[str, Meta(max_length=64)]) -> Briefing:
    """One briefing, whole."""
    return BRIEFINGS.find(call.db, briefing_id)
