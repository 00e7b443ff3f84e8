"""All miners: what a text says that needs no understanding to be read, each statement with its place."""

from collections.abc import Iterator

from sophia.capabilities.mining import citations, contacts, front_matter, labelled, tables
from sophia.capabilities.mining.mined import MAX_QUOTE, Mined, Subject

MINERS = (front_matter.mined, labelled.mined, contacts.mined, tables.mined, citations.mined)
MAX_MINED = 100
"""The most statements that are taken from one document."""
MAX_READ = 400_000
"""How many code points of a text are read: what is labelled stands near its top."""


def mined(text: str) -> list[Mined]:
    """The statements of a text, each once, in the order of the miners and of the text, at most MAX_MINED."""
    read = text[:MAX_READ]
    found: list[Mined] = []
    seen: set[tuple[Subject | None, str, str]] = set()
    for one in _all(read):
        key = (one.subject, one.predicate, one.object)
        if key in seen or not 0 < len(one.quote) <= MAX_QUOTE:
            continue
        seen.add(key)
        found.append(one)
        if len(found) == MAX_MINED:
            break
    return found


def _all(text: str) -> Iterator[Mined]:
    for miner in MINERS:
        yield from miner(text)
