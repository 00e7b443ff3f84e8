"""Changing what is known."""

from dataclasses import replace
from typing import Annotated, Any

from msgspec import Meta

from sophia.capabilities.knowledge import graph, recording, records, registry, stating, times
from sophia.capabilities.knowledge.claims import Claims, MadeEntity, NewEntities, PredicateName, Submitted, Time
from sophia.capabilities.knowledge.graph import Graph
from sophia.capabilities.knowledge.predicates import Predicate, is_name
from sophia.capabilities.knowledge.recording import Recorder
from sophia.capabilities.knowledge.records import Fact
from sophia.capabilities.knowledge.registry import PredicateRow
from sophia.capabilities.knowledge.values import ValueType
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import BadArguments, Conflict
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_knowledge", Access.WRITE)


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
    statement = stating.stated(call, entity_id, predicate, object, object_type)
    recorder = Recorder(call)
    fact_id = recorder.word(replace(statement, observed_at=times.optional(observed_at, "observed_at")))
    into = statement.subject.entity_id
    merged = [] if into == entity_id else [f"{entity_id} was merged into {into}, which this is about."]
    warning = " ".join([*merged, *recorder.warnings]) or None
    return Remembered(fact=records.find(call.db, fact_id), warning=warning)


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
    recording.retract(call, fact_id, reason)
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
