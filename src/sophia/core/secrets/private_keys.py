"""Private keys as they are written in armour, whole or cut off."""

import re
from collections.abc import Iterator

from sophia.core.secrets.span import Span

KIND = "private_key"
_MARK = "PRIVATE KEY"
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_BODY = re.compile(r"[A-Za-z0-9+/=]{20,}")
_LINES = re.compile(r"(?:(?:\\[nr]|[\s>\"'+,#*|])*(?:[A-Za-z0-9+/=]{16,}))+")
_HEADERS = re.compile(r"(?:(?:\\[nr]|\s)+[A-Za-z-]{3,20}: [^\n\\]{1,200})*")


def armoured(text: str) -> Iterator[Span]:
    """The private keys in the text, each from the line that begins it to the one that ends it, or as far as it goes."""
    if _MARK not in text:
        return
    begins = list(_BEGIN.finditer(text))
    ends = _END.finditer(text)
    end = next(ends, None)
    for n, begin in enumerate(begins):
        beyond = begins[n + 1].start() if n + 1 < len(begins) else len(text)
        while end is not None and end.start() < begin.end():
            end = next(ends, None)
        if end is not None and end.start() < beyond:
            if _BODY.search(text, begin.end(), end.start()):
                yield Span(begin.start(), end.end(), KIND)
            continue
        headers = _HEADERS.match(text, begin.end(), beyond)
        lines = _LINES.match(text, headers.end() if headers else begin.end(), beyond)
        if lines:
            yield Span(begin.start(), lines.end(), KIND)
