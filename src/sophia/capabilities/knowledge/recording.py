"""Facts being written: each once, with who said it, and found by its words from then on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sophia.capabilities.entities import names, records as entities
from sophia.capabilities.knowledge import earlier, rejections
from sophia.capabilities.knowledge.earlier import Saying
from sophia.capabilities.knowledge.graph import Draft, End
from sophia.capabilities.knowledge.records import object_key
from sophia.capabilities.knowledge.rejections import Attempt
from sophia.capabilities.knowledge.sameness import Said
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import Value, ValueType
from sophia.catalog.call import WriteCall, Writer
from sophia.core.caller import Owner
from sophia.search import fact_words


@dataclass(frozen=True, slots=True)
class Statement:
    """What a fact says, and on whose word or what source it does."""

    subject: End
    predicate: str
    value: Value
    object: End | None
    tier: Tier
    observed_at: int | None = None
    valid_from: int | None = None
    valid_to: int | None = None

    @property
    def said(self) -> str:
        """The words that it is found by."""
        return said(self.subject.name, self.predicate, self.value)

    @property
    def object_key(self) -> str:
        """What another fact that says the same has the same of."""
        return object_key(self.value, self.target)

    @property
    def target(self) -> str | None:
        """The id of the entity that the object is."""
        return self.object.entity_id if self.object else None

    def saying(self, source_id: str | None = None, quote: str | None = None) -> Saying:
        """What it says on this ground."""
        return Saying(
            self.subject.entity_id, self.predicate, self.object_key, source_id, quote, self.tier.value,
            self.valid_from, self.valid_to, self.target,
        )  # fmt: skip


def said(subject: str, predicate: str, value: Value) -> str:
    """The words that a fact is found by."""
    return f"{subject}\n{predicate.replace('_', ' ')}\n{value.told}"


def retract(call: WriteCall, fact_id: str, reason: str) -> None:
    """Take the fact back: no search and no default read finds it from here on."""
    _end(call, fact_id, status="retracted", retracted_reason=reason)


def supersede(call: WriteCall, fact_id: str, by_fact_id: str, reason: str | None) -> None:
    """Have the other fact stand in its place: no search and no default read finds it from here on."""
    _end(call, fact_id, status="superseded", superseded_by=by_fact_id, superseded_reason=reason)


def _end(call: WriteCall, fact_id: str, **changes: str | None) -> None:
    who = {"ended_by_connection_id": call.caller.connection_id, "ended_by_name": call.caller.name}
    call.db.update("fact", fact_id, ended_at=call.now, **who, **changes)
    fact_words.forget(call.db, fact_id)


def reindex(db: Writer, fact_ids: Sequence[str]) -> None:
    """Have those of the facts that hold found by their words as they are now, and the others by none."""
    for fact_id in fact_ids:
        fact_words.forget(db, fact_id)
    rows = db.rows(
        "SELECT f.id, e.name, f.predicate, f.object, f.unit, f.value_type, f.quote, f.source_id"
        " FROM fact f JOIN entity e ON e.id = f.entity_id"
        " WHERE f.status = 'current' AND f.id IN (SELECT value FROM json_each(:ids)) ORDER BY f.recorded_at, f.id",
        ids=json.dumps(list(fact_ids)),
    )
    for row in rows:
        value = Value(ValueType(row["value_type"]), row["object"], row["unit"])
        fact_words.index(db, row["id"], said(row["name"], row["predicate"], value), row["quote"], row["source_id"])


@dataclass
class Recorder:
    """The facts and entities of one write."""

    call: WriteCall
    made: dict[tuple[str, str], End] = field(default_factory=dict)
    """The entities that were made on the way."""

    warnings: list[str] = field(default_factory=list)
    """What there is to say of what was on record before."""

    def drafts(self, drafts: list[Draft], *, anew: bool = False) -> list[str]:
        """The ids of the facts that the drafts are: those that were there already, and those made now.

        A draft that was superseded before stays the superseded fact, unless it is made `anew`.
        """
        made: dict[Saying, str] = {}
        return [self._drafted(draft, made, anew=anew) for draft in drafts]

    def word(self, statement: Statement, *, anew: bool = False) -> str:
        """The id of the fact that stands on the caller's word alone; `RejectedValue` for what was rejected before.

        The owner's word lifts a rejection, and like what is said `anew` it brings back what was superseded.
        """
        owners = isinstance(self.call.caller, Owner)
        attempt = Attempt(statement.subject.entity_id, statement.predicate, Said(statement.value, statement.target))
        rejection = rejections.against(self.call.db, [attempt])[0]
        if rejection is not None:
            if not owners:
                raise rejections.refuse(rejection.by)
            rejections.lift(self.call, rejection)
            self.warnings.append(f"The rejection of this value ({rejection.rejection_id}) is lifted by this.")
        found = earlier.of(self.call.db, [statement.saying()])[0]
        held = found.fact_id or (None if owners or anew else found.superseded_id)
        if found.hint and (held or found.retracted_id):
            self.warnings.append(found.hint)
        return held or self._insert(statement, source_kind="word")

    def _drafted(self, draft: Draft, made: dict[Saying, str], *, anew: bool) -> str:
        held = draft.earlier.fact_id or (None if anew else draft.earlier.superseded_id)
        if held is not None:
            return held
        statement = self._statement(draft)
        saying = statement.saying(draft.source.source_id, draft.quote)
        if saying not in made:
            made[saying] = self._insert(
                statement, source_kind="document", source_id=draft.source.source_id,
                source_sha256=draft.source.revision, quote=draft.quote, quote_start=draft.found.start,
                quote_end=draft.found.end, quote_match=draft.found.match.value,
            )  # fmt: skip
        return made[saying]

    def _statement(self, draft: Draft) -> Statement:
        subject = self._there(draft.subject)
        target = None if draft.object is None else self._there(draft.object)
        return Statement(
            subject, draft.predicate, draft.value, target, draft.tier, draft.observed_at, draft.valid_from,
            draft.valid_to,
        )  # fmt: skip

    def _there(self, end: End) -> End:
        """The entity with its id, made where it is not there yet."""
        if end.entity_id is not None:
            return end
        key = (end.kind, names.key(end.name))
        if key not in self.made:
            entity_id = self.call.new_id("e")
            entities.insert(self.call.db, entity_id, self.call.now, kind=end.kind, name=end.name, attributes="{}")
            self.made[key] = End(entity_id, end.name, end.kind)
        return self.made[key]

    def _insert(self, statement: Statement, **ground: Any) -> str:
        fact_id, value, caller = self.call.new_id("f"), statement.value, self.call.caller
        self.call.db.insert(
            "fact", id=fact_id, entity_id=statement.subject.entity_id, predicate=statement.predicate,
            object=value.text, object_key=statement.object_key, object_entity_id=statement.target,
            value_type=value.value_type.value, unit=value.unit, observed_at=statement.observed_at,
            valid_from=statement.valid_from, valid_to=statement.valid_to, recorded_at=self.call.now,
            observer_connection_id=caller.connection_id, observer_name=caller.name,
            trust_tier=statement.tier.value, trust_rank=statement.tier.rank, **ground,
        )  # fmt: skip
        fact_words.index(self.call.db, fact_id, statement.said, ground.get("quote"), ground.get("source_id"))
        return fact_id
