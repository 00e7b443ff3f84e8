"""The judgement of a graph of claims: the one function behind submitting it and checking it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import json

from sophia.capabilities.entities import names, records as entities, resolve
from sophia.capabilities.entities.resolve import Named
from sophia.capabilities.knowledge import earlier, quotes, registry, rejections, sources, times, trust
from sophia.capabilities.knowledge.claims import MAX_HINTS, Claim, NewEntity, Verdict
from sophia.capabilities.knowledge.earlier import NOTHING, Earlier, Saying
from sophia.capabilities.knowledge.predicates import Predicate, is_name
from sophia.capabilities.knowledge.quotes import Found, Missing
from sophia.capabilities.knowledge.records import object_key
from sophia.capabilities.knowledge.rejections import Attempt, RejectedBy
from sophia.capabilities.knowledge.sameness import Said
from sophia.capabilities.knowledge.searched import Searched
from sophia.capabilities.knowledge.sources import NoSource, Source
from sophia.capabilities.knowledge.support import unsupported
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import BadValue, Value, ValueType, parsed
from sophia.catalog.call import Reader
from sophia.core.errors import BadArguments
from sophia.core.source_text import SourceText


@dataclass(frozen=True, slots=True)
class Graph:
    """Claims that are taken from one source, and the entities that they may need made."""

    source_id: str
    claims: Sequence[Claim]
    entities: Sequence[NewEntity]
    atomic: bool


@dataclass(frozen=True, slots=True)
class End:
    """An entity that a claim speaks of: one that is there, or with the `entity_id` None one that is to be made."""

    entity_id: str | None
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A claim that stands, as the fact that it will be."""

    subject: End
    predicate: str
    value: Value
    object: End | None
    tier: Tier
    source: SourceText
    quote: str
    found: Found
    observed_at: int | None
    valid_from: int | None
    valid_to: int | None
    earlier: Earlier = NOTHING

    @property
    def attempt(self) -> Attempt:
        """What it would have said of its subject."""
        return Attempt(self.subject.entity_id, self.predicate, Said(self.value, self._target))

    @property
    def saying(self) -> Saying:
        """What it says, on what ground."""
        return Saying(
            self.subject.entity_id, self.predicate, object_key(self.value, self._target), self.source.source_id,
            self.quote, self.tier.value, self.valid_from, self.valid_to, self._target,
        )  # fmt: skip

    @property
    def _target(self) -> str | None:
        return self.object.entity_id if self.object else None


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with what it comes to: a draft, or the reason why not."""

    claim: Claim
    draft: Draft | None
    reason: str | None = None
    hint: str | None = None
    rejection: RejectedBy | None = None

    def verdict(self, fact_id: str | None = None) -> Verdict:
        """The verdict as an agent reads it."""
        if self.draft is None:
            return Verdict(
                id=self.claim.id, accepted=False, reason=self.reason, hint=self.hint, rejected=self.rejection
            )
        found = self.draft.found
        return Verdict(
            id=self.claim.id, accepted=True, fact_id=fact_id, trust_tier=self.draft.tier.value,
            quote_match=found.match.value, quote_start=found.start, quote_end=found.end, reason=self.reason,
            hint=self.hint,
        )  # fmt: skip


class Rejected(Exception):
    """A claim does not stand: its verdict's reason, and what to do."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


def judged(db: Reader, graph: Graph) -> list[Judged]:
    """What each claim comes to, in their order, as things stand in the transaction at hand."""
    if len({claim.id for claim in graph.claims}) < len(graph.claims):
        raise BadArguments("Each claim needs an id of its own.", argument="claims")
    declared = _declared(graph.entities)
    source = sources.find(db, graph.source_id)
    if isinstance(source, NoSource):
        return _bounded([Judged(claim, None, source.reason, source.hint) for claim in graph.claims])
    court = _Court(db, graph, source, declared)
    alone = _unrejected(db, [court.judge(claim) for claim in graph.claims])
    together = list(_with_dependencies(alone))
    if graph.atomic and any(each.draft is None for each in together):
        hint = "Another claim of this atomic graph was rejected, so none was written."
        together = [Judged(each.claim, None, "depends_on_rejected", hint) if each.draft else each for each in together]
    return _bounded(_on_record(db, together))


