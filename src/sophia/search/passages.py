"""A text in passages that can be found and shown, each with the offsets where it stands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TARGET = 800
"""A passage ends at the first paragraph that takes it to this many characters."""
LONGEST = 1200
OVERLAP = 120
"""How much of a passage the next repeats at most, where the text was cut in the middle of a section."""

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_MARKS = (" ", "#", "`", "~")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?=[ \t]|$)")
_SENTENCE_END = re.compile(r"[.!?…][)\]\"'”’»]*\s+|[。！？]+|\n")
_BLANK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """`text[start:end]`, in code points, and the heading under which it stands."""

    start: int
    end: int
    heading: str | None = None


def passages(text: str) -> list[Passage]:
    """The passages of a text, in order, none longer than LONGEST.

    Everything but white space is in at least one. A heading of Markdown begins a new one; a paragraph is kept whole
    where it fits.
    """
    found: list[Passage] = []
    for start, end, heading in _sections(text):
        found += [Passage(*span, heading) for span in _cut(text, start, end)]
    return found


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of Markdown, where its line begins, and how deep it is: 1 to 6."""

    start: int
    level: int
    title: str


def headings(text: str) -> Iterator[Heading]:
    """The headings of a text that say something, in order; what stands in code is none."""
    for at, line, titled in _read(text):
        if title := _title(line[titled.end() :]):
            yield Heading(at, titled[0].count("#"), title)


def _sections(text: str) -> Iterator[tuple[int, int, str | None]]:
    """Stretches under one heading each, the heading included; headings with nothing under them stay with the next."""
    start, behind, heading = 0, 0, None
    for at, line, titled in _read(text):
        if text[behind:at].strip():
            yield start, at, heading
            start = at
        behind, heading = at + len(line), _title(line[titled.end() :])
    yield start, len(text), heading


def _read(text: str) -> Iterator[tuple[int, str, "re.Match[str]"]]:
    """Every line that is a heading, with where it begins, and what marks it."""
    fence = None
    for at, line in _marked(text):
        marked = _FENCE.match(line)
        if fence:
            fence = None if marked and marked[1].startswith(fence) and not line.strip(" `~") else fence
        elif marked:
            fence = marked[1]
        elif titled := _HEADING.match(line):
            yield at, line, titled


def _title(rest: str) -> str | None:
    """What a heading says, without the number signs that may close it."""
    said = rest.strip()
    bare = said.rstrip("#")
    return (bare.strip() if not bare or bare[-1].isspace() else said) or None


def _marked(text: str) -> Iterator[tuple[int, str]]:
    """Every line that begins as a heading or a fence may, and where: of most texts few, and soon found."""
    starts = [0] if text[:1] in _MARKS else []
    for mark in _MARKS:
        at = text.find("\n" + mark)
        while at >= 0:
            starts.append(at + 1)
            at = text.find("\n" + mark, at + 1)
    for start in sorted(starts):
        end = text.find("\n", start)
        yield start, text[start:end] if end >= 0 else text[start:]


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    start, end = _trimmed(text, start, end)
    while start < end:
        stop = end if end - start <= LONGEST else _stop(text, start)
        yield _trimmed(text, start, stop)
        if stop == end:
            return
        start = _trimmed(text, _resume(text, start, stop), end)[0]


def _stop(text: str, start: int) -> int:
    """Where a passage that begins at `start` and has to end before LONGEST ends best.

    After a paragraph, else after a sentence, else between words, else where it must.
    """
    paragraph = text.find("\n\n", start + TARGET, start + LONGEST)
    if paragraph < 0:
        paragraph = text.rfind("\n\n", start + TARGET // 2, start + TARGET)
    if paragraph >= 0:
        return paragraph
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, start + TARGET // 2, start + LONGEST)]
    if sentences:
        return sentences[-1]
    blanks = [found.start() for found in _BLANK.finditer(text, start + TARGET // 2, start + LONGEST)]
    return blanks[-1] if blanks else start + LONGEST


def _resume(text: str, start: int, stop: int) -> int:
    """Where the next passage begins: a little before `stop` where a paragraph was cut there, else at it."""
    if text.startswith("\n\n", stop):
        return stop
    floor = max(start + 1, stop - OVERLAP)
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, floor, stop) if found.end() < stop]
    return sentences[0] if sentences and text[sentences[0] : stop].strip() else stop


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
