"""A fact put right: the new one on a quote or on the caller's word, and what becomes of the one before."""

from dataclasses import replace
from typing import Any

from sophia.capabilities.knowledge import graph, recording, records, registry, stating, times
from sophia.capabilities.knowledge.claims import Claim
from sophia.capabilities.knowledge.graph import Graph, Judged
from sophia.capabilities.knowledge.recording import Recorder
from sophia.capabilities.knowledge.records import Fact
from sophia.capabilities.knowledge.rejections import refuse, said
from sophia.capabilities.knowledge.sameness import Said
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import ValueType
from sophia.catalog.call import WriteCall
from sophia.core.errors import Ambiguous, BadArguments, Conflict, NotFound, NotGrounded, SophiaError, WeakerEvidence
from sophia.core.page import Row

SAME = "Nothing was changed: the fact says that already."


class Corrected(Row, frozen=True):
    """The fact as it is now known, and the one that it corrects as it is from now on."""

    fact: Fact
    corrected: Fact
    warning: str | None = None


def current(call: WriteCall, fact_id: str, argument: str = "fact_id") -> Fact:
    """The fact, which must be current: one that ended is a conflict, which names the one in its place."""
    try:
        fact = records.find(call.db, fact_id)
    except NotFound:
        raise NotFound(argument=argument) from None
    if fact.status != "current":
        told: dict[str, Any] = {"fact_id": fact.superseded_by} if fact.superseded_by else {}
        raise Conflict(
            f"This fact is {fact.status} already; only a current one is corrected or superseded.",
            argument=argument, hint="fact_history tells what became of it.", **told,
        )  # fmt: skip
    return fact


def corrected(call: WriteCall, old: Fact, new_id: str, reason: str, warnings: list[str]) -> Corrected:
    """What becomes of a fact that another was said against: the weaker of the two never takes the other's place."""
    if new_id == old.fact_id:
        return Corrected(fact=old, corrected=old, warning=SAME)
    new = records.find(call.db, new_id)
    if not stronger(old, new):
        recording.supersede(call, old.fact_id, new_id, reason)
    elif said_by(old).same(said_by(new)):
        warnings = [*warnings, "It says the same on weaker ground, so both stand."]
    else:
        _dispute(call, old.fact_id, new_id)
        warnings = [*warnings, _beside(old, new)]
    told = records.several(call.db, [old.fact_id, new_id])
    return Corrected(fact=told[new_id], corrected=told[old.fact_id], warning=" ".join(warnings) or None)


def said_by(fact: Fact) -> Said:
    """The value that the fact says."""
    return said(fact.object, fact.value_type, fact.unit, fact.object_entity_id)


def stronger(one: Fact, other: Fact) -> bool:
    """Whether the one is better grounded than the other."""
    return _rank(one) > _rank(other)


def _rank(fact: Fact) -> int:
    return Tier(fact.trust_tier).rank


def _beside(old: Fact, new: Fact) -> str:
    """What the caller is told of a correction that was too weak."""
    return (
        f"{WeakerEvidence.code}: {old.fact_id} is {old.trust_tier} and {new.fact_id} only {new.trust_tier}, so both"
        " stand and list_contradictions shows them; a source_id and quote, or the owner's word, supersede it."
    )


def _dispute(call: WriteCall, fact_id: str, by_fact_id: str) -> None:
    """Keep that the second was said against the first."""
    held = call.db.value(
        "SELECT d.id FROM fact_dispute d WHERE d.fact_id = :fact_id AND d.by_fact_id = :by_fact_id",
        fact_id=fact_id, by_fact_id=by_fact_id,
    )  # fmt: skip
    if held is None:
        call.db.insert("fact_dispute", id=call.new_id("disp"), fact_id=fact_id, by_fact_id=by_fact_id)


def on_word(call: WriteCall, old: Fact, value: str) -> tuple[str, list[str]]:
    """The fact that the caller's word makes of it, and what there is to say of that."""
    statement = stating.stated(call, old.entity_id, old.predicate, value, _type(call, old))
    if Said(statement.value, statement.target).same(said_by(old)) and statement.tier.rank <= _rank(old):
        return old.fact_id, []
    recorder = Recorder(call)
    fact_id = recorder.word(
        replace(
            statement,
            valid_from=times.optional(old.valid_from, "valid_from"),
            valid_to=times.optional(old.valid_to, "valid_to"),
        ),
        anew=True,
    )
    return fact_id, recorder.warnings


def on_quote(call: WriteCall, old: Fact, value: str, source_id: str, quote: str) -> tuple[str, list[str]]:
    """The fact that the quote makes of it, judged as a claim is, and what there is to say of that."""
    claim = Claim(
        id="correction", entity=old.entity_id, predicate=old.predicate, object=value, object_type=_type(call, old),
        quote=quote, valid_from=old.valid_from, valid_to=old.valid_to,
    )  # fmt: skip
    judged = graph.judged(call.db, Graph(source_id, [claim], [], atomic=True))[0]
    if judged.draft is None:
        raise _refused(judged)
    hints = [] if judged.draft.earlier.superseded_id or judged.hint is None else [judged.hint]
    return Recorder(call).drafts([judged.draft], anew=True)[0], hints


def _refused(judged: Judged) -> SophiaError:
    if judged.rejection is not None:
        return refuse(judged.rejection)
    match judged.reason:
        case "bad_value":
            return BadArguments(judged.hint, argument="object")
        case "entity_not_found":
            return NotFound(judged.hint, argument="object")
        case "entity_ambiguous":
            return Ambiguous(judged.hint, argument="object")
        case "source_not_found" | "source_is_post" | "source_is_fact":
            return NotGrounded(judged.hint, argument="source_id", verdict=judged.reason)
        case _:
            return NotGrounded(judged.hint, argument="quote", verdict=judged.reason)


def _type(call: WriteCall, old: Fact) -> ValueType | None:
    """The type of the old value, where the predicate still takes it."""
    held = ValueType(old.value_type)
    known = registry.predicates(call.db, [old.predicate])[old.predicate]
    return held if graph.type_of(known, held) is held else None
