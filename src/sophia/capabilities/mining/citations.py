"""What a text cites by an identifier that says so itself: DOI, arXiv, ISBN, RFC."""

import re
from collections.abc import Iterator

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.mined import Mined, quoted
from sophia.capabilities.mining.prose import Prose

_DOI = re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s\"'<>|,;\[\]{}\0]{1,200}")
_ARXIV = re.compile(r"(?i:arxiv)[:/ ](?:abs/)?(?P<id>\d{4}\.\d{4,5}(?:v\d+)?)")
_RFC = re.compile(r"(?<!\w)RFC ?\d{2,5}(?!\d)")
_ISBN = re.compile(r"ISBN(?:-1[03])?:? ?(?P<id>(?:97[89][- ]?)?\d(?:[- ]?\d){8}[- ]?[\dX])(?!\d)")


def mined(prose: Prose) -> Iterator[Mined]:
    """What the document cites, each once."""
    seen: set[str] = set()
    for identifier, start, end in _identifiers(prose.bare):
        if identifier not in seen:
            seen.add(identifier)
            yield Mined("cites", identifier, ValueType.TEXT, *quoted(prose.text, start, end), alone=False)


def _identifiers(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _DOI.finditer(text):
        identifier = found[0].rstrip(".):*_`")
        yield identifier, found.start(), found.start() + len(identifier)
    for found in _ARXIV.finditer(text):
        yield found["id"], *found.span()
    for found in _RFC.finditer(text):
        yield found[0], *found.span()
    for found in _ISBN.finditer(text):
        if _holds(found["id"]):
            yield found["id"], *found.span()


def _holds(isbn: str) -> bool:
    """Whether the check digit is right (ISO 2108)."""
    digits = [10 if c == "X" else int(c) for c in isbn if c not in "- "]
    if len(digits) == 10:
        return sum(weight * digit for weight, digit in zip(range(10, 0, -1), digits, strict=True)) % 11 == 0
    return len(digits) == 13 and sum(digit * (3 if n % 2 else 1) for n, digit in enumerate(digits)) % 10 == 0
