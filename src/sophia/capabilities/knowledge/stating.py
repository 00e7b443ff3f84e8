"""A statement on somebody's word: what a caller says of an entity, without a source."""

from sophia.capabilities.entities import resolve
from sophia.capabilities.knowledge import graph, registry
from sophia.capabilities.knowledge.graph import End
from sophia.capabilities.knowledge.predicates import is_name
from sophia.capabilities.knowledge.recording import Statement
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import BadValue, ValueType, parsed
from sophia.catalog.call import WriteCall
from sophia.core.caller import Owner
from sophia.core.errors import Ambiguous, BadArguments, NotFound


def stated(call: WriteCall, entity_id: str, predicate: str, said: str, said_type: ValueType | None) -> Statement:
    """The statement that this is; the owner's is of the owner's tier, an agent's is inferred."""
    call.db.require("entity", entity_id)
    if not is_name(predicate):
        raise BadArguments("A predicate is written in snake_case.", argument="predicate")
    wanted = graph.type_of(registry.predicates(call.db, [predicate])[predicate], said_type)
    if said_type not in (None, wanted):
        raise BadArguments(f"{predicate} takes a value of type {wanted.value}, or text.", argument="object_type")
    value = parsed(wanted, said)
    if isinstance(value, BadValue):
        raise BadArguments(value.hint, argument="object")
    target = _target(call, said) if wanted is ValueType.ENTITY else None
    tier = Tier.OWNER if isinstance(call.caller, Owner) else Tier.INFERRED
    subject = resolve.named(call.db, entity_id, "entity_id")
    end = End(subject.entity_id, subject.name, subject.kind)
    return Statement(end, predicate, graph.naming(value, target), target, tier)


def _target(call: WriteCall, text: str) -> End:
    found = resolve.exact(call.db, [text])[text]
    if not found:
        raise NotFound(argument="object", hint="Name an entity by its id, or say object_type text.")
    if len(found) > 1:
        raise Ambiguous(argument="object", candidates=[each.candidate for each in found[: resolve.SHOWN]])
    return End(found[0].entity_id, found[0].name, found[0].kind)
