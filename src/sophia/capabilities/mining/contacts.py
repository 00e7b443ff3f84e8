"""People with their addresses: `Anna Meier <anna@example.com>` and `[Anna Meier](mailto:anna@example.com)`.

An address is somebody's where it stands directly behind the name: what else a line says may be of anybody.
"""

import re
import unicodedata
from collections.abc import Iterator

from sophia.capabilities.knowledge.values import Value, ValueType, parsed
from sophia.capabilities.mining.mined import Mined, Subject, quoted
from sophia.capabilities.mining.prose import Prose

MAX_BEFORE = 120
"""How far before an address its name may begin."""
MAX_WORDS = 4
_MAIL = r"(?P<mail>[^\s@<>\"(),:;\\\[\]\0]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8})"
_ANGLED = re.compile(rf"<{_MAIL}>")
_LINKED = re.compile(rf"\]\(mailto:{_MAIL}\)")
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]|\.(?=\w)){0,39}\.?")
_BEFORE = (
    "author authors by cc bcc code contact copyright email e-mail from mail maintainer maintained original reply-to"
    " sender to written ask call tell ping hi hello hey dear thanks thank see with and or for via on behalf of"
    " frage hallo liebe lieber danke von an und oder kontakt team support sales info office"
)
_NO_NAME = frozenset(_BEFORE.split())
"""Words that stand before a name and are none of it."""
_TITLES = frozenset({"dr.", "prof.", "mr.", "mrs.", "ms.", "herr", "frau", "mr", "mrs", "ms", "dr", "prof"})
_PARTICLES = frozenset(
    {"von", "van", "de", "der", "den", "da", "di", "du", "dos", "del", "la", "le", "al", "ter", "zu"}
)
_SHARED = (
    "info support sales office contact hello team admin help helpdesk billing noreply no-reply donotreply"
    " notifications notification postmaster webmaster abuse security press jobs careers list lists mailer-daemon"
    " service kontakt reply"
)
_NOBODYS = frozenset(_SHARED.split())
"""Local parts of addresses that are read by whoever is there."""


def mined(prose: Prose) -> Iterator[Mined]:
    """Who has which address."""
    text = prose.bare
    if "@" not in text:
        return
    for pattern, opens in ((_ANGLED, None), (_LINKED, "[")):
        for found in pattern.finditer(text):
            address = parsed(ValueType.EMAIL, found["mail"])
            local = found["mail"].partition("@")[0].casefold()
            begins = max(
                text.rfind("\n", max(0, found.start() - MAX_BEFORE), found.start()) + 1, found.start() - MAX_BEFORE, 0
            )
            name = _name(text[begins : found.start()], opens, local)
            if isinstance(address, Value) and name and local.partition("+")[0] not in _NOBODYS:
                start = begins + text[begins : found.start()].rfind(name)
                yield Mined("email", address.text, ValueType.EMAIL, *quoted(prose.text, start, found.end()),
                            Subject(name, "person"))  # fmt: skip


def _name(before: str, opens: str | None, local: str) -> str | None:
    """The name that stands right before an address, from two words to MAX_WORDS; `None` for nobody's that is sure."""
    if opens is not None:
        return _whole(before.rpartition(opens)[2]) if opens in before else None
    before = before.removesuffix(" ")
    if before.endswith('"'):
        return _whole(before[:-1].rpartition('"')[2])
    words = before.split(" ")
    taken: list[str] = []
    while words and _is_name(words[-1]) and not (taken and _ends(words[-1])):
        taken.insert(0, words.pop())
    while taken and (taken[0] in _PARTICLES or taken[0].casefold() in _TITLES):
        taken.pop(0)
    opening = not words or not words[-1] or not words[-1][-1].isalnum()
    if opening and len(taken) > 2 and _plain(taken[0]) not in _plain(local):
        return None  # `Ask Anna Meier <…>`: the first of three may be no part of the name
    return _whole(" ".join(taken))


def _whole(name: str) -> str | None:
    """The name without titles; `None` where it is none."""
    words = name.split(" ")
    while words and words[0].casefold() in _TITLES:
        words.pop(0)
    return " ".join(words) if 2 <= len(words) <= MAX_WORDS and all(map(_is_name, words)) else None


def _is_name(word: str) -> bool:
    if _WORD.fullmatch(word) is None or word.casefold().rstrip(".") in _NO_NAME - _PARTICLES:
        return False
    return word in _PARTICLES or not word[0].islower()


def _ends(word: str) -> bool:
    """Whether a sentence may end with the word."""
    return word.endswith(".") and len(word) > 2 and word.casefold() not in _TITLES


def _plain(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if c.isalnum())
