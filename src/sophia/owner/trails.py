"""The owner's command over what agents touched: all of it, one connection's, or one entity's."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.core.errors import NotFound
from sophia.owner import tools
from sophia.owner.connections import found
from sophia.owner.office import Office
from sophia.owner.tools import Call


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whose trail, or the trail over what: a connection or an entity by id or name; all there is where none is said."""

    of: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


def listed(office: Office, asked: Asked) -> dict[str, Any]:
    """The newest entries. A name that a connection has is taken for the connection's; an entity's id never is."""
    window = {"limit": asked.limit}
    if asked.of is None:
        return tools.call(office, Call("agent_trail", window))
    connection_id = _connection(office, asked.of)
    if connection_id is not None:
        return tools.call(office, Call("agent_trail", {**window, "connection_id": connection_id}))
    return tools.call(office, Call("entity_access_history", {**window, "entity_id": asked.of}))


def _connection(office: Office, of: str) -> str | None:
    try:
        return None if of.startswith("e-") else str(found(office, of, live=False)["connection_id"])
    except NotFound:
        return None
