"""Lines such as `Due: 12 March 2026` or `**Total:** 1,200.50 EUR`: a label and one typed value."""

import re
from collections.abc import Iterator

from sophia.capabilities.mining.mined import Mined, predicate_of, quoted
from sophia.capabilities.mining.prose import Prose, lines
from sophia.capabilities.mining.typed import said

MAX_VALUE = 125
_LABEL = re.compile(
    r"[ \t]{0,40}(?:(?:[-*+]|\d{1,2}[.)])[ \t]{1,8})?[*_]{0,2}(?P<label>[^\W\d_][^:：|<>*\n\0]{0,39})[*_]{0,2}"
    r"[ \t]{0,8}[:：][*_]{0,2}"
)


def mined(prose: Prose) -> Iterator[Mined]:
    """What the labelled lines say of the document; only days, amounts, addresses and links, which cannot be misread."""
    for at, line in lines(prose.bare):
        found = _LABEL.match(line)
        value = line[found.end() :].strip(" \t") if found else ""
        if not found or not 0 < len(value) <= MAX_VALUE or "|" in value:
            continue
        name = predicate_of(found["label"].rstrip(" \t_"))
        told = said(value.strip("*_ ").strip("<>")) if name else None
        if name and told:
            yield Mined(name, *told, *quoted(prose.text, at + found.start("label"), at + len(line.rstrip())))
