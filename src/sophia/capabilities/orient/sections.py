"""The 25 sections of orient, in the order in which a budget is spent on them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from sophia.capabilities.logbook.briefings import BRIEFINGS
from sophia.capabilities.logbook.decisions import DECISIONS
from sophia.capabilities.logbook.entries import Headline, Kind
from sophia.capabilities.logbook.goals import GOALS
from sophia.capabilities.logbook.interrupts import INTERRUPTS, MOST_URGENT
from sophia.capabilities.logbook.questions import QUESTIONS
from sophia.capabilities.orient import records
from sophia.capabilities.orient.actions import Situation, recommended
from sophia.capabilities.orient.bearing import Bearing
from sophia.capabilities.orient.reach import Reach
from sophia.capabilities.orient.records import NEWEST, Listed, Recent
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
    total_is_capped: bool = False
    items: list[dict[str, Any]] | None = None
    facts: dict[str, Any] | None = None


@dataclass(frozen=True)
class Bearings:
    """What the sections share; each query runs at most once, and only when a section asks for it."""

    call: ReadCall
    goal: str | None

    @cached_property
    def recent(self) -> Recent:
        """What is recent within the caller's scope."""
        return Recent.of(self.call)

    @cached_property
    def bearing(self) -> Bearing | None:
        """What bears on the goal, where there is one."""
        return None if self.goal is None else Bearing(self.call.db, self.goal)

    @cached_property
    def quotes_lost(self) -> Listed:
        """The facts whose quotes went from their sources, the latest first."""
        return self.recent.quotes_lost()

    @cached_property
    def documents(self) -> Listed:
        """The documents that bear on the goal, then the newest."""
        return self.recent.documents(self.bearing.documents if self.bearing else [])

    @cached_property
    def entities(self) -> list[dict[str, Any]]:
        """The entities that bear on the goal, then those that are named often, and lately."""
        weights = self.recent.mentions()
        most = max(weights.values(), default=1.0)
        # What is hot decides among entities that bear on the goal equally, and comes after all of those.
        hot = {entity_id: weight / most / 100 for entity_id, weight in weights.items()}
        about = self.bearing.entities if self.bearing else {}
        return records.entities(self.call.db, {each: about.get(each, 0) + hot.get(each, 0) for each in {*about, *hot}})

    @cached_property
    def mutations(self) -> Listed:
        """The newest mutations."""
        return self.recent.mutations()

    @cached_property
    def contradictions(self) -> Listed:
        """The contradictions that arose last."""
        return self.recent.contradictions()

    @cached_property
    def goals(self) -> list[Headline]:
        """The open goals, newest first."""
        return GOALS.headlines(self.call.db, NEWEST, status="open", more=("parent_id",))

    @cached_property
    def questions(self) -> list[Headline]:
        """The open questions, newest first."""
        return QUESTIONS.headlines(self.call.db, NEWEST, status="open")

    @cached_property
    def interrupts(self) -> list[Headline]:
        """The open interrupts, the most urgent first."""
        return INTERRUPTS.headlines(self.call.db, NEWEST, status="open", more=("urgency",), first=MOST_URGENT)

    @cached_property
    def decisions(self) -> list[Headline]:
        """The last decisions."""
        return DECISIONS.headlines(self.call.db, _WRITTEN)

    @cached_property
    def briefings(self) -> list[Headline]:
        """The last briefings."""
        return BRIEFINGS.headlines(self.call.db, _WRITTEN, more=("goal_id",))

    @cached_property
    def pending(self) -> Page[dict[str, Any]]:
        """The caller's own requests that wait for the owner."""
        return self.call.house.requests.of(self.call.caller, "pending", Window(NEWEST, None))


_WRITTEN = 3
"""How many decisions and briefings are told of."""
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
        "documents_searchable": _searchable(now.documents),
        "signals": ["bm25"],
        "caught_up": True,
    }
    if now.quotes_lost.items:
        told["quotes_lost"] = now.quotes_lost.total or len(now.quotes_lost.items)
    return Section(available=True, facts=told)


