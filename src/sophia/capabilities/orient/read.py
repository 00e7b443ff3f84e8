"""The session bootloader."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from sophia.capabilities.orient.sections import SECTIONS, Bearings, Section, built
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Row

tools: Group[ReadCall] = Group("orient", Access.READ)

SectionName = Literal[
    "identity", "permissions", "sync_status", "goal_stack", "recommended_actions", "interrupts", "inbox", "blocking",
    "waits", "review_requests", "claims", "work_in_flight", "pending_approvals", "open_questions", "contradictions",
    "recent_corrections", "hot_entities", "recent_mutations", "recent_documents", "ingest_queue", "upcoming_events",
    "deadlines", "finance_alerts", "code_repositories", "skills",
]  # fmt: skip
_ESSENTIAL = ("identity", "recommended_actions")


class Orientation(Row, frozen=True):
    """Where the caller stands."""

    sections: dict[str, Section]
    left_out: list[str]
    goal: str | None = None


@tools.tool()
def orient(
    call: ReadCall,
    goal: Annotated[str, Meta(max_length=1000, description="What you are about to do; ranks the sections.")]
    | None = None,
    sections: Annotated[list[SectionName], Meta(max_length=25)] | None = None,
    budget_bytes: Annotated[int, Meta(ge=1000, le=38_000, description="Bound on the sections.")] = 24_000,
    compact: Annotated[bool, Meta(description="Only the sections that have something to say.")] = False,
) -> Orientation:
    """Where this connection stands and what to do next, in 25 bounded sections. Call it at the start of a session."""
    now = Bearings(call, goal)
    kept: dict[str, Section] = {}
    left_out: list[str] = []
    spent = 0
    for name in sections if sections is not None else SECTIONS:
        section = built(name, now)
        if compact and not section.available:
            continue
        size = len(msgspec.json.encode(section)) + len(name) + 4
        if spent + size > budget_bytes and name not in _ESSENTIAL:
            left_out.append(name)
            continue
        kept[name] = section
        spent += size
    return Orientation(sections=kept, left_out=left_out, goal=goal)
