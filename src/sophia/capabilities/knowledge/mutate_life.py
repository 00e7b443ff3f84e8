"""Changing what becomes of facts: correcting, superseding and rejecting them."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.knowledge import correcting, recording, records, registry, rejections
from sophia.capabilities.knowledge.claims import PredicateName
from sophia.capabilities.knowledge.correcting import Corrected
from sophia.capabilities.knowledge.predicates import is_name
from sophia.capabilities.knowledge.records import Fact
from sophia.capabilities.knowledge.rejections import Attempt, Rejection
from sophia.capabilities.knowledge.sameness import Said
from sophia.capabilities.knowledge.values import Value, ValueType, parsed
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import Ambiguous, BadArguments, Conflict, WeakerEvidence
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_knowledge", Access.WRITE)

MOST_TOLD = 50
FactId = Annotated[str, Meta(min_length=1, max_length=64)]
Why = Annotated[str, Meta(min_length=1, max_length=1000, description="Why it does not hold.")]
Object = Annotated[str, Meta(min_length=1, max_length=2000, description="An entity by its id or exact name.")]


class Superseded(Row, frozen=True):
    """The fact as it is from now on, and the one that stands in its place."""

    fact: Fact
    by: Fact
    warning: str | None = None


class Rejected(Row, frozen=True):
    """The tombstone that is left, and the facts that said the value: how many were retracted, and the first of them."""

    rejection: Rejection
    retracted: int
    fact_ids: list[str]
    warning: str | None = None


@tools.tool()
def correct_fact(
    call: WriteCall,
    fact_id: FactId,
    object: Object,
    reason: Why,
    source_id: Annotated[str, Meta(min_length=1, max_length=200, description="The document of the quote.")]
    | None = None,
    quote: Annotated[str, Meta(description="1 to 300 characters, literally as in the source.")] | None = None,
) -> Corrected:
    """Put a fact right: the new value takes its place, unless it stands on weaker ground; then both stand, contested.

    A quote grounds it like a claim; without one it is the caller's word, which from an agent is inferred.
    """
    old = correcting.current(call, fact_id)
    if (source_id is None) != (quote is None):
        raise BadArguments("source_id and quote go together.", argument="quote" if quote is None else "source_id")
    if source_id is None or quote is None:
        new_id, warnings = correcting.on_word(call, old, object)
    else:
        new_id, warnings = correcting.on_quote(call, old, object, source_id, quote)
    return correcting.corrected(call, old, new_id, reason, warnings)


@tools.tool(destructive=True, idempotent=True)
def supersede_fact(
    call: WriteCall,
    fact_id: FactId,
    by_fact_id: FactId,
    reason: Annotated[str, Meta(max_length=1000)] | None = None,
) -> Superseded:
    """Have one current fact stand in another's place: of the same entity and predicate, and no weaker."""
    old = records.find(call.db, fact_id)
    if old.status == "superseded" and old.superseded_by == by_fact_id:
        told = "Nothing was changed: it was superseded by that fact before."
        return Superseded(fact=old, by=records.find(call.db, by_fact_id), warning=told)
    old, new = correcting.current(call, fact_id), correcting.current(call, by_fact_id, "by_fact_id")
    if old.fact_id == new.fact_id:
        raise Conflict("A fact does not stand in its own place.", argument="by_fact_id")
    if (old.entity_id, old.predicate) != (new.entity_id, new.predicate):
        raise Conflict(
            "A fact is only superseded by one of the same entity and predicate.", argument="by_fact_id",
            hint="retract_fact takes back what does not hold.",
        )  # fmt: skip
    if correcting.stronger(old, new):
        raise WeakerEvidence(
            argument="by_fact_id", hint="correct_fact with a source_id and quote says it on better ground.",
            trust_tier=new.trust_tier, than=old.trust_tier,
        )  # fmt: skip
    recording.supersede(call, fact_id, by_fact_id, reason)
    told_now = records.several(call.db, [fact_id, by_fact_id])
    return Superseded(fact=told_now[fact_id], by=told_now[by_fact_id])


@tools.tool(destructive=True, idempotent=True)
def reject_fact(call: WriteCall, fact_id: FactId, reason: Why) -> Rejected:
    """Reject what a fact says, for good: it and others that say the same are retracted, and the value cannot return."""
    fact = records.find(call.db, fact_id)
    return _rejected(call, Attempt(fact.entity_id, fact.predicate, correcting.said_by(fact)), reason)


@tools.tool(destructive=True, idempotent=True)
def reject_value(
    call: WriteCall,
    entity_id: str,
    predicate: PredicateName,
    object: Object,
    reason: Why,
) -> Rejected:
    """Reject a value of an entity, for good, whether a fact says it yet or not: it cannot return, however written."""
    call.db.require("entity", entity_id)
    if not is_name(predicate):
        raise BadArguments("A predicate is written in snake_case.", argument="predicate")
    return _rejected(call, Attempt(entity_id, predicate, _said(call, predicate, object)), reason)


def _rejected(call: WriteCall, attempt: Attempt, reason: str) -> Rejected:
    rejection, new = rejections.leave(call, attempt, reason)
    saying = rejections.saying(call.db, attempt)
    for fact_id in saying:
        recording.retract(call, fact_id, reason)
    warning = None if new or saying else "Nothing was changed: this value was rejected before."
    return Rejected(rejection=rejection, retracted=len(saying), fact_ids=saying[:MOST_TOLD], warning=warning)


def _said(call: WriteCall, predicate: str, text: str) -> Said:
    """The value as the predicate takes it, or in words where it is none of that kind."""
    wanted = registry.predicates(call.db, [predicate])[predicate].value_type
    if wanted is ValueType.ENTITY:
        found = resolve.exact(call.db, [text])[text]
        if len(found) > 1:
            raise Ambiguous(argument="object", candidates=[each.candidate for each in found[: resolve.SHOWN]])
        if found:
            return Said(Value(ValueType.ENTITY, found[0].name), found[0].entity_id)
    for kind in (wanted, ValueType.TEXT):
        value = parsed(kind, text)
        if isinstance(value, Value) and kind is not ValueType.ENTITY:
            return Said(value)
    raise BadArguments("This can be no value: it is blank or holds control characters.", argument="object")