class _Court:
    """The names, predicates and text that all claims of one graph are judged by, each looked up once."""

    def __init__(self, db: Reader, graph: Graph, source: Source, declared: Mapping[str, NewEntity]) -> None:
        self._source = source.text
        self._searched = Searched(source.text.text)
        named = [claim.predicate for claim in graph.claims if is_name(claim.predicate)]
        self._predicates: Mapping[str, Predicate] = registry.predicates(db, named)
        texts = [entity.name for entity in graph.entities]
        for claim in graph.claims:
            texts.append(claim.entity)
            if self._type_of(claim) is ValueType.ENTITY:
                texts.append(claim.object)
        self._named = resolve.exact(db, texts)
        self._declared = {key: self._end_of(entity) for key, entity in declared.items()}

    def judge(self, claim: Claim) -> Judged:
        """What the claim comes to by itself."""
        try:
            return self._judged(claim)
        except Rejected as rejected:
            return Judged(claim, None, rejected.reason, rejected.hint)

    def _judged(self, claim: Claim) -> Judged:
        if not is_name(claim.predicate):
            raise Rejected("bad_value", "A predicate is written in snake_case; list_predicates shows the known ones.")
        subject = self._resolved(claim.entity)
        value, target = self._value(claim)
        observed_at, valid_from, valid_to = _times(claim)
        found = quotes.find(self._searched, claim.quote, claim.quote_start)
        if isinstance(found, Missing):
            raise Rejected(found.reason, found.hint)
        tier, reason, hints = trust.of_quote(self._source.origin), None, []
        missing = self._unsupported(claim, value, target, found)
        if missing is not None:
            tier, reason = Tier.INFERRED, "unsupported_object"
            hints.append(missing)
        if not self._source.origin.grounds:
            hints.append("An agent wrote this source, so what it says is inferred.")
        if found.ambiguous:
            hints.append("ambiguous_quote: it stands at several places and the first was taken; quote_start picks one.")
        draft = Draft(
            subject, claim.predicate, value, target, tier, self._source, claim.quote, found, observed_at, valid_from,
            valid_to,
        )  # fmt: skip
        return Judged(claim, draft, reason, " ".join(hints) or None)

    def _unsupported(self, claim: Claim, value: Value, target: End | None, found: Found) -> str | None:
        """What of the object the quoted words do not hold; an entity may stand there under its name or as claimed."""
        words = self._source.text[found.start : found.end]
        missing = unsupported(claim.object, value.value_type, words)
        if target is None or missing is None or target.name == claim.object:
            return missing
        return unsupported(target.name, value.value_type, words)

    def _type_of(self, claim: Claim) -> ValueType:
        predicate = self._predicates.get(claim.predicate)
        return ValueType.TEXT if predicate is None else type_of(predicate, claim.object_type)

    def _value(self, claim: Claim) -> tuple[Value, End | None]:
        wanted = self._type_of(claim)
        if claim.object_type not in (None, wanted):
            raise Rejected("bad_value", f"{claim.predicate} takes a value of type {wanted.value}, or text.")
        value = parsed(wanted, claim.object)
        if isinstance(value, BadValue):
            raise Rejected(value.reason, value.hint)
        if wanted is not ValueType.ENTITY:
            return value, None
        target = self._resolved(claim.object)
        return naming(value, target), target

    def _resolved(self, text: str) -> End:
        declared = self._declared.get(names.key(text))
        if declared is not None:
            return declared
        found = self._named.get(text, [])
        if not found:
            raise Rejected(
                "entity_not_found",
                f"No entity within this connection's scope has the id, name or alias {text[:80]!r}; resolve_entity"
                " finds like ones, `entities` makes a new one, and object_type text takes an object as words.",
            )
        if len(found) > 1:
            told = ", ".join(f"{each.entity_id} ({each.kind})" for each in found[:5])
            raise Rejected("entity_ambiguous", f"{text[:80]!r} may be {told}; name one by its id.")
        return _end(found[0])

    def _end_of(self, entity: NewEntity) -> End:
        """The entity of that name and kind where there is one, else one to be made."""
        name, kind = entities.shown(entity.name, "entities"), entities.kind_of(entity.kind)
        same = [each for each in self._named[entity.name] if each.kind == kind]
        return _end(same[0]) if len(same) == 1 else End(None, name, kind)


