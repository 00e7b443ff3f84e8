"""The numbers that stand in a text, each whole, with everything that its writing may mean."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from sophia.capabilities.knowledge import composed, magnitudes, marks, number_words, set_apart, units
from sophia.capabilities.knowledge.digits import SPACES, WRITTEN, parted, plain_digits, whole

_HEAD = re.compile(
    rf"(?P<word>\b(?:{number_words.HEAD}|an?|half|three quarters)\b)"
    r"|(?<!\w)(?P<vulgar>[\u00bc-\u00be\u2150-\u215e])|(?=\.?\d)",
    re.IGNORECASE,
)
_NO_NUMBER = tuple("_@\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079")
_TOKEN = re.compile(r"\w*(?:[.,:/-]\w+)*")
_GLUED = re.compile(r"[^\W\d_]*")
_ORDINAL = frozenset(("st", "nd", "rd", "th", "er", "ère", "e", "ème", "º", "ª", "x"))
_PERCENT = re.compile(rf"[{SPACES}]?(?:%|percent\b|per cent\b|Prozent\b|pour cent\b|por ciento\b|per cento\b)")
_RANGE = re.compile(rf"[{SPACES}]?(?:-|\u2013|\u2014|\bto\b|\bbis\b|\bà\b|\bor\b)[{SPACES}]?")
_OTHER_TONGUE = re.compile(
    r"\b(?:cents?|mille|vingts?|trente|quarante|cinquante|soixante|dix)[ -](?:et )?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at `start:end`, what it may be, and the currencies that the mark beside it may mean.

    `bare` is what its digits alone may be, up to `bare_end`: `5` of `5M`, which may be metres. One without readings is
    part of something that is no number.
    """

    start: int
    end: int
    readings: frozenset[Fraction]
    currencies: frozenset[str]
    bare: frozenset[Fraction] = frozenset()
    bare_end: int = 0
    percent: bool = False
    factor: Fraction = Fraction(1)


def numerals(text: str) -> list[Numeral]:
    """Every number in `text`, in order. What is part of an identifier, a day, a version or an address is none."""
    text = plain_digits(text)
    found: list[Numeral] = []
    for start, end, year in list(set_apart.spans(text)):
        text = text[:start] + "\x00" * (end - start) + text[end:]
        if year is not None:
            found.append(Numeral(start, end, frozenset({Fraction(year)}), frozenset()))
    return sorted([*found, *_shared(text, list(_written(text)))], key=lambda numeral: numeral.start)


def _written(text: str) -> Iterator[Numeral]:
    at = 0
    while head := _HEAD.search(text, at):
        at = head.start()
        numeral, end = _at(text, at, head)
        if numeral is not None:
            yield numeral
        at = max(end, at + 1)


def _at(text: str, at: int, head: re.Match[str]) -> tuple[Numeral | None, int]:
    """The number at `at`, and where to look on."""
    marked = marks.before(text, at)
    if head["word"]:
        if _foreign(text, at):
            return None, head.end()
        bare, end, factor = composed.words(text, at)
    elif head["vulgar"]:
        bare, end, factor = {parted(head["vulgar"])}, head.end(), Fraction(1)
    else:
        digits = WRITTEN.match(text, at)
        if digits is None:
            return None, at + 1
        bare, end = whole(text, digits)
        if _glued_before(text, at, marked):
            return None, _token_end(text, at)
        if text[end : end + 1] in _NO_NUMBER:
            return None, _token_end(text, end)
        if not _readable(text, end):
            unit = Numeral(at, end, frozenset(), frozenset(), frozenset(bare), end)
            return (unit if bare else None), _token_end(text, end)
        factor = Fraction(1)
    if not bare:
        return None, max(end, head.end())
    return _numeral(text, at, (bare, end, factor), marked)


def _numeral(
    text: str, start: int, said: tuple[set[Fraction], int, Fraction], marked: frozenset[str]
) -> tuple[Numeral, int]:
    bare, bare_end, factor = said
    readings, end = set(bare), bare_end
    if factor == 1:
        readings, end, factor = composed.sized(text, bare, bare_end, marked)
    currencies = marked or marks.after(text, end)
    percent = _PERCENT.match(text, end) is not None
    if percent:
        readings |= {each / 100 for each in readings}
    before, after = text[max(0, start - composed.NEAR) : start], text[end : end + 1]
    signed, bare_signed = _signed(readings, before, after), _signed(bare, before, after)
    numeral = Numeral(
        start, end, frozenset(signed), currencies, frozenset(bare_signed), bare_end, percent, factor
    )  # fmt: skip
    return numeral, end


