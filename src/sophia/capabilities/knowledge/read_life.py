"""Reading what became of facts: corrections, contradictions, and what was believed at another time."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import merging, resolve
from sophia.capabilities.knowledge import contradictions, history, records, stats, times
from sophia.capabilities.knowledge.contradictions import Contradiction
from sophia.capabilities.knowledge.history import Stage
from sophia.capabilities.knowledge.records import Fact, Wanted
from sophia.capabilities.knowledge.stats import Stats
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page

tools: Group[ReadCall] = Group("read_knowledge", Access.READ)

About = Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")]


@tools.tool()
def fact_history(call: ReadCall, fact_id: Annotated[str, Meta(max_length=64)]) -> Page[Stage]:
    """The chain of corrections that a fact is part of, oldest first: who said each, who ended it, when and why."""
    return history.of(call.db, call.window, records.find(call.db, fact_id))


@tools.tool()
def facts_as_of(
    call: ReadCall,
    entity_id: About | None = None,
    valid_at: Annotated[str, Meta(max_length=40, description="When it was true: date or RFC 3339 time.")] | None = None,
    known_at: Annotated[str, Meta(max_length=40, description="When it was believed.")] | None = None,
) -> Page[Fact]:
    """What was true at one time, as it was believed at another: now, unless given; valid_at follows known_at."""
    wanted = Wanted()
    if entity_id is not None:
        condition, ids = merging.one_of("f.entity_id", resolve.meant(call.db, entity_id, "entity_id"))
        wanted.where(condition, **ids)
    known, valid = times.optional(known_at, "known_at"), times.optional(valid_at, "valid_at")
    records.valid(wanted, next(at for at in (valid, known, call.now) if at is not None))
    if known is None:
        wanted.where("f.status = 'current'")
    else:
        records.known(wanted, known)
    return records.listed(call.db, call.window, wanted)


@tools.tool()
def list_contradictions(call: ReadCall, entity_id: About | None = None) -> Page[Contradiction]:
    """Current facts that contradict each other, side by side with their quotes: different values where there is one."""
    about = None if entity_id is None else resolve.named(call.db, entity_id, "entity_id").entity_id
    return contradictions.listed(call.db, call.window, about)


@tools.tool()
def knowledge_stats(call: ReadCall) -> Stats:
    """How much is known: facts by status, ground and predicate, contradictions and rejected values."""
    return stats.counted(call.db)
