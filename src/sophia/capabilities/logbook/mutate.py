"""Recording what one's own work comes to, for whoever comes next."""

import json
from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities.records import shown
from sophia.capabilities.logbook import goals, questions
from sophia.capabilities.logbook.briefings import BRIEFINGS, Briefing
from sophia.capabilities.logbook.decisions import DECISIONS, Decision
from sophia.capabilities.logbook.goals import GOALS, Goal
from sophia.capabilities.logbook.interrupts import INTERRUPTS, RANKS, Interrupt, Urgency
from sophia.capabilities.logbook.questions import QUESTIONS, Question
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import BadArguments, Conflict
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_knowledge", Access.WRITE)

Title = Annotated[str, Meta(min_length=1, max_length=300)]
Body = Annotated[str, Meta(min_length=1, max_length=30_000)]
Line = Annotated[str, Meta(min_length=1, max_length=2000)]
Id = Annotated[str, Meta(max_length=64)]
EntityIds = Annotated[list[str], Meta(max_length=50, description="Linked entities: who sees all of them sees it.")]


class GoalWritten(Row, frozen=True):
    """The goal as it is now."""

    goal: Goal
    warning: str | None = None


class DecisionWritten(Row, frozen=True):
    """The decision as it is kept."""

    decision: Decision


class QuestionWritten(Row, frozen=True):
    """The question as it is now."""

    question: Question


class InterruptWritten(Row, frozen=True):
    """The interrupt as it is now."""

    interrupt: Interrupt


class BriefingWritten(Row, frozen=True):
    """The briefing as it is kept."""

    briefing: Briefing


@tools.tool()
def set_goal(
    call: WriteCall,
    title: Title,
    body: Body | None = None,
    parent_id: Annotated[str, Meta(max_length=64, description="The goal that it is a part of.")] | None = None,
    entity_ids: EntityIds | None = None,
) -> GoalWritten:
    """Set a goal, which orient shows to everybody who sees its entities until it is closed."""
    if parent_id is not None and GOALS.find(call.db, parent_id, "parent_id").status != "open":
        raise Conflict("The goal that this is a part of is closed.", argument="parent_id")
    return GoalWritten(goal=GOALS.record(call, entity_ids, title=_title(title), body=body, parent_id=parent_id))


@tools.tool()
def close_goal(call: WriteCall, goal_id: Id, outcome: Line) -> GoalWritten:
    """Close a goal: say whether it was reached, and what came of it."""
    goal = GOALS.end(call, goal_id, "closed", outcome=_said(outcome, "outcome"))
    left = goals.open_parts(call.db, goal_id)
    return GoalWritten(goal=goal, warning=f"Open still: {left} of the goals that are parts of it." if left else None)


@tools.tool()
def record_decision(
    call: WriteCall,
    title: Title,
    body: Annotated[str, Meta(min_length=1, max_length=30_000, description="What was decided, and why.")],
    alternatives: Annotated[list[Line], Meta(max_length=20, description="What was not chosen.")] | None = None,
    entity_ids: EntityIds | None = None,
) -> DecisionWritten:
    """Record what was decided and why, so that the next one need not decide it again."""
    others = json.dumps(alternatives or [], ensure_ascii=False)
    decision = DECISIONS.record(call, entity_ids, title=_title(title), body=_said(body, "body"), alternatives=others)
    return DecisionWritten(decision=decision)


@tools.tool()
def ask_question(call: WriteCall, question: Line, entity_ids: EntityIds | None = None) -> QuestionWritten:
    """Ask what you could not find out; it stands in orient until somebody answers."""
    return QuestionWritten(question=QUESTIONS.record(call, entity_ids, question=_said(question, "question")))


@tools.tool()
def answer_question(
    call: WriteCall,
    question_id: Id,
    answer: Body,
    fact_ids: Annotated[list[Id], Meta(max_length=50, description="The facts that the answer stands on.")]
    | None = None,
) -> QuestionWritten:
    """Answer an open question. The answer is your word; what it stands on are the facts that it names."""
    said = _said(answer, "answer")
    return QuestionWritten(question=questions.answered(call, question_id, said, fact_ids or ()))


@tools.tool()
def raise_interrupt(
    call: WriteCall, title: Title, urgency: Urgency, body: Body | None = None, entity_ids: EntityIds | None = None
) -> InterruptWritten:
    """Raise what somebody has to look at before the work goes on; the owner and orient show it until resolved."""
    interrupt = INTERRUPTS.record(
        call, entity_ids, title=_title(title), body=body, urgency=urgency, urgency_rank=RANKS[urgency]
    )
    return InterruptWritten(interrupt=interrupt)


@tools.tool()
def resolve_interrupt(call: WriteCall, interrupt_id: Id, note: Line | None = None) -> InterruptWritten:
    """Say that an interrupt is dealt with, and how."""
    return InterruptWritten(interrupt=INTERRUPTS.end(call, interrupt_id, "resolved", note=note))


@tools.tool()
def save_briefing(
    call: WriteCall,
    title: Title,
    body: Annotated[str, Meta(min_length=1, max_length=30_000, description="Markdown; cite ids.")],
    goal_id: Annotated[str, Meta(max_length=64, description="The goal that it is about.")] | None = None,
    entity_ids: EntityIds | None = None,
) -> BriefingWritten:
    """Write up where the work stands for whoever goes on with it."""
    if goal_id is not None:
        GOALS.find(call.db, goal_id)
    briefing = BRIEFINGS.record(call, entity_ids, title=_title(title), body=_said(body, "body"), goal_id=goal_id)
    return BriefingWritten(briefing=briefing)


def _title(text: str) -> str:
    return shown(text, "title")


def _said(text: str, argument: str) -> str:
    if not text.strip():
        raise BadArguments(f"{argument} says nothing.", argument=argument)
    return text