def _shared(text: str, found: list[Numeral]) -> list[Numeral]:
    """The numbers, those of a range with the size, the currency and the percent that stand beside only one of them."""
    for at, (first, second) in enumerate(pairwise(found)):
        between = text[first.end : second.start]
        mark = marks.BEFORE.search(between)
        gap = between[: mark.start()] if mark and marks.mark(mark[1]) else between
        joined = _RANGE.fullmatch(gap) or (
            gap == " and " and composed.BETWEEN.search(text[max(0, first.start - composed.NEAR) : first.start])
        )
        if not joined or not first.readings or not second.readings:
            continue
        readings = first.readings
        if first.factor == 1 and second.factor >= 1000:
            readings = frozenset(each * second.factor for each in first.bare)
        if second.percent and not first.percent:
            readings |= {each / 100 for each in readings}
        found[at] = replace(
            first, readings=readings, percent=first.percent or second.percent,
            currencies=first.currencies or second.currencies,
        )  # fmt: skip
        found[at + 1] = replace(second, currencies=second.currencies or first.currencies)
    return found


def _glued_before(text: str, at: int, marked: frozenset[str]) -> bool:
    """Whether what stands before makes the digits part of something that is no number: `A12`, `v1.2`, `a/5`."""
    before = text[max(0, at - 2) : at]
    if not before:
        return False
    letter = (before[-1].isalpha() or before[-1] in "_#@") and not marked
    return (letter and not _caseless(before[-1])) or (len(before) > 1 and before[-1] in "./" and before[-2].isalnum())


def _readable(text: str, end: int) -> bool:
    """Whether what is glued to the digits leaves them a number: `12kg`, `3rd`, `5M` do, `4f9a` and `4G` do not."""
    glued = _GLUED.match(text, end)
    letters = glued[0] if glued else ""
    if not letters or _caseless(letters[0]):
        return True
    if text[end + len(letters) : end + len(letters) + 1].isdigit():
        return False
    return (
        letters.lower() in _ORDINAL
        or letters in magnitudes.LETTERS
        or letters.lower() in magnitudes.LARGE
        or units.known(letters)
        or bool(marks.mark(letters))
        or (letters[0] in magnitudes.LETTERS and bool(marks.mark(letters[1:])))
    )


def _token_end(text: str, end: int) -> int:
    found = _TOKEN.match(text, end)
    return found.end() if found else end


def _foreign(text: str, at: int) -> bool:
    """Whether the word belongs to a number of another language (`vingt-six`) or to a compound."""
    before = text[max(0, at - composed.NEAR) : at]
    if before.endswith(("_", "'", "’")):
        return True
    compound = re.search(r"(\w+)-$", before)
    if compound and compound[1].lower() not in ("mid", "pre", "post", "under", "over", "sub", "the"):
        return True
    return _OTHER_TONGUE.search(before) is not None


def _caseless(character: str) -> bool:
    return unicodedata.category(character) == "Lo"


def _signed(readings: set[Fraction], before: str, after: str) -> set[Fraction]:
    """The readings with the sign before them: `-5` is not 5, `3-5` is not -5, and `(5)` may be either."""
    negative = {-reading for reading in readings}
    if re.search(rf"\b(?:minus|negative)[{SPACES}]$", before, re.IGNORECASE):
        return negative
    if before.endswith("(") and after.startswith(")"):
        return readings | negative
    found = re.search(
        rf"(.?)([-\u2212\u2013])([{SPACES}]?)(?:[A-Z]{{0,3}}[{re.escape(marks.SIGNS)}]?[{SPACES}]?)$", before
    )
    if found is None or (found[1] and (found[1].isalnum() or found[1] in ").]\x00%")):
        return readings
    return readings | negative if found[3] or found[2] == "\u2013" else negative


def extent(text: str, numeral: Numeral) -> tuple[int, int]:
    """The offsets of the numeral with what is glued to it (`12kg`, `3rd`) and the currency beside it."""
    start, end = numeral.start, numeral.end
    if numeral.currencies:
        before, after = marks.BEFORE.search(text[max(0, start - marks.REACH) : start]), marks.AFTER.match(text, end)
        if before and marks.mark(before[1]):
            start -= len(before[0])
        elif after and marks.mark(after[1]):
            end = after.end()
    glued = _GLUED.match(text, end)
    return start, glued.end() if glued else end
