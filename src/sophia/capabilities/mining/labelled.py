"""Lines such as `Due: 12 March 2026` or `**Total:** 1,200.50 EUR`: a label and one typed value."""

import re
from collections.abc import Iterator

from sophia.capabilities.mining.mined import Mined, predicate_of, quoted
from sophia.capabilities.mining.typed import said

_LINE = re.compile(
    r"^[ \t]*(?:(?:[-*+]|\d{1,2}[.)])[ \t]+)?[*_]{0,2}(?P<label>[^\W\d_][^:：|<>*\n]{0,39}?)[*_]{0,2}[ \t]*"
    r"[:：][*_]{0,2}[ \t]*(?P<value>[^\s|][^|\n]{0,120}?)[ \t]*$",
    re.MULTILINE,
)


def mined(text: str) -> Iterator[Mined]:
    """What the labelled lines say of the document; only days, amounts, addresses and links, which cannot be misread."""
    for line in _LINE.finditer(text):
        name = predicate_of(line["label"])
        found = said(line["value"].strip("*_ ").strip("<>")) if name else None
        if name and found:
            yield Mined(name, *found, *quoted(text, line.start("label"), line.end("value")))
