"""Markdown: its source as it is, called by its front matter or its first heading."""

import re

from sophia.extraction.composition import stored_whole
from sophia.extraction.encodings import decoded
from sophia.extraction.extracted import Extracted
from sophia.extraction.limits import Limits
from sophia.extraction.titles import MAX_TITLE, titled

_FRONT_MATTER = re.compile(r"---[ \t]*\n((?:.*\n){0,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_TITLE_LINE = re.compile(r"^title[ \t]*:[ \t]*(.+?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r" {0,3}(?:`{3}|~{3})")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+|$)")
_SETEXT = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_MARKUP = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)|(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")


def markdown(data: bytes, name: str, _limits: Limits) -> Extracted:
    """The whole source, with the title of its front matter, else of its first heading."""
    text = stored_whole(decoded(data))
    return Extracted(text, titled(name, _front_matter_title(text) or _heading(text)), "text/markdown")


def _front_matter_title(text: str) -> str | None:
    block = _FRONT_MATTER.match(text)
    found = _TITLE_LINE.search(block[1]) if block else None
    if not found:
        return None
    said = found[1]
    return _shown(said[1:-1] if len(said) > 1 and said[0] == said[-1] and said[0] in "\"'" else said)


def _heading(text: str) -> str | None:
    """The first heading outside of code."""
    block = _FRONT_MATTER.match(text)
    fenced, before = False, ""
    for line in text[block.end() if block else 0 :].split("\n"):
        if _FENCE.match(line):
            fenced, before = not fenced, ""
            continue
        if fenced:
            continue
        if marker := _ATX.match(line):
            title = _shown(line[marker.end() :].rstrip().rstrip("#"))
            if title:
                return title
        elif before and _SETEXT.match(line):
            return _shown(before)
        before = line.strip()
    return None


def _shown(title: str) -> str | None:
    """A title without the marks of Markdown."""
    return _MARKUP.sub(lambda found: found[1] or "", title[: 2 * MAX_TITLE]).strip() or None
