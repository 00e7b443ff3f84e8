"""A titled text as the passages that are indexed, each with the words that it is found by."""

from collections.abc import Iterator
from dataclasses import dataclass

from sophia.search import lexicon
from sophia.search.passages import passages


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage at `starts:ends` of its text, and the words that it is found by."""

    starts: int
    ends: int
    text: str
    words: str


def chunks(title: str, text: str) -> Iterator[Chunk]:
    """The passages of a text: the first is found by the title too, and each by the heading that it stands under."""
    above: str | None = title
    for passage in passages(text):
        shown = text[passage.start : passage.end]
        over = "\n".join(filter(None, (above, passage.heading)))
        yield Chunk(passage.start, passage.end, shown, lexicon.indexed(f"{over}\n{shown}" if over else shown))
        above = None
    if above is not None:
        yield Chunk(0, 0, "", lexicon.indexed(above))
