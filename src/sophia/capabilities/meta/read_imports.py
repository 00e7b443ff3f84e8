"""Reading what was brought in from elsewhere: import sessions and how far each has come."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from sophia.capabilities.meta import import_sessions
from sophia.capabilities.meta.import_sessions import SHOWN, ImportSession
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_meta", Access.READ)


@tools.tool()
def list_import_sessions(call: ReadCall) -> Page[ImportSession]:
    """Imports, newest first: from what source, by whom, how many rows, and whether they are open."""
    return import_sessions.listed(call.db, call.window, call.caller, call.clock)


@tools.tool()
def get_import_session(
    call: ReadCall, import_session_id: Annotated[str, Meta(min_length=1, max_length=64)]
) -> ImportSession:
    """One import: how far it has come, what is left of its limit, and its newest writes."""
    found = import_sessions.find(call.db, import_session_id, call.caller, call.clock)
    return replace(found, mutations=import_sessions.writes_of(call.db, import_session_id, SHOWN))