def _searchable(documents: Listed) -> int:
    return sum(count for tier, count in documents.tiers.items() if tier != "scanned")


def _recommended_actions(now: Bearings) -> Section:
    caller = now.call.caller
    situation = Situation(
        goal=now.goal,
        pending_approvals=now.pending.total,
        urgent_interrupts=sum(each.more["urgency"] == "high" for each in now.interrupts),
        open_questions=len(now.questions),
        contradictions=len(now.contradictions.items),
        quotes_lost=tuple(item["fact_id"] for item in now.quotes_lost.items),
        open_goals=len(now.goals),
        decisions=len(now.decisions),
        briefings=tuple(each.id for each in now.briefings),
        documents=tuple(item["document_id"] for item in now.documents.items),
        entities=tuple(item["entity_id"] for item in now.entities),
        mutations=len(now.mutations.items),
    )
    actions = recommended(situation, Reach.of(now.call.house.callable_tools(caller), caller.surface), caller.name_style)
    told = [{"tool": action.tool, "arguments": action.arguments, "why": action.why} for action in actions]
    return Section(available=True, total=len(told), items=told)


def _listed(listed: Listed) -> Section:
    return _counted(listed.items, listed.total)


def _counted(items: list[dict[str, Any]], total: int | None, facts: dict[str, Any] | None = None) -> Section:
    capped = total is not None and total > records.MOST_COUNTED
    bound = records.MOST_COUNTED if capped else total
    return Section(available=True, total=bound, total_is_capped=capped, items=items or None, facts=facts)


def _open(now: Bearings, kind: Kind[Any], headlines: list[Headline]) -> Section:
    total = len(headlines) if len(headlines) < NEWEST else kind.counted(now.call.db, status="open")
    return _counted([_told(kind, each) for each in headlines], total)


def _told(kind: Kind[Any], headline: Headline) -> dict[str, Any]:
    """The entry as data: who says it, and that nothing but their word stands behind it."""
    return {
        f"{kind.table}_id": headline.id,
        kind.headline: headline.text,
        **headline.more,
        "author_name": headline.author.name,
        "origin": headline.author.origin,
        "evidence": "asserted",
        "created_at": headline.created_at,
    }


def _goal_stack(now: Bearings) -> Section:
    written = {
        f"recent_{kind.table}s": [_told(kind, each) for each in found]
        for kind, found in ((DECISIONS, now.decisions), (BRIEFINGS, now.briefings))
        if found
    }
    return msgspec.structs.replace(_open(now, GOALS, now.goals), facts=written or None)


def _pending_approvals(now: Bearings) -> Section:
    items = [{"approval_id": one["approval_id"], "tool": one["tool"]} for one in now.pending.items]
    return Section(available=True, total=now.pending.total, items=items or None)


def _ingest_queue(now: Bearings) -> Section:
    waiting = now.documents.tiers.get("scanned", 0)
    return _counted([], waiting, {"by_tier": now.documents.tiers} if now.documents.tiers else None)


BUILT: dict[str, Build] = {
    "identity": _identity,
    "permissions": _permissions,
    "sync_status": _sync_status,
    "goal_stack": _goal_stack,
    "recommended_actions": _recommended_actions,
    "interrupts": lambda now: _open(now, INTERRUPTS, now.interrupts),
    "pending_approvals": _pending_approvals,
    "open_questions": lambda now: _open(now, QUESTIONS, now.questions),
    "contradictions": lambda now: _listed(now.contradictions),
    "recent_corrections": lambda now: _listed(now.recent.corrections()),
    "hot_entities": lambda now: _counted(now.entities, None),
    "recent_mutations": lambda now: _listed(now.mutations),
    "recent_documents": lambda now: _listed(now.documents),
    "ingest_queue": _ingest_queue,
}
"""The sections that there is something to tell of so far; the others say that they are not available."""

ABSENT = Section(available=False)


def built(name: str, now: Bearings) -> Section:
    """The section of this name."""
    build = BUILT.get(name)
    return build(now) if build else ABSENT
