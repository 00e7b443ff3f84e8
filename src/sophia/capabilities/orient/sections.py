"""The 25 sections of orient, in the order in which a budget is spent on them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sophia.capabilities.orient import records
from sophia.capabilities.orient.actions import Situation, recommended
from sophia.capabilities.orient.reach import Reach
from sophia.capabilities.orient.records import Listed
from sophia.catalog.call import ReadCall
from sophia.core.caller import Agent
from sophia.core.page import Page, Row, Window

SECTIONS = (
    "identity", "permissions", "sync_status", "goal_stack", "recommended_actions", "interrupts", "inbox", "blocking",
    "waits", "review_requests", "claims", "work_in_flight", "pending_approvals", "open_questions", "contradictions",
    "recent_corrections", "hot_entities", "recent_mutations", "recent_documents", "ingest_queue", "upcoming_events",
    "deadlines", "finance_alerts", "code_repositories", "skills",
)  # fmt: skip


class Section(Row, frozen=True, omit_defaults=True):
    """One section: what there is of it, or that Sophia cannot tell yet."""

    available: bool
    total: int | None = None
    items: list[dict[str, Any]] | None = None
    facts: dict[str, Any] | None = None


@dataclass(frozen=True)
class Bearings:
    """What the sections share; each query runs at most once, and only when a section asks for it."""

    call: ReadCall
    goal: str | None

    @cached_property
    def documents(self) -> Listed:
        """The newest documents."""
        return records.documents(self.call.db)

    @cached_property
    def entities(self) -> Listed:
        """The hot entities."""
        return records.hot_entities(self.call.db, self.goal)

    @cached_property
    def mutations(self) -> Listed:
        """The newest mutations."""
        return records.mutations(self.call.db)

    @cached_property
    def pending(self) -> Page[dict[str, Any]]:
        """The caller's own requests that wait for the owner."""
        return self.call.house.requests.of(self.call.caller, "pending", Window(records.NEWEST, None))


Build = Callable[[Bearings], Section]


def _identity(now: Bearings) -> Section:
    caller = now.call.caller
    told = {"connection_id": caller.connection_id, "connection_short": caller.connection_id[:8], "name": caller.name}
    return Section(available=True, facts=told)


def _permissions(now: Bearings) -> Section:
    caller = now.call.caller
    told = {
        "permission_profile": caller.profile.value if isinstance(caller, Agent) else "owner",
        "entity_scope": "all" if caller.scope.is_all else f"{len(caller.scope.entities or ())} entities",
        "callable_tools": len(now.call.house.callable_tools(caller)),
    }
    return Section(available=True, facts=told)


def _sync_status(now: Bearings) -> Section:
    health = now.call.house.health()
    told = {
        "write_ok": health.write_ok,
        "documents_searchable": now.documents.total,
        "signals": ["bm25"],
        "caught_up": True,
    }
    return Section(available=True, facts=told)


def _recommended_actions(now: Bearings) -> Section:
    caller = now.call.caller
    situation = Situation(
        goal=now.goal,
        pending_approvals=now.pending.total,
        documents=tuple(item["document_id"] for item in now.documents.items),
        entities=tuple(item["entity_id"] for item in now.entities.items),
        mutations=now.mutations.total,
    )
    actions = recommended(situation, Reach.of(now.call.house.callable_tools(caller), caller.surface), caller.name_style)
    told = [{"tool": action.tool, "arguments": action.arguments, "why": action.why} for action in actions]
    return Section(available=True, total=len(told), items=told)


def _listed(listed: Listed) -> Section:
    return Section(available=True, total=listed.total, items=listed.items or None)


def _pending_approvals(now: Bearings) -> Section:
    items = [{"approval_id": one["approval_id"], "tool": one["tool"]} for one in now.pending.items]
    return Section(available=True, total=now.pending.total, items=items or None)


BUILT: dict[str, Build] = {
    "identity": _identity,
    "permissions": _permissions,
    "sync_status": _sync_status,
    "recommended_actions": _recommended_actions,
    "pending_approvals": _pending_approvals,
    "hot_entities": lambda now: _listed(now.entities),
    "recent_mutations": lambda now: _listed(now.mutations),
    "recent_documents": lambda now: _listed(now.documents),
}
"""The sections that there is something to tell of so far; the others say that they are not available."""

ABSENT = Section(available=False)


def built(name: str, now: Bearings) -> Section:
    """The section of this name."""
    build = BUILT.get(name)
    return build(now) if build else ABSENT
