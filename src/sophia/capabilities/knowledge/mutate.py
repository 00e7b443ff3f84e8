"""Changing what is known."""

from typing import Annotated, Any

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.knowledge import graph, recording, records, registry, times
from sophia.capabilities.knowledge.claims import Claims, MadeEntity, NewEntities, Submitted, Time
from sophia.capabilities.knowledge.graph import End, Graph
from sophia.capabilities.knowledge.predicates import Predicate, is_name
from sophia.capabilities.knowledge.recording import Recorder, Statement
from sophia.capabilities.knowledge.records import Fact
from sophia.capabilities.knowledge.registry import PredicateRow
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import BadValue, ValueType, parsed
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Owner
from sophia.core.errors import Ambiguous, BadArguments, Conflict, NotFound
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_knowledge", Access.WRITE)
PredicateName = Annotated[str, Meta(min_length=1, max_length=100, description="snake_case; see list_predicates.")]


class Remembered(Row, frozen=True):
    """The fact as it is now known."""

    fact: Fact
    warning: str | None = None


class Retracted(Row, frozen=True):
    """The fact as it is from now on: out of every default read, and in its history."""

    fact: Fact
    warning: str | None = None


class Defined(Row, frozen=True):
    """The predicate as it is now."""

    predicate: PredicateRow
    warning: str | None = None


def _makes_entities(arguments: Any) -> bool:
    """Whether a graph of claims may make entities, which the owner is always asked about."""
    return bool(arguments.entities)


@tools.tool(elevated_when=_makes_entities, idempotent=True)
def submit_claim_graph(
    call: WriteCall,
    source_id: Annotated[str, Meta(min_length=1, max_length=200, description="The document that the quotes are from.")],
    claims: Claims,
    entities: NewEntities = [],  # noqa: B006 (arguments arrive frozen)
    atomic: Annotated[bool, Meta(description="All claims or none.")] = False,
) -> Submitted:
    """Record facts, each grounded in a literal quote of one source; the answer is a verdict for each claim."""
    judged = graph.judged(call.db, Graph(source_id, claims, entities, atomic))
    recorder = Recorder(call)
    fact_ids = iter(recorder.drafts([each.draft for each in judged if each.draft is not None]))
    verdicts = [each.verdict(next(fact_ids)) if each.draft is not None else each.verdict() for each in judged]
    accepted = sum(verdict.accepted for verdict in verdicts)
    made = [
        MadeEntity(entity_id=end.entity_id, name=end.name, kind=end.kind)
        for end in recorder.made.values()
        if end.entity_id is not None
    ]
    return Submitted(verdicts=verdicts, accepted=accepted, rejected=len(verdicts) - accepted, entities=made)


@tools.tool(idempotent=True)
def remember_fact(
    call: WriteCall,
    entity_id: str,
    predicate: PredicateName,
    object: Annotated[str, Meta(min_length=1, max_length=2000, description="An entity by its id or exact name.")],
    object_type: ValueType | None = None,
    observed_at: Time | None = None,
) -> Remembered:
    """Record a fact on the caller's word, without a source; from an agent it is inferred. The owner is always asked."""
    call.db.require("entity", entity_id)
    if not is_name(predicate):
        raise BadArguments("A predicate is written in snake_case.", argument="predicate")
    wanted = graph.type_of(registry.predicates(call.db, [predicate])[predicate], object_type)
    if object_type not in (None, wanted):
        raise BadArguments(f"{predicate} takes a value of type {wanted.value}, or text.", argument="object_type")
    value = parsed(wanted, object)
    if isinstance(value, BadValue):
        raise BadArguments(value.hint, argument="object")
    target = _target(call, object) if wanted is ValueType.ENTITY else None
    tier = Tier.OWNER if isinstance(call.caller, Owner) else Tier.INFERRED
    subject = resolve.named(call.db, entity_id, "entity_id")
    statement = Statement(
        End(subject.entity_id, subject.name, subject.kind), predicate, graph.naming(value, target), target, tier,
        times.optional(observed_at, "observed_at"),
    )  # fmt: skip
    into = subject.entity_id
    warning = None if into == entity_id else f"{entity_id} was merged into {into}, which this is about."
    return Remembered(fact=records.find(call.db, Recorder(call).word(statement)), warning=warning)


@tools.tool(destructive=True, idempotent=True)
def retract_fact(
    call: WriteCall,
    fact_id: Annotated[str, Meta(min_length=1, max_length=64)],
    reason: Annotated[str, Meta(min_length=1, max_length=1000, description="Why it does not hold.")],
) -> Retracted:
    """Take back a fact that does not hold. It leaves searches and default reads, and stays in history."""
    fact = records.find(call.db, fact_id)
    if fact.status == "retracted":
        return Retracted(fact=fact, warning="Nothing was changed: this fact was retracted before.")
    if fact.status == "superseded":
        raise Conflict(
            "A later fact stands in its place already; retract that one.",
            argument="fact_id",
            fact_id=fact.superseded_by,
        )
    recording.retract(call.db, fact_id, reason)
    return Retracted(fact=records.find(call.db, fact_id))


@tools.tool(idempotent=True)
def define_predicate(
    call: WriteCall,
    predicate: PredicateName,
    value_type: ValueType,
    single_valued: Annotated[bool, Meta(description="Two current values at once contradict each other.")],
    inverse: PredicateName | None = None,
) -> Defined:
    """Add a predicate, or change one: what kind of value it takes, and whether only one at a time."""
    for name, argument in ((predicate, "predicate"), (inverse or predicate, "inverse")):
        if not is_name(name):
            raise BadArguments("A predicate is written in snake_case, like works_for.", argument=argument)
    if inverse is not None and value_type is not ValueType.ENTITY:
        raise BadArguments("Only a predicate between entities has an inverse.", argument="inverse")
    made = Predicate(predicate, value_type, single_valued, inverse)
    registry.define(call.db, made, call.now)
    return Defined(predicate=registry.told(made))


def _target(call: WriteCall, text: str) -> End:
    found = resolve.exact(call.db, [text])[text]
    if not found:
        raise NotFound(argument="object", hint="Name an entity by its id, or say object_type text.")
    if len(found) > 1:
        raise Ambiguous(argument="object", candidates=[each.candidate for each in found[: resolve.SHOWN]])
    return End(found[0].entity_id, found[0].name, found[0].kind)
