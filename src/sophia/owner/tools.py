"""The owner's use of the tools that agents have: call any of them, search, show what an id names."""

import json
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.access import connections
from sophia.catalog.tool import Tool
from sophia.core.access import Access, Profile
from sophia.core.caller import Agent, Caller
from sophia.core.errors import BadArguments, NotFound, UnknownTool
from sophia.dispatch.arguments import validated
from sophia.owner.connections import ConnectionId, found
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation
from sophia.owner.relayed import Relayed

_SHOWN = 400
SEARCHES = ("search", "search_documents")
"""The tools that search, the widest first."""
SHOWS: dict[str, tuple[str, ...]] = {
    "e": ("get_entity", "get_entity_profile"),
    "f": ("get_fact", "explain_fact"),
    "doc": ("get_document", "fetch_document"),
    "page": ("get_wiki_page",),
    "repo": ("list_repositories",),
    "sym": ("get_symbol",),
    "acct": ("get_account",),
    "txn": ("get_transaction",),
    "evt": ("get_event",),
    "post": ("coordination_thread",),
    "skill": ("get_skill",),
    "imp": ("get_import_session",),
}
"""By the prefix of an id, the tools whose answers together show what it names."""


class Call(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A call of any tool: the owner's own, or a read within a connection's scope."""

    tool: Annotated[str, Meta(max_length=200)]
    arguments: dict[str, Any] = {}
    as_connection: ConnectionId | None = None


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is searched for."""

    query: Annotated[str, Meta(min_length=1, max_length=4000)]
    limit: Annotated[int, Meta(ge=1, le=200)] = 20


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing, by its id."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]


def call(office: Office, asked: Call) -> dict[str, Any]:
    """The tool's answer. A write is the owner's, and is journaled as such."""
    caller = office.parts.owner if asked.as_connection is None else _reading_as(office, asked.as_connection)
    return _called(office, caller, asked.tool, asked.arguments)


def call_confirmed(office: Office, asked: Call) -> Confirmation | None:
    """What a call confirms: nothing for a read."""
    if asked.as_connection is not None:
        return None
    tool = _tool(office, asked.tool)
    if tool.access_of(validated(tool, asked.arguments)) is Access.READ:
        return None
    text = json.dumps(asked.arguments, ensure_ascii=False)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
    return Confirmation(f"Call {tool.name} as the owner with {shown}.", f"call {tool.short}")


def _tool(office: Office, name: str) -> Tool:
    tool = office.parts.catalog.find(name)
    if tool is None:
        raise UnknownTool(f"There is no tool {name[:80]!r}; `sophia call capability_catalog` lists them.")
    return tool


def _reading_as(office: Office, connection_id: str) -> Agent:
    """The connection, able to read what it can see and to do nothing."""
    one = found(office, connection_id)
    with office.parts.databases.ops.reading() as rows:
        agent = connections.by_id(rows, one["connection_id"], office.parts.clock.now())
    if agent is None:
        raise NotFound("There is no such live connection.")
    return replace(agent, profile=Profile.OBSERVER, can_post=False, can_delegate=False, by_owner=True)


def _called(office: Office, caller: Caller, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    answer = office.parts.dispatcher.call(caller, _tool(office, name).name, arguments)
    told: dict[str, Any] = json.loads(answer.payload)
    if answer.is_error:
        raise Relayed(told["error"])
    return told


def search(office: Office, asked: Search) -> dict[str, Any]:
    """What the search tool answers."""
    name = next((name for name in SEARCHES if office.parts.catalog.find(name)), SEARCHES[0])
    return _called(office, office.parts.owner, name, {"query": asked.query, "limit": asked.limit})


def show(office: Office, which: Which) -> dict[str, Any]:
    """What the id names, as the tools of its kind tell it; `NotFound` where nothing has it."""
    names = [name for name in _shown_by(which.id) if office.parts.catalog.find(name)]
    if not names:
        raise BadArguments("No tool shows what has an id like this.", argument="id", valid=[f"{p}-…" for p in SHOWS])
    told: dict[str, Any] = {}
    for name in names:
        argument = _tool(office, name).own[0]
        given: str | int = int(which.id) if which.id.isdecimal() else which.id
        answer = _called(office, office.parts.owner, name, {argument: given})
        told |= {key: value for key, value in answer.items() if not key.startswith("_")}
    return told


def _shown_by(text: str) -> tuple[str, ...]:
    return ("get_mutation",) if text.isdecimal() else SHOWS.get(text.partition("-")[0], ())
