"""Facts at rest: SQL beside the shapes it fills."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from sophia.capabilities.entities import merging
from sophia.capabilities.entities.merging import Standing
from sophia.capabilities.knowledge import clashes, times
from sophia.capabilities.knowledge.folding import fold
from sophia.capabilities.knowledge.values import Value, ValueType
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.errors import NotFound
from sophia.core.listing import paged, within
from sophia.core.page import Listed, Order, Page, Row, Window
from sophia.core.scope import Scope
from sophia.search import fact_words, lexicon

MAX_WORDS = 16
MAX_COUNTED = 1000
"""How many facts a search for words counts."""


class Fact(Row, frozen=True):
    """One observation: who said what of an entity, on what ground, and when."""

    COMPACT: ClassVar[tuple[str, ...]] = ("fact_id", "entity_name", "predicate", "object", "trust_tier")
    LISTED: ClassVar[Listed] = Listed("recorded_at", "fact_id")

    fact_id: str
    entity_id: str
    entity_name: str
    predicate: str
    object: str
    value_type: str
    recorded_at: str
    observer_connection_id: str
    observer_name: str
    trust_tier: str
    source_kind: str
    status: str
    contested: bool
    object_entity_id: str | None = None
    unit: str | None = None
    observed_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    source_id: str | None = None
    quote: str | None = None
    quote_start: int | None = None
    quote_end: int | None = None
    quote_match: str | None = None
    stale: bool = False
    """The source has changed since the quote was taken: explain_fact looks whether it still holds."""
    superseded_by: str | None = None
    superseded_reason: str | None = None
    retracted_reason: str | None = None
    ended_at: str | None = None
    """When it was superseded or retracted."""
    ended_by_connection_id: str | None = None
    ended_by_name: str | None = None


F = TypeVar("F", bound=Fact)


@dataclass(slots=True)
class Wanted:
    """Which facts are asked for: conditions over `f` with their parameters, and whether the index finds them."""

    conditions: list[str] = field(default_factory=lambda: ["1"])
    values: dict[str, Any] = field(default_factory=dict)
    indexed: bool = False
    capped: bool = False
    """Whether the facts are only counted up to MAX_COUNTED."""

    def where(self, condition: str, **values: Any) -> None:
        """Ask for this, too."""
        self.conditions.append(condition)
        self.values.update(values)


SELECT = """
    SELECT f.id AS fact_id, f.entity_id, (SELECT e.name FROM entity e WHERE e.id = f.entity_id) AS entity_name,
           f.predicate, coalesce((SELECT e.name FROM entity e WHERE e.id = f.object_entity_id), f.object) AS object,
           f.object_entity_id, f.value_type, f.unit, f.observed_at, f.valid_from, f.valid_to, f.recorded_at,
           f.observer_connection_id, f.observer_name, f.trust_tier, f.source_kind, f.source_id, f.quote,
           f.quote_start, f.quote_end, f.quote_match, f.status, f.superseded_by, f.superseded_reason,
           f.retracted_reason, f.ended_at, f.ended_by_connection_id, f.ended_by_name,
           coalesce((SELECT d.content_sha256 <> f.source_sha256 FROM document d WHERE d.id = f.source_id), 0) AS stale
"""
_SAID = """
    (f.status <> 'current' AND holds_words(f.object || ' ' || replace(f.predicate, '_', ' ') || ' '
     || coalesce(f.unit, '') || ' ' || coalesce(f.quote, '') || ' '
     || coalesce((SELECT e.name FROM entity e WHERE e.id = f.entity_id), ''), :words))
