"""Asking first: what a write would come to, with nothing written."""

from typing import Annotated, Any

from msgspec import Meta

from sophia.capabilities.entities import records, resolve
from sophia.capabilities.entities.records import MAX_ALIASES, Name
from sophia.capabilities.entities.resolve import Candidate
from sophia.capabilities.knowledge import graph, quotes, sources
from sophia.capabilities.knowledge.claims import Claims, NewEntities, Verdicts
from sophia.capabilities.knowledge.graph import Graph
from sophia.capabilities.knowledge.searched import Searched
from sophia.capabilities.knowledge.sources import NoSource
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.page import Row

tools: Group[ReadCall] = Group("preflight", Access.READ)


class Place(Row, frozen=True):
    """Where a quote stands, in code points of the source's stored text."""

    start: int
    end: int


class QuoteCheck(Row, frozen=True):
    """Whether a quote stands in a source, and where."""

    holds: bool
    occurrences: list[Place]
    quote_match: str | None = None
    hint: str | None = None


class Likely(Row, frozen=True):
    """Whether an entity is likely there already, and which."""

    duplicate: bool
    candidates: list[Candidate]


class Foreseen(Row, frozen=True):
    """What a call would meet."""

    allowed: bool
    needs_approval: bool
    in_scope: bool
    conflicts: list[Any]
    code: str | None = None
    reason: str | None = None


@tools.tool()
def check_claim_graph(
    call: ReadCall,
    source_id: Annotated[str, Meta(min_length=1, max_length=200, description="The document that the quotes are from.")],
    claims: Claims,
    entities: NewEntities = [],  # noqa: B006 (arguments arrive frozen)
    atomic: Annotated[bool, Meta(description="All claims or none.")] = False,
) -> Verdicts:
    """The verdicts that submit_claim_graph would give, with nothing written."""
    verdicts = [each.verdict() for each in graph.judged(call.db, Graph(source_id, claims, entities, atomic))]
    accepted = sum(verdict.accepted for verdict in verdicts)
    return Verdicts(verdicts=verdicts, accepted=accepted, rejected=len(verdicts) - accepted)


@tools.tool()
def check_quote(
    call: ReadCall,
    source_id: Annotated[str, Meta(min_length=1, max_length=200)],
    quote: Annotated[str, Meta(description="1 to 300 characters.")],
) -> QuoteCheck:
    """Whether a quote stands literally in a source, and at which offsets."""
    source = sources.find(call.db, source_id)
    if isinstance(source, NoSource):
        return QuoteCheck(holds=False, occurrences=[], hint=source.hint)
    text = Searched(source.text.text)
    found = quotes.occurrences(text, quote)
    if not found.spans:
        missing = quotes.find(text, quote)
        hint = missing.hint if isinstance(missing, quotes.Missing) else None
        return QuoteCheck(holds=False, occurrences=[], hint=hint)
    places = [Place(start=start, end=end) for start, end in found.spans]
    hint = f"It stands at more than these {len(places)} places." if found.more else None
    return QuoteCheck(holds=True, occurrences=places, quote_match=found.match.value, hint=hint)


@tools.tool()
def check_duplicate(
    call: ReadCall,
    kind: Annotated[str, Meta(min_length=1, max_length=60)],
    name: Name,
    aliases: Annotated[list[Name], Meta(max_length=MAX_ALIASES)] | None = None,
    attributes: Annotated[dict[str, Any], Meta(description="E-mail and website are compared.")] | None = None,
) -> Likely:
    """Whether such an entity is likely there already, as create_entity finds it: candidates with score and why."""
    called = [records.shown(each, "name") for each in (name, *(aliases or []))]
    like = resolve.duplicates(call.db, called, records.kind_of(kind), attributes)
    return Likely(duplicate=bool(like), candidates=like)


@tools.tool()
def check_write(
    call: ReadCall,
    tool: Annotated[str, Meta(min_length=1, max_length=100, description="Any spelling of a tool's name.")],
    arguments: dict[str, Any],
) -> Foreseen:
    """Whether a call would be allowed, in scope, asked of the owner or in conflict; it is tried and nothing is kept."""
    seen = call.house.foresee(call.caller, tool, arguments)
    return Foreseen(
        allowed=seen.allowed, needs_approval=seen.needs_approval, in_scope=seen.in_scope, conflicts=seen.conflicts,
        code=seen.code, reason=seen.reason,
    )  # fmt: skip
