"""The currencies that marks beside a number, or anywhere in a text, may mean."""

import re

from sophia.capabilities.knowledge.digits import SPACES
from sophia.core.currency import MINOR_DIGITS, WRITTEN, meant

SIGNS = "".join(sign for sign in WRITTEN if len(sign) == 1 and not sign.isalpha())
_MARK = re.compile(rf"[{re.escape(SIGNS)}]|[^\W\d_]+\.?")
BEFORE = re.compile(rf"([A-Za-z]{{0,3}}[{re.escape(SIGNS)}]|[^\W\d_]+\.?)[{SPACES}]?[-\u2212+]?$")
AFTER = re.compile(rf"[{SPACES}]?([{re.escape(SIGNS)}]|[^\W\d_]+\.?)")
REACH = 12
"""How far before a number its mark is looked for."""


def before(text: str, at: int) -> frozenset[str]:
    """What the mark that ends at `at` may mean."""
    found = BEFORE.search(text[max(0, at - REACH) : at])
    return mark(found[1]) if found else frozenset()


def after(text: str, at: int) -> frozenset[str]:
    """What the mark that begins at `at` may mean."""
    found = AFTER.match(text, at)
    return mark(found[1]) if found else frozenset()


def mark(written: str) -> frozenset[str]:
    """What a mark in running text may mean: a code only where it is written as one."""
    if written.upper() in MINOR_DIGITS and not written.isupper():
        return WRITTEN.get(written.casefold(), frozenset())
    return meant(written) or meant(written.rstrip("."))


def currencies(text: str) -> frozenset[str]:
    """Every currency that `text` may speak of anywhere."""
    return frozenset(code for written in _MARK.findall(text) for code in mark(written))
