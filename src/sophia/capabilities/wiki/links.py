"""What a page's text names in double brackets, code aside: other pages, and the facts and documents that it cites."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sophia.capabilities.wiki import titles

Kind = Literal["page", "fact", "document"]
_KINDS: dict[str, Kind] = {"page": "page", "f": "fact", "doc": "document"}
"""What is named by ids of which prefix. Other ids name nothing here."""
_LINK = re.compile(r"(?<!\\)\[\[([^\[\]\n]{1,500})\]\]")
_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_TICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Link:
    """What is named, by its id or the key of its title, and how it was written."""

    kind: Kind
    target: str
    written: str
    heading: str | None = None


def links(body: str) -> list[Link]:
    """Everything that the text names, each thing once, in order: `[[Title]]`, `[[Title#Heading|label]]`, `[[id]]`."""
    found: dict[tuple[Kind, str], Link] = {}
    for block in _prose(body):
        for written in _LINK.findall(_without_spans(block)):
            link = _link(written)
            if link is not None:
                found.setdefault((link.kind, link.target), link)
    return list(found.values())


def _link(inside: str) -> Link | None:
    named = inside.split("|", 1)[0].rstrip("\\")  # in a table the bar is escaped
    target, _, heading = named.partition("#")
    written = " ".join(target.split())
    folded = titles.key(written)
    if not folded or len(written) > titles.MAX_TITLE:
        return None
    by_id = titles.ID.fullmatch(folded)
    if by_id is None:
        return Link("page", folded, written, heading.strip() or None)
    kind = _KINDS.get(by_id[1])
    return Link(kind, folded, written, heading.strip() or None) if kind else None


def _prose(body: str) -> Iterator[str]:
    """The text in blocks that code cannot reach across, without blocks of code."""
    block: list[str] = []
    fence, listed, apart = "", False, True
    for line in body.split("\n"):
        if fence:
            closes = line.strip(" \t>")
            if closes.startswith(fence) and not closes.strip(fence[0]):
                fence = ""
            continue
        deep = line.startswith(("    ", "\t"))
        if deep and apart and not listed:
            continue  # indented code, which goes on until a line that is not
        opened, item = _FENCE.match(line), _ITEM.match(line)
        if block and (opened or item or not line.strip() or _HEADING.match(line)):
            yield "\n".join(block)
            block = []
        if opened:
            fence, apart = opened[1], True
            continue
        if not line.strip():
            apart = True
            continue
        listed = bool(item) or (listed and (deep or line[0] == " " or not apart))
        block.append(line)
        apart = False
        if _HEADING.match(line):
            yield "\n".join(block)
            block, apart = [], True
    yield "\n".join(block)


def _without_spans(block: str) -> str:
    """The block with a blank in place of each span of code: between runs of as many backticks."""
    if "`" not in block:
        return block
    runs = [run for run in _TICKS.finditer(block) if block[run.start() - 1 : run.start()] != "\\"]
    of_length: dict[int, list[int]] = defaultdict(list)
    for n in range(len(runs) - 1, -1, -1):
        of_length[len(runs[n][0])].append(n)
    kept: list[str] = []
    at = n = 0
    while n < len(runs):
        same = of_length[len(runs[n][0])]
        while same and same[-1] <= n:
            same.pop()
        if not same:
            n += 1
            continue
        kept.append(block[at : runs[n].start()])
        at, n = runs[same[-1]].end(), same[-1] + 1
    return " ".join([*kept, block[at:]])
