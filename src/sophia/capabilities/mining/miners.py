"""All miners: what a text says that needs no understanding to be read, each statement with its place."""

from collections.abc import Iterator

from sophia.capabilities.knowledge.predicates import BY_NAME
from sophia.capabilities.mining import citations, contacts, front_matter, labelled, tables
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject
from sophia.capabilities.mining.prose import Prose, prose

MINERS = (front_matter.mined, labelled.mined, contacts.mined, tables.mined, citations.mined)
MAX_MINED = 100
"""The most statements that are taken from one document."""
MAX_SEEN = 2000
"""The most that are looked at, for what is said twice."""
MAX_READ = 400_000
"""How many code points of a text are read: what is labelled stands near its top."""


def mined(text: str) -> list[Mined]:
    """The statements of a text, each once, in the order of the miners and of the text, at most MAX_MINED.

    Where a label stands several times with different values, nobody can tell which holds: none is taken.
    """
    read = text[:MAX_READ]
    found: list[Mined] = []
    seen: set[tuple[Subject | None, str, str]] = set()
    said: dict[tuple[Subject | None, str], set[str]] = {}
    for one in _all(prose(read, front_matter.ends(read))):
        key = (one.subject, one.predicate, one.object)
        if key in seen or not 0 < len(one.quote) <= MAX_QUOTE:
            continue
        seen.add(key)
        found.append(one)
        if _single(one):
            said.setdefault((one.subject, one.predicate), set()).add(one.object)
        if len(found) == MAX_SEEN:
            break
    return [one for one in found if not _single(one) or len(said[one.subject, one.predicate]) == 1][:MAX_MINED]


def _single(one: Mined) -> bool:
    """Whether the statement leaves no room for another of its kind."""
    known = BY_NAME.get(one.predicate)
    return one.alone and (known is None or known.single_valued)


def _all(read: Prose) -> Iterator[Mined]:
    for miner in MINERS:
        yield from miner(read)
