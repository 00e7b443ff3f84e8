"""Where a quote stands in a source: literally, or by Unicode form and white space alone, and never nearly."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from sophia.capabilities.knowledge.folding import fold
from sophia.capabilities.knowledge.nearest import closest
from sophia.capabilities.knowledge.searched import Searched, places, searched
from sophia.core.source_text import stored

MAX_QUOTE = 300
MAX_OCCURRENCES = 100
"""How many places are told; what stands more often is told as `more`."""


class Match(Enum):
    """How a quote stands in its source."""

    EXACT = "exact"
    NORMALIZED = "normalized"


class Standing(Enum):
    """What has become of a quote since it was taken."""

    HOLDS = "holds"
    MOVED = "moved"
    QUOTE_LOST = "quote_lost"


@dataclass(frozen=True, slots=True)
class Found:
    """The quote stands at `start:end`, in code points of the stored text."""

    start: int
    end: int
    match: Match
    ambiguous: bool = False
    """Whether it stands elsewhere too and nobody said which is meant."""


@dataclass(frozen=True, slots=True)
class Missing:
    """The quote does not stand there. `reason` is a verdict's; `hint` says what to do, with the closest passage."""

    reason: str
    hint: str


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The places where a quote stands, in order: all of one kind, the exact ones where there are any."""

    match: Match
    spans: tuple[tuple[int, int], ...]
    more: bool = False


NOWHERE = Occurrences(Match.EXACT, ())


def find(text: str | Searched, quote: str, quote_start: int | None = None) -> Found | Missing:
    """Where `quote` stands in the stored text `text`, which is prepared by `searched` where more quotes are looked for.

    `quote_start` names the place that is meant; without it the first is taken, and said to be ambiguous where there
    are others.
    """
    refused = _refused(quote)
    if refused:
        return refused
    source = searched(text)
    if quote_start is not None and quote_start >= 0 and source.text.startswith(quote, quote_start):
        return Found(quote_start, quote_start + len(quote), Match.EXACT)
    if quote_start is not None:
        return _normalized_at(source, quote, quote_start) or _elsewhere(source, quote, quote_start)
    found = occurrences(source, quote, limit=1)
    if not found.spans:
        return Missing("quote_not_found", _nearest_hint(source, quote))
    return Found(*found.spans[0], found.match, found.more)


def occurrences(text: str | Searched, quote: str, *, limit: int = MAX_OCCURRENCES) -> Occurrences:
    """The first `limit` places where `quote` stands in the stored text; NOWHERE for none."""
    if _refused(quote):
        return NOWHERE
    source, wanted = searched(text), fold(stored(quote))
    spans = ((at, at + len(quote)) for at in places(source.text, quote))
    exact = _first(Match.EXACT, spans, limit)
    if exact.spans:
        return exact
    if wanted == quote and source.folds_to_itself:
        return NOWHERE
    return _first(Match.NORMALIZED, source.spans(wanted), limit)


def reverified(source: str | Searched, quote: str, start: int, end: int) -> tuple[Standing, Found | None]:
    """What has become of the quote that stood at `start:end`, in the source as it is now, and where it is now."""
    text = source if isinstance(source, str) else source.text
    if text[start:end] == quote:
        return Standing.HOLDS, Found(start, end, Match.EXACT)
    if fold(text[start:end]) == fold(stored(quote)):
        return Standing.HOLDS, Found(start, end, Match.NORMALIZED)
    found = occurrences(source, quote)
    if not found.spans:
        return Standing.QUOTE_LOST, None
    now = min(found.spans, key=lambda span: abs(span[0] - start))
    return Standing.MOVED, Found(*now, found.match, len(found.spans) > 1 or found.more)


def _refused(quote: str) -> Missing | None:
    if len(quote) > MAX_QUOTE:
        return Missing("quote_too_long", f"A quote is at most {MAX_QUOTE} characters; quote the part that says it.")
    if not fold(stored(quote)):
        return Missing("quote_not_found", f"A quote is 1 to {MAX_QUOTE} characters of the source; this one is blank.")
    return None


def _first(match: Match, spans: Iterator[tuple[int, int]], limit: int) -> Occurrences:
    taken = tuple(islice(spans, limit))
    return Occurrences(match, taken, more=next(spans, None) is not None)


def _normalized_at(source: Searched, quote: str, start: int) -> Found | None:
    wanted, at = fold(stored(quote)), source.position(start)
    if at is None or not source.folded.text.startswith(wanted, at):
        return None
    span = source.folded.span(at, at + len(wanted))
    return Found(*span, Match.NORMALIZED) if span else None


def _elsewhere(source: Searched, quote: str, quote_start: int) -> Missing:
    found = occurrences(source, quote, limit=10)
    if not found.spans:
        return Missing("quote_not_found", _nearest_hint(source, quote))
    starts = ", ".join(str(start) for start, _ in found.spans)
    return Missing("quote_start_mismatch", f"The quote does not stand at {quote_start}; it stands at {starts}.")


def _nearest_hint(source: Searched, quote: str) -> str:
    if source.spent:
        return "Quote one passage, word for word. check_quote looks for this one alone, and for what is like it."
    passage = closest(source, quote)
    if passage is None:
        return "Nothing like it stands in this source. Quote one passage, word for word."
    start, end = passage
    return f"Quote one passage, word for word. The closest one stands at {start}: {source.text[start:end]!r}"
