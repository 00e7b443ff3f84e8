"""Reading what is known."""

import json
from typing import Annotated, Literal

from msgspec import Meta

from sophia.capabilities.entities import merging, resolve
from sophia.capabilities.knowledge import quotes, records, registry, sources, times
from sophia.capabilities.knowledge.claims import Time
from sophia.capabilities.knowledge.records import Fact, Wanted
from sophia.capabilities.knowledge.registry import PredicateRow
from sophia.capabilities.knowledge.trust import Tier
from sophia.capabilities.knowledge.values import Value, ValueType, parsed
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Page, Row
from sophia.search import fact_words

tools: Group[ReadCall] = Group("read_knowledge", Access.READ)

AROUND = 200
"""Characters of the source that are shown on either side of a quote."""


class CitedSource(Row, frozen=True):
    """The source of a quote, as it is now."""

    source_id: str
    title: str
    origin: str
    quote_start: int | None = None
    quote_end: int | None = None


class Explanation(Row, frozen=True):
    """What stands behind a fact, looked at just now."""

    fact: Fact
    verdict: Literal["holds", "moved", "quote_lost", "source_gone", "unsourced"]
    source: CitedSource | None = None
    context: str | None = None


@tools.tool()
def query_knowledge(
    call: ReadCall,
    entity: Annotated[str, Meta(max_length=200, description="Id, exact name or alias.")] | None = None,
    predicate: Annotated[str, Meta(max_length=100)] | None = None,
    object: Annotated[str, Meta(max_length=2000, description="Exact value, or an entity's id or name.")] | None = None,
    query: Annotated[str, Meta(max_length=1000, description="Words of the fact or its quote, all of them.")]
    | None = None,
    min_trust_tier: Tier | None = None,
    source_id: Annotated[str, Meta(max_length=200)] | None = None,
    valid_at: Time | None = None,
    history: Annotated[bool, Meta(description="Superseded, retracted and outdated facts, too.")] = False,
) -> Page[Fact]:
    """Facts with who said them, their quotes and sources, newest first; contested: another one contradicts it."""
    wanted = Wanted()
    if not history:
        wanted.where("f.status = 'current'")
    if entity is not None:
        condition, ids = merging.one_of("f.entity_id", resolve.meant(call.db, entity))
        wanted.where(condition, **ids)
    if predicate is not None:
        wanted.where("f.predicate = :predicate", predicate=predicate)
    if object is not None:
        found = merging.parts(call.db, [each.entity_id for each in resolve.exact(call.db, [object])[object]])
        meant = [each for part in found.values() for each in part]
        typed = [value.told for each in ValueType if isinstance(value := parsed(each, object), Value)]
        keys = list(dict.fromkeys([records.folded(object), object, *typed, *meant]))
        wanted.where("f.object_key IN (SELECT value FROM json_each(:objects))", objects=json.dumps(keys))
    if history and query is not None:
        records.saying(wanted, query, fact_words.sought(query, None))
    elif not history and (query is not None or source_id is not None):
        sought = fact_words.sought(query, source_id)
        wanted.where(fact_words.MATCHING if sought else "0", **(sought or {}))
        wanted.indexed, wanted.capped = sought is not None, query is not None
    if source_id is not None:
        wanted.where("f.source_id = :source_id", source_id=source_id)
    if min_trust_tier is not None:
        wanted.where("f.trust_rank >= :rank", rank=min_trust_tier.rank)
    if valid_at is not None:
        records.valid(wanted, times.given(valid_at, "valid_at"))
    elif not history:
        records.valid(wanted, call.now)
    return records.listed(call.db, call.window, wanted)


@tools.tool()
def get_fact(call: ReadCall, fact_id: Annotated[str, Meta(max_length=64)]) -> Fact:
    """One fact with its quote and source."""
    return records.find(call.db, fact_id)


@tools.tool()
def explain_fact(call: ReadCall, fact_id: Annotated[str, Meta(max_length=64)]) -> Explanation:
    """What stands behind a fact: its quote is looked up anew in the source as it is now."""
    fact = records.find(call.db, fact_id)
    if fact.source_kind == "word":
        return Explanation(fact=fact, verdict="unsourced")
    source = sources.held(call.db, fact.source_id or "")
    if source is None or fact.quote is None or fact.quote_start is None or fact.quote_end is None:
        return Explanation(fact=fact, verdict="source_gone")
    text = source.text.text
    standing, found = quotes.reverified(text, fact.quote, fact.quote_start, fact.quote_end)
    cited = CitedSource(
        source_id=source.text.source_id, title=source.title, origin=source.text.origin.value,
        quote_start=found.start if found else None, quote_end=found.end if found else None,
    )  # fmt: skip
    context = text[max(0, found.start - AROUND) : found.end + AROUND] if found else None
    return Explanation(fact=fact, verdict=standing.value, source=cited, context=context)


@tools.tool()
def list_predicates(call: ReadCall) -> Page[PredicateRow]:
    """What facts can say, by name: each predicate with the kind of value it takes and whether only one at a time."""
    return registry.listed(call.db, call.window)
