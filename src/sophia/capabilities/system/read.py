"""What an agent can ask of the daemon itself: its surface, its permissions, its health."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.system import model
from sophia.capabilities.system.answers import (
    Approval,
    CatalogAnswer,
    HealthAnswer,
    Permissions,
    SchemaAnswer,
    TypesAnswer,
    permissions_of,
)
from sophia.catalog import finder, sdk
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access, ApprovalStatus
from sophia.core.errors import NotFound
from sophia.core.page import Page

tools: Group[ReadCall] = Group("system", Access.READ)


@tools.tool()
def capability_catalog(
    call: ReadCall,
    brief: Annotated[bool, Meta(description="Names by group only.")] = False,
    group: Annotated[str, Meta(description="One group only.")] | None = None,
    query: Annotated[str, Meta(max_length=400, description="Rank the tools for this need.")] | None = None,
) -> CatalogAnswer:
    """Every tool that this connection can call, by group, with access class and description; call it first."""
    tools = finder.chosen(call.house.callable_tools(call.caller), group, query)
    return CatalogAnswer.of(call.house.catalog, tools, brief=brief)


@tools.tool(in_isolate=False)
def get_sdk_types(
    call: ReadCall,
    group: Annotated[str, Meta(description="The declarations of one group.")] | None = None,
    tools: Annotated[list[str], Meta(max_length=50, description="The declarations of these tools.")] | None = None,
) -> TypesAnswer:
    """TypeScript declarations of the callable tools; without arguments an index of the groups and their sizes."""
    reach = call.house.callable_tools(call.caller)
    if group is None and tools is None:
        return TypesAnswer(call.house.catalog.version_hash, index=sdk.index(reach))
    chosen = finder.chosen(reach, group, None) if tools is None else finder.named(call.house.catalog, reach, tools)
    return TypesAnswer(call.house.catalog.version_hash, declarations=sdk.declarations(chosen))


@tools.tool()
def get_permissions(call: ReadCall) -> Permissions:
    """What this connection is and may do: profile, scope, approval mode, callable tools, limits."""
    return permissions_of(call)


@tools.tool()
def get_schema(
    call: ReadCall, table: Annotated[str, Meta(description="One table only.")] | None = None
) -> SchemaAnswer:
    """What there is to know of the data model: tables with their columns and types, and the predicates of facts."""
    return model.described(call.db, call.house.tables(), table)


@tools.tool()
def health(call: ReadCall) -> HealthAnswer:
    """Whether the daemon is well, why not if it is not, and whether writes commit."""
    return HealthAnswer.of(call.house.health(), call.house.version)


@tools.tool()
def get_approval(
    call: ReadCall, approval_id: Annotated[str, Meta(description="From an approval_pending error.")]
) -> Approval:
    """How one of this connection's own requests to the owner stands, with the result once it ran."""
    found = call.house.requests.find(call.caller, approval_id)
    if found is None:
        raise NotFound("There is no such approval of this connection.", argument="approval_id")
    return Approval(**found)


@tools.tool()
def list_approvals(
    call: ReadCall,
    status: ApprovalStatus | None = None,
) -> Page[Approval]:
    """This connection's own requests to the owner, newest first."""
    found = call.house.requests.of(call.caller, status, call.window)
    return Page([Approval(**one) for one in found.items], found.total, found.keys, found.more)
