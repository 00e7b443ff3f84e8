"""Connecting entities by facts, and taking such facts back."""

from typing import Annotated

from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.entities.resolve import Named
from sophia.capabilities.knowledge import graph, recording, records, registry
from sophia.capabilities.knowledge.claims import Claim, PredicateName
from sophia.capabilities.knowledge.graph import End, Graph
from sophia.capabilities.knowledge.mutate import Retracted
from sophia.capabilities.knowledge.predicates import is_name
from sophia.capabilities.knowledge.recording import Recorder, Statement
from sophia.capabilities.knowledge.records import Fact
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import Value, ValueType
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Owner
from sophia.core.errors import BadArguments, Conflict, NotFound, NotGrounded
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_entities", Access.WRITE)
EntityId = Annotated[str, Meta(min_length=1, max_length=64)]
UNLINKED = "This connection was taken away."


class Linked(Row, frozen=True):
    """The fact that connects the two."""

    fact: Fact
    warning: str | None = None


@tools.tool(idempotent=True)
def link_entities(
    call: WriteCall,
    from_id: EntityId,
    predicate: PredicateName,
    to_id: EntityId,
    quote: Annotated[str, Meta(max_length=1000, description="1 to 300 characters, literally as in the source.")]
    | None = None,
    source_id: Annotated[str, Meta(max_length=200, description="The document that the quote is from.")] | None = None,
) -> Linked:
    """Connect two entities by a fact: grounded by a quote of a source, judged like any claim; inferred without one."""
    subject, target = (_end(call, each, name) for each, name in ((from_id, "from_id"), (to_id, "to_id")))
    if subject.entity_id == target.entity_id:
        raise BadArguments("An entity is not connected with itself.", argument="to_id")
    if not is_name(predicate):
        raise BadArguments("A predicate is written in snake_case.", argument="predicate")
    known = registry.predicates(call.db, [predicate])[predicate]
    if graph.type_of(known, ValueType.ENTITY) is not ValueType.ENTITY:
        raise BadArguments(f"{predicate} takes a value of type {known.value_type.value}.", argument="predicate")
    if (quote is None) is not (source_id is None):
        raise BadArguments("quote and source_id go together.", argument="quote" if quote is None else "source_id")
    if quote is None or source_id is None:
        fact_id = _inferred(call, subject, predicate, target)
    else:
        fact_id = _grounded(call, Claim(
            id="link", entity=subject.entity_id, predicate=predicate, object=target.entity_id,
            object_type=ValueType.ENTITY, quote=quote,
        ), source_id)  # fmt: skip
    fact = records.find(call.db, fact_id)
    merged = [each for each in (subject, target) if each.merged_id]
    warnings = [f"{each.merged_id} was merged into {each.entity_id}, which this is about." for each in merged]
    if fact.contested:
        warnings.append(f"Another {predicate} contradicts this one.")
    return Linked(fact=fact, warning=" ".join(warnings) or None)


@tools.tool(destructive=True, idempotent=True)
def unlink_entities(
    call: WriteCall, fact_id: EntityId, reason: Annotated[str, Meta(max_length=1000)] | None = None
) -> Retracted:
    """Take back a fact that connects two entities. It leaves relations and default reads, and stays in history."""
    fact = records.find(call.db, fact_id)
    if fact.object_entity_id is None:
        raise BadArguments("This fact connects no entities; retract_fact takes it back.", argument="fact_id")
    if fact.status == "retracted":
        return Retracted(fact=fact, warning="Nothing was changed: this fact was retracted before.")
    if fact.status == "superseded":
        later = fact.superseded_by
        raise Conflict("A later fact stands in its place; take that one back.", argument="fact_id", fact_id=later)
    recording.retract(call, fact_id, reason or UNLINKED)
    return Retracted(fact=records.find(call.db, fact_id))


def _end(call: WriteCall, entity_id: str, argument: str) -> Named:
    """The entity of that id, or the one that it went into."""
    found = [each for each in resolve.exact(call.db, [entity_id])[entity_id] if each.why == "id"]
    if not found:
        raise NotFound(argument=argument)
    return found[0]


def _inferred(call: WriteCall, subject: Named, predicate: str, target: Named) -> str:
    tier = Tier.OWNER if isinstance(call.caller, Owner) else Tier.INFERRED
    ends = [End(each.entity_id, each.name, each.kind) for each in (subject, target)]
    value = Value(ValueType.ENTITY, target.name)
    return Recorder(call).word(Statement(ends[0], predicate, value, ends[1], tier))


def _grounded(call: WriteCall, claim: Claim, source_id: str) -> str:
    judged = graph.judged(call.db, Graph(source_id, [claim], [], atomic=True))[0]
    if judged.draft is None:
        raise NotGrounded(f"The quote does not carry this: {judged.reason}.", argument="quote", hint=judged.hint)
    return Recorder(call).drafts([judged.draft])[0]
