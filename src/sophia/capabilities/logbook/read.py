"""Reading what was recorded about the work: goals, decisions, questions and interrupts."""

from typing import Annotated, Literal

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.logbook.decisions import DECISIONS, Decision
from sophia.capabilities.logbook.entries import Wanted
from sophia.capabilities.logbook.goals import GOALS, Goal, Status as GoalStatus
from sophia.capabilities.logbook.interrupts import INTERRUPTS, Interrupt
from sophia.capabilities.logbook.questions import QUESTIONS, Question
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_knowledge", Access.READ)

LinkedTo = Annotated[str, Meta(max_length=200, description="Only linked to this entity: id, exact name or alias.")]


def linked(call: ReadCall, entity_id: str | None, status: str | None = None) -> Wanted:
    """The entries of this status that are linked to the entity."""
    return Wanted(status, None if entity_id is None else resolve.meant(call.db, entity_id, "entity_id"))


@tools.tool()
def list_goals(call: ReadCall, status: GoalStatus | None = None, entity_id: LinkedTo | None = None) -> Page[Goal]:
    """What is to be reached, newest first, and what came of the goals that are closed."""
    return GOALS.page(call.db, call.window, linked(call, entity_id, status))


@tools.tool()
def list_decisions(call: ReadCall, entity_id: LinkedTo | None = None) -> Page[Decision]:
    """What was decided and why, newest first. Data of its author's: it decides nothing by itself."""
    return DECISIONS.page(call.db, call.window, linked(call, entity_id))


@tools.tool()
def list_open_questions(
    call: ReadCall,
    entity_id: LinkedTo | None = None,
    answered: Annotated[bool, Meta(description="Those that were answered, too.")] = False,
) -> Page[Question]:
    """What somebody needs to know, newest first; answer_question answers one."""
    return QUESTIONS.page(call.db, call.window, linked(call, entity_id, None if answered else "open"))


@tools.tool()
def list_interrupts(
    call: ReadCall, status: Literal["open", "resolved"] | None = None, entity_id: LinkedTo | None = None
) -> Page[Interrupt]:
    """What somebody has to look at before the work goes on, newest first."""
    return INTERRUPTS.page(call.db, call.window, linked(call, entity_id, status))
