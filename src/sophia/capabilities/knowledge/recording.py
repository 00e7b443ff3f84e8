"""Facts being written: each once, with who said it, and found by its words from then on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sophia.capabilities.entities import names, records as entities
from sophia.capabilities.knowledge.graph import Draft, End
from sophia.capabilities.knowledge.records import object_key
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import Value, ValueType
from sophia.catalog.call import WriteCall, Writer
from sophia.search import fact_words

_KNOWN = """
    SELECT CAST(w.key AS INTEGER) AS n, f.id FROM json_each(:wanted) w CROSS JOIN fact f
     WHERE f.entity_id = w.value ->> 0 AND f.predicate = w.value ->> 1 AND f.object_key = w.value ->> 2
           AND f.source_id IS w.value ->> 3 AND f.quote IS w.value ->> 4 AND f.trust_tier = w.value ->> 5
           AND f.status <> 'retracted'
     ORDER BY f.recorded_at, f.id
"""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a fact says, and on whose word or what source it does."""

    subject: End
    predicate: str
    value: Value
    object: End | None
    tier: Tier
    observed_at: int | None = None

    @property
    def said(self) -> str:
        """The words that it is found by."""
        return said(self.subject.name, self.predicate, self.value)

    def key(self) -> list[str | None]:
        """What another fact that says the same has the same of, as far as it does not hang on a quote."""
        value = object_key(self.value, self.object.entity_id if self.object else None)
        return [self.subject.entity_id, self.predicate, value]


def said(subject: str, predicate: str, value: Value) -> str:
    """The words that a fact is found by."""
    return f"{subject}\n{predicate.replace('_', ' ')}\n{value.told}"


def retract(db: Writer, fact_id: str, reason: str) -> None:
    """Take the fact back: no search and no default read finds it from here on."""
    db.update("fact", fact_id, status="retracted", retracted_reason=reason)
    fact_words.forget(db, fact_id)


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

    def drafts(self, drafts: list[Draft]) -> list[str]:
        """The ids of the facts that the drafts are: those that were there already, and those made now."""
        statements = [self._statement(draft) for draft in drafts]
        keys = [
            [*statement.key(), draft.source.source_id, draft.quote, draft.tier.value]
            for draft, statement in zip(drafts, statements, strict=True)
        ]
        known = self._known(keys)
        for draft, statement, key in zip(drafts, statements, keys, strict=True):
            if tuple(key) not in known:
                known[tuple(key)] = self._insert(
                    statement, source_kind="document", source_id=draft.source.source_id,
                    source_sha256=draft.source.revision, quote=draft.quote, quote_start=draft.found.start,
                    quote_end=draft.found.end, quote_match=draft.found.match.value, valid_from=draft.valid_from,
                    valid_to=draft.valid_to,
                )  # fmt: skip
        return [known[tuple(key)] for key in keys]

    def word(self, statement: Statement) -> str:
        """The id of the fact that stands on the caller's word alone."""
        key = [*statement.key(), None, None, statement.tier.value]
        return self._known([key]).get(tuple(key)) or self._insert(statement, source_kind="word")

    def _statement(self, draft: Draft) -> Statement:
        subject = self._there(draft.subject)
        target = None if draft.object is None else self._there(draft.object)
        return Statement(subject, draft.predicate, draft.value, target, draft.tier, draft.observed_at)

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

    def _known(self, keys: list[list[str | None]]) -> dict[tuple[str | None, ...], str]:
        """The oldest fact of each key that has one."""
        known: dict[tuple[str | None, ...], str] = {}
        for row in self.call.db.rows(_KNOWN, wanted=json.dumps(keys)):
            known.setdefault(tuple(keys[row["n"]]), row["id"])
        return known

    def _insert(self, statement: Statement, **ground: Any) -> str:
        fact_id, value, caller = self.call.new_id("f"), statement.value, self.call.caller
        entity_id, predicate, key = statement.key()
        self.call.db.insert(
            "fact", id=fact_id, entity_id=entity_id, predicate=predicate, object=value.text, object_key=key,
            object_entity_id=statement.object.entity_id if statement.object else None,
            value_type=value.value_type.value, unit=value.unit, observed_at=statement.observed_at,
            recorded_at=self.call.now, observer_connection_id=caller.connection_id, observer_name=caller.name,
            trust_tier=statement.tier.value, trust_rank=statement.tier.rank, **ground,
        )  # fmt: skip
        fact_words.index(self.call.db, fact_id, statement.said, ground.get("quote"), ground.get("source_id"))
        return fact_id