def _declared(declared: Sequence[NewEntity]) -> dict[str, NewEntity]:
    """The entities by the form of their names; `BadArguments` where one name is said to be of two kinds."""
    by_key: dict[str, NewEntity] = {}
    for entity in declared:
        first = by_key.setdefault(names.key(entity.name), entity)
        if entities.kind_of(first.kind) != entities.kind_of(entity.kind):
            raise BadArguments(
                f"{entity.name[:80]!r} is declared twice, as {first.kind!r} and as {entity.kind!r}.",
                argument="entities", hint="Say one kind for each name; two things of one name are named by their ids.",
            )  # fmt: skip
    return by_key


def type_of(predicate: Predicate, said: ValueType | None) -> ValueType:
    """The type that the predicate asks for. Where it asks for text, and where text is said, what is said counts."""
    if said is ValueType.TEXT or (predicate.value_type is ValueType.TEXT and said is not None):
        return said
    return predicate.value_type


def naming(value: Value, target: End | None) -> Value:
    """The value under the entity's own name, where it is one."""
    return value if target is None else replace(value, text=target.name)


def _end(named: Named) -> End:
    return End(named.entity_id, named.name, named.kind)


def _times(claim: Claim) -> tuple[int | None, int | None, int | None]:
    try:
        observed_at = times.optional(claim.observed_at, "observed_at")
        valid_from = times.optional(claim.valid_from, "valid_from")
        valid_to = times.optional(claim.valid_to, "valid_to")
    except BadArguments as error:
        raise Rejected("bad_value", error.message) from None
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        raise Rejected("bad_value", "valid_to lies before valid_from.")
    return observed_at, valid_from, valid_to


def _with_dependencies(alone: list[Judged]) -> Iterator[Judged]:
    """The claims as they stand together: one that hangs on a rejected or unknown one, or on itself, falls too."""
    by_id = {each.claim.id: each for each in alone}
    standing: set[str] = set()
    grew = True
    while grew:
        more = {
            each.claim.id
            for each in alone
            if each.draft is not None and each.claim.id not in standing and standing.issuperset(each.claim.depends_on)
        }
        standing |= more
        grew = bool(more)
    for each in alone:
        if each.draft is None or each.claim.id in standing:
            yield each
            continue
        cause = next(other for other in each.claim.depends_on if other not in standing)
        why = (
            f"There is no claim {cause!r} in this graph."
            if cause not in by_id
            else f"It depends on {cause!r}, which does not stand: rejected, or in a circle."
        )
        yield Judged(each.claim, None, "depends_on_rejected", why)


def _unrejected(db: Reader, claims: list[Judged]) -> list[Judged]:
    """The claims, of which none says what was rejected before."""
    attempts = [each.draft.attempt for each in claims if each.draft is not None]
    against = iter(rejections.against(db, attempts))
    found = [next(against) if each.draft is not None else None for each in claims]
    return [
        each if one is None else Judged(each.claim, None, "rejected_value", rejections.HINT, one.by)
        for each, one in zip(claims, found, strict=True)
    ]


def _on_record(db: Reader, claims: list[Judged]) -> list[Judged]:
    """The claims, with what is on record already of those that stand."""
    found = iter(earlier.of(db, [each.draft.saying for each in claims if each.draft is not None]))
    return [each if each.draft is None else _beside(each, each.draft, next(found)) for each in claims]


def _beside(each: Judged, draft: Draft, found: Earlier) -> Judged:
    hint = " ".join(one for one in (each.hint, found.hint) if one) or None
    return replace(each, draft=replace(draft, earlier=found), hint=hint)


def _bounded(claims: list[Judged]) -> list[Judged]:
    """The claims with their hints, until these are too long for one answer."""
    kept, used = [], 0
    for each in claims:
        used += len((each.hint or "").encode()) + (len(json.encode(each.rejection)) if each.rejection else 0)
        kept.append(each if used <= MAX_HINTS else replace(each, hint=None, rejection=None))
    return kept
