"""What a miner finds: a statement, and the span of the text that says it."""

import re
import unicodedata
from dataclasses import dataclass

from sophia.capabilities.knowledge.values import ValueType

MAX_QUOTE = 300
MAX_LABEL = 40
MAX_WORDS = 4
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom or what a statement is about."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Mined:
    """One statement of a text. Without a subject it is about the document itself."""

    predicate: str
    object: str
    object_type: ValueType
    quote: str
    start: int
    subject: Subject | None = None
    alone: bool = True
    """Whether the text says it as the one value that there is, as a label does, and not as one of several."""


def predicate_of(label: str) -> str | None:
    """A label of a text, such as `Due date`, as a predicate; `None` for one that names nothing."""
    folded = unicodedata.normalize("NFKD", label.casefold().replace("ß", "ss"))
    words = _WORD.findall("".join(character for character in folded if not unicodedata.combining(character)))
    if not words or len(words) > MAX_WORDS or len(label) > MAX_LABEL or words[0][0].isdigit():
        return None
    name = "_".join(words)
    return KNOWN.get(name, name)


KNOWN = {
    "due": "due_on", "due_date": "due_on", "deadline": "due_on", "payable_by": "due_on", "signed": "signed_on",
    "date_signed": "signed_on", "start": "starts_on", "starts": "starts_on", "start_date": "starts_on",
    "begins": "starts_on", "end": "ends_on", "ends": "ends_on", "end_date": "ends_on", "expires": "ends_on",
    "valid_until": "ends_on", "date": "dated_on", "founded": "founded_on", "born": "born_on", "died": "died_on",
    "date_of_birth": "born_on", "license": "licence", "mail": "email", "e_mail": "email", "email_address": "email",
    "homepage": "website", "url": "website", "web": "website", "tags": "category", "tag": "category",
    "categories": "category", "aliases": "also_known_as", "alias": "also_known_as", "authors": "author",
}  # fmt: skip
"""What labels are usually called, by the predicate that is meant."""


def quoted(text: str, start: int, end: int) -> tuple[str, int]:
    """The line that `start:end` stands in, to be quoted, and where it begins; a long one is cut to what stands around.

    The white space at its ends is left out.
    """
    begins = max(0, start - MAX_QUOTE - 1)
    first = max(text.rfind("\n", begins, start) + 1, begins)
    last = text.find("\n", end, end + MAX_QUOTE + 1)
    last = min(len(text), end + MAX_QUOTE + 1) if last < 0 else last
    if last - first > MAX_QUOTE:
        before = max(0, (MAX_QUOTE - (end - start)) // 2)
        first, last = max(first, start - before), min(last, end + before)
    while first < start and text[first].isspace():
        first += 1
    while last > end and text[last - 1].isspace():
        last -= 1
    return text[first:last], first
