"""What to do next: candidates by situation, of which only those within the caller's reach are offered."""

from collections.abc import Iterator
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

    goal: str | None = None
    pending_approvals: int = 0
    urgent_interrupts: int = 0
    open_questions: int = 0
    contradictions: int = 0
    quotes_lost: tuple[str, ...] = ()
    open_goals: int = 0
    decisions: int = 0
    briefings: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    mutations: int = 0


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
    return [*_pressing(now), *_about_the_goal(now), *_left_behind(now), *_around(now)]


def _pressing(now: Situation) -> Iterator[tuple[str, Candidate]]:
    if now.pending_approvals:
        yield "Calls of this connection wait for the owner.", (("list_approvals", {"status": "pending"}),)
    if now.urgent_interrupts:
        yield "Something urgent was raised and is not resolved.", (("list_interrupts", {"status": "open"}),)


def _about_the_goal(now: Situation) -> Iterator[tuple[str, Candidate]]:
    if now.goal and now.documents:
        yield (
            "Find what the documents say about the goal.",
            (
                ("search_documents", {"query": now.goal}),
                ("list_documents", {}),
            ),
        )
    if now.goal and now.entities:
        first = now.entities[0]
        yield (
            "See what is known of the entity that the goal has most to do with.",
            (
                ("query_knowledge", {"entity": first}),
                ("get_entity", {"entity_id": first}),
            ),
        )


def _left_behind(now: Situation) -> Iterator[tuple[str, Candidate]]:
    """What somebody recorded for whoever comes next."""
    if now.briefings:
        read: Candidate = (("get_briefing", {"briefing_id": now.briefings[0]}), ("list_briefings", {}))
        yield "The last briefing: what somebody wrote up for whoever comes next.", read
    if now.open_questions:
        yield "Questions are open that you may be able to answer.", (("list_open_questions", {}),)
    if now.contradictions:
        yield "Facts contradict each other; you may be able to settle which holds.", (("list_contradictions", {}),)
    if now.quotes_lost:
        fact = {"fact_id": now.quotes_lost[0]}
        yield "The quote of a fact is gone from its source.", (("explain_fact", fact), ("get_fact", fact))
    if now.decisions:
        yield "See what was decided already.", (("list_decisions", {"limit": 10}),)
    if now.open_goals:
        yield "See what is to be reached.", (("list_goals", {"status": "open"}),)


def _around(now: Situation) -> Iterator[tuple[str, Candidate]]:
    if now.entities and not now.goal:
        first = now.entities[0]
        about: Candidate = (("query_knowledge", {"entity": first}), ("get_entity", {"entity_id": first}))
        yield "The entity that was named most lately.", about
    if now.documents:
        which = "The document that the goal has most to do with." if now.goal else "The newest document."
        yield which, (("fetch_document", {"document_id": now.documents[0]}), ("list_documents", {}))
    if now.mutations:
        yield "See what changed since last time.", (("list_mutations", {"limit": 10}),)
    yield "See what this connection can call.", (("capability_catalog", {"brief": True}),)
