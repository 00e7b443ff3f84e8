"""Reading what agents touched, and how often they called."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.meta import trails
from sophia.capabilities.meta.trails import EntityEntry, Entry, Usage
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.core.clock import parsed
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_meta", Access.READ)


@tools.tool()
def entity_access_history(
    call: ReadCall, entity_id: Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")]
) -> Page[EntityEntry]:
    """Who touched an entity in the last 30 days, in a listed scope only your own line; accesses counts all, ever."""
    found = resolve.named(call.db, entity_id, "entity_id").entity_id
    return trails.entries(call.db, call.house.history.of_entity(call.caller, found, call.window), EntityEntry)


@tools.tool()
def agent_trail(
    call: ReadCall, connection_id: Annotated[str, Meta(max_length=64, description="Else your own.")] | None = None
) -> Page[Entry]:
    """What a connection touched in the last 30 days, by the tools of capability_catalog's access_log_registry."""
    own = call.caller.connection_id if isinstance(call.caller, Agent) else None
    return trails.entries(
        call.db, call.house.history.of_connection(call.caller, connection_id or own, call.window), Entry
    )


@tools.tool()
def usage_stats(
    call: ReadCall,
    since: Annotated[str, Meta(max_length=40, description="RFC 3339; counted by the hour.")] | None = None,
) -> Usage:
    """Calls, errors and bytes of answers in the last 30 days, by tool and by connection; the most called first."""
    after = None if since is None else parsed(since, "since")
    return trails.used(call.house.history.calls(call.caller, after))
