"""What to do next: candidates by situation, of which only those within the caller's reach are offered."""

from dataclasses import dataclass
from typing import Any

from sophia.capabilities.orient.reach import Reach
from sophia.catalog.listing import spelled
from sophia.core.access import NameStyle
from sophia.core.page import Row

MOST = 6


class Action(Row, frozen=True):
    """A call that can be made as it stands."""

    tool: str
    arguments: dict[str, Any]
    why: str


@dataclass(frozen=True, slots=True)
class Situation:
    """What the selector knows of the caller's world: ids and counts, never stored text."""

    goal: str | None
    pending_approvals: int
    documents: tuple[str, ...]
    entities: tuple[str, ...]
    mutations: int


Candidate = tuple[tuple[str, dict[str, Any]], ...]
"""A call, then what does instead where that one is out of reach."""


def recommended(situation: Situation, reach: Reach, style: NameStyle = NameStyle.DOTTED) -> list[Action]:
    """At most six calls, the most pressing first, named as the connection's own list names them."""
    chosen: list[Action] = []
    for why, candidate in _candidates(situation):
        found = next(((tool, arguments) for tool, arguments in candidate if tool in reach), None)
        if found is not None:
            chosen.append(Action(tool=spelled(found[0], style), arguments=found[1], why=why))
    return chosen[:MOST]


def _candidates(now: Situation) -> list[tuple[str, Candidate]]:
    found: list[tuple[str, Candidate]] = []
    if now.pending_approvals:
        found.append(("Calls of this connection wait for the owner.", (("list_approvals", {"status": "pending"}),)))
    if now.goal and now.documents:
        search: Candidate = (("search_documents", {"query": now.goal}), ("list_documents", {}))
        found.append(("Find what the documents say about the goal.", search))
    if now.goal and now.entities:
        known: Candidate = (("query_knowledge", {"query": now.goal}), ("resolve_entity", {"name": now.goal}))
        found.append(("See what is already known about the goal.", known))
    if now.entities:
        first = now.entities[0]
        about: Candidate = (("query_knowledge", {"entity": first}), ("get_entity", {"entity_id": first}))
        found.append(("The entity that most facts were recorded about lately.", about))
    if now.documents:
        newest: Candidate = (("fetch_document", {"document_id": now.documents[0]}), ("list_documents", {}))
        found.append(("The newest document.", newest))
    if now.mutations:
        found.append(("See what changed since last time.", (("list_mutations", {"limit": 10}),)))
    found.append(("See what this connection can call.", (("capability_catalog", {"brief": True}),)))
    return found
