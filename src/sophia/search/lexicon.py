"""Words as they are indexed and asked for: one preparation for both, so that what was written is found."""

import re
import unicodedata
from collections.abc import Iterator

from sophia.core.letters import folded, plain

TOKENIZER = "porter unicode61 remove_diacritics 2"
"""The tokenizer of every FTS5 table whose text comes from here."""
MAX_QUERY = 1000
MAX_TERMS = 48
MAX_PARTS = 4000
"""How many parts of identifiers one indexed text adds at most."""

_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3100-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U000323af"
)
_RUN = re.compile(f"[{_CJK}]+")
_PICTURE = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HUMPED = re.compile(r"[A-Z](?:(?<=[a-z0-9][A-Z])|[A-Z][a-z])")
"""What every identifier with humps has, and hardly any other text: it is looked for first, being looked for fast.

It begins with what few characters are, so that most of a text is only passed over."""
_CAMEL = re.compile(r"\b[A-Za-z0-9]*[a-z0-9][A-Z][A-Za-z0-9]*\b|\b[A-Z]{2,}[a-z][A-Za-z0-9]*\b")
_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r'["\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d]([^"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d]*)'
                     r'["\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d]')  # fmt: skip
_COMPOUND = re.compile(r"\w+(?:[._/:@#+-]+\w+)+")

_STOP = (
    "a about all also am an and any are as at be been but by can could did do does for from had has have he "
    "her his how i if in into is it its me my no not of on or our she should so some such than that the their "
    "them then there these they this those to us was we were what when where which who whom whose why will "
    "with would you your der die das und oder ist ein eine den dem des im mit von zu le la les des un une et "
    "ou est dans el los las y en"
)
STOP_WORDS = frozenset(_STOP.split())


def indexed(text: str) -> str:
    """What the full-text index is given for `text`.

    Folded, runs of CJK as overlapping pairs in their places, then the parts of `camelCase` and the last characters of
    CJK runs, so that a part, a pair or one character finds it.
    """
    written = plain(text)
    if written.isascii() and _HUMPED.search(written) is None:
        return written.lower()  # as most texts are: nothing is to be added
    extras = dict.fromkeys(_parts(written))
    return _folded(written) + "".join(f" \n{part}" for part in list(extras)[:MAX_PARTS])


def match_query(text: str, column: str = "body") -> str | None:
    """The FTS5 query of what a user typed, asked of one column; `None` where nothing in it can be searched for.

    The column keeps words such as `ent1` away from the scope tokens beside it. Everything is quoted: no operator,
    column or wildcard of FTS5 can be written by a user. Passages in quotation marks have to occur as they are; of the
    other words, stop words aside, each counts where it occurs.
    """
    phrases, rest = _asked(text)
    required = list(dict.fromkeys(filter(None, map(_phrase, phrases))))[: MAX_TERMS // 2]
    optional = list(dict.fromkeys(alternative for word in _words(rest) for alternative in _alternatives(word)))
    optional = optional[: MAX_TERMS - len(required)]
    either = " OR ".join([*required, *optional])
    if not either:
        return None
    whole = f"({' AND '.join(required)}) AND ({either})" if required and optional else " AND ".join(required) or either
    return f"{column} : ({whole})"


def terms(text: str) -> tuple[str, ...]:
    """The words and phrases of what a user typed, folded, as a passage is searched for to be shown."""
    phrases, rest = _asked(text)
    parts = [part for word in _words(rest) for part in (word, *_HUMP.split(word))]
    whole = [folded(word) for word in (*phrases, *parts)]
    return tuple(dict.fromkeys(word.strip() for word in whole if _WORD.search(word)))[:MAX_TERMS]


def _folded(text: str) -> str:
    """The plain `text` folded, with every run of CJK written as its overlapping pairs and every picture as a word."""
    if text.isascii():
        return text.lower()
    pictured = _PICTURE.sub(lambda found: f" u{ord(found[0]):x} ", text)
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", folded(pictured))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _parts(text: str) -> Iterator[str]:
    """What is indexed beside the text: the humps of an identifier, side by side, and each CJK run's last character."""
    if _HUMPED.search(text):
        for found in _CAMEL.finditer(text):
            yield folded(_HUMP.sub(" ", found[0]))
    if text.isascii():
        return
    for run in _RUN.finditer(text):
        if len(run[0]) > 1:
            yield run[0][-1]


def _asked(text: str) -> tuple[list[str], str]:
    """The passages in quotation marks, and the rest."""
    asked = plain("".join(" " if unicodedata.category(c) in ("Cc", "Cs") else c for c in text[:MAX_QUERY]))
    return _QUOTED.findall(asked), _QUOTED.sub(" ", asked)


def _words(text: str) -> list[str]:
    """The words to search for, in order. A stop word leaves, unless it is written as an acronym (`IT`, `US`)."""
    shouted = not any(c.islower() for c in text)
    kept: list[str] = []
    for word in text.split():
        bare = word.strip("'\u2018\u2019.,;:!?()[]{}<>*^~|&=%\\")
        acronym = bare.isupper() and len(bare) > 1 and not shouted
        if bare and (acronym or bare.casefold() not in STOP_WORDS):
            kept.append(bare)
    return kept


def _alternatives(word: str) -> Iterator[str]:
    """The quoted terms that a word may be found by: itself, and its humps side by side."""
    if _COMPOUND.fullmatch(word) or not _CAMEL.search(word):
        whole = _phrase(word)
        if whole:
            yield whole
        return
    for form in (word, _HUMP.sub(" ", word)):
        whole = _phrase(form)
        if whole:
            yield whole


def _phrase(text: str) -> str | None:
    """`text` as one quoted term of FTS5; one CJK character finds the pairs that begin with it, too."""
    term = " ".join(_folded(text).replace('"', " ").split())
    if not any(character.isalnum() for character in term):
        return None
    alone = len(term) == 1 and _RUN.fullmatch(term)
    return f'"{term}"*' if alone else f'"{term}"'