"""
"""Whether a fact that no index holds any more says all words, as the index would fold them."""
_VALID = "(f.valid_from IS NULL OR f.valid_from <= {at}) AND (f.valid_to IS NULL OR f.valid_to > {at})"


def valid(wanted: Wanted, at: int) -> None:
    """Ask for what was true at that moment: from the first of its validity on, until before the last."""
    wanted.where(_VALID.format(at=":valid_at"), valid_at=at)


def known(wanted: Wanted, at: int) -> None:
    """Ask for what was believed at that moment, to the millisecond, as times are told."""
    first = at // 1000 * 1000
    wanted.where("f.recorded_at <= :known_to", known_to=first + 999)
    wanted.where("(f.status = 'current' OR f.ended_at > :known_to)")


def saying(wanted: Wanted, query: str, indexed: dict[str, str] | None) -> None:
    """Ask for the facts that say every word of the query, those among them that the index lost included."""
    words = lexicon.terms(query)[:MAX_WORDS]
    lost = _SAID if words else "0"
    found = f"f.id IN (SELECT f.id FROM {fact_words.FOUND} WHERE {fact_words.MATCHING})" if indexed else "0"
    wanted.where(f"({found} OR {lost})", words=json.dumps(words), **(indexed or {}))


def find(db: Reader, fact_id: str) -> Fact:
    """The fact of this id; `NotFound` where the caller sees none."""
    rows = db.rows(SELECT + ", 0 AS n FROM fact f WHERE f.id = :id", id=fact_id)
    if not rows:
        raise NotFound(argument="fact_id")
    return filled(db, rows, Fact)[0]


def several(db: Reader, fact_ids: Sequence[str]) -> dict[str, Fact]:
    """The facts of these ids that the caller sees."""
    rows = db.rows(
        SELECT + ", 0 AS n FROM fact f WHERE f.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(list(fact_ids)),
    )
    return {fact.fact_id: fact for fact in filled(db, rows, Fact)}


def worded(db: Reader, window: Window, query: str, scope: Scope, limit: int, now: int) -> list[str]:
    """The current facts of the window's times that hold words of the query and are valid now, best first."""
    condition = f"{within(window, 'f.recorded_at')} AND {_VALID.format(at=':now')}"
    return fact_words.best(db, query, scope, condition, limit, since=window.since, until=window.until, now=now)


def listed(db: Reader, window: Window, wanted: Wanted) -> Page[Fact]:
    """The wanted facts. Those that the index finds go by its own order, which is the one in which they were made."""
    source, n = (fact_words.FOUND, "t.rowid") if wanted.indexed else ("fact f", "0")
    part = paged(
        db, window, Fact.LISTED, f"{SELECT}, {n} AS n FROM {source} WHERE {' AND '.join(wanted.conditions)}",
        by=Order(("n",), window.order == "newest") if wanted.indexed else None,
        most=MAX_COUNTED if wanted.capped else None, **wanted.values,
    )  # fmt: skip
    return part.page(filled(db, part.rows, Fact))


def filled(db: Reader, rows: list[dict[str, Any]], kind: type[F]) -> list[F]:
    """The facts that rows of SELECT are."""
    ends = {row[end] for row in rows for end in ("entity_id", "object_entity_id") if row[end] is not None}
    now = merging.standing(db, ends) if ends else {}
    clashing = clashes.among(db, (row["fact_id"] for row in rows), {each.entity_id for each in now.values()})
    rows = [_standing({name: value for name, value in row.items() if name != "n"}, now) for row in rows]
    return [
        kind(
            **{
                **row,
                "recorded_at": rfc3339(row["recorded_at"]),
                "observed_at": times.told(row["observed_at"]),
                "valid_from": times.told(row["valid_from"]),
                "valid_to": times.told(row["valid_to"]),
                "stale": bool(row["stale"]),
                "ended_at": None if row["ended_at"] is None else rfc3339(row["ended_at"]),
                "contested": row["fact_id"] in clashing,
            }
        )
        for row in rows
    ]


def _standing(row: dict[str, Any], now: Mapping[str, Standing]) -> dict[str, Any]:
    """The row of a fact, with the entities that its own stand for now."""
    subject = now[row["entity_id"]]
    row = {**row, "entity_id": subject.entity_id, "entity_name": subject.name}
    if row["object_entity_id"] is None:
        return row
    target = now[row["object_entity_id"]]
    return {**row, "object_entity_id": target.entity_id, "object": target.name}


def object_key(value: Value, entity_id: str | None) -> str:
    """What two facts have in common that say the same: the entity's id, or the value, the form of a text aside."""
    return entity_id or (folded(value.text) if value.value_type is ValueType.TEXT else value.told)


def folded(text: str) -> str:
    """A text as it is compared with others."""
    return fold(text).casefold()
