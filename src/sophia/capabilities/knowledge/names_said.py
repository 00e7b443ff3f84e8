"""Proper names in a claim's object, and whether a quote says them: letter for letter, accents and case included."""

import re
import unicodedata

_WORD = re.compile(r"[^\W\d_]+(?:['’\u2010-][^\W\d_]+)*\.?")
_BETWEEN = re.compile(
    r"[ \t\n\u00a0]+(?:(?:of|the|de|la|le|du|van|von|der|den|da|di|dos|y|e|und|and|&)[ \t\n\u00a0]+){0,2}"
)
_OPENING = (
    "a an the in on at by to of for from with as is are was were has have had he she it they we i his her its "
    "their this that these those there no not yes der die das ein eine er sie es im am le la les un une il "
    "elle on el los las"
)
_OPENERS = frozenset(_OPENING.split())


def stands(name: str, quote: str) -> bool:
    """Whether the quote holds `name` as whole words: as it is written, or all in capitals."""
    return any(_pattern(form).search(quote) is not None for form in {name, name.upper()})


def names_missing(text: str, quote: str) -> str | None:
    """The first proper name of `text` that the quote does not hold.

    In scripts without capitals every word counts, because no code can tell which of them is a name.
    """
    for name, opens in _names(text):
        if stands(name, quote):
            continue
        if opens and _pattern(name.casefold()).search(quote.casefold()):
            continue
        return name
    return None


def _names(text: str) -> list[tuple[str, bool]]:
    """Runs of capitalised words, and whether the run is one word that merely opens a sentence."""
    names: list[tuple[str, bool]] = []
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        first = words[at]
        if _caseless(first[0]):
            names.append((first[0].rstrip("."), False))
        elif first[0][0].isupper():
            last = at
            while last + 1 < len(words) and _continues(text, words[last], words[last + 1]):
                last += 1
            opening = _opens(text, first.start())
            run = text[first.start() : words[last].end()].rstrip(".")
            if opening and first[0].casefold() in _OPENERS:
                run = text[words[at + 1].start() : words[last].end()].rstrip(".") if last > at else ""
                opening = False
            if run:
                follows = words[last + 1][0] if last + 1 < len(words) else ""
                names.append((run, opening and last == at and bool(follows) and not first[0].isupper()))
            at = last
        at += 1
    return names


def _continues(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    return following[0][0].isupper() and text[word.end() : following.start()] in (" ", "\u00a0", "\n")


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".!?:\n"


def _caseless(word: str) -> bool:
    return unicodedata.category(word[0]) == "Lo"


def _pattern(name: str) -> re.Pattern[str]:
    """What finds `name` as whole words; white space of any kind and length parts them."""
    parts = [re.escape(part) for part in name.split()]
    left = r"(?<![^\W_])" if name[:1].isalnum() and not _caseless(name) else ""
    right = r"(?![^\W_])" if name[-1:].isalnum() and not _caseless(name[-1]) else ""
    return re.compile(left + r"\s+".join(parts) + right)
