"""The numbers that stand in a text, each with everything that its writing may mean."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from sophia.core.currency import MINOR_DIGITS, WRITTEN, meant

_SPACES = " \u00a0\u2009\u202f"
_NUMERAL = re.compile(rf"\d+(?:[.,'’_]\d+|(?<!\d\d\d\d)[{_SPACES}]\d{{3}}(?!\d))*(?:[eE][+-]?\d{{1,2}}(?!\w))?")
_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS_IN_ORDER = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: Decimal(index) for index, word in enumerate(_UNITS)}
_TENS = {word: Decimal(20 + 10 * index) for index, word in enumerate(_TENS_IN_ORDER)}
_WORDED = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[- ]({'|'.join(_UNITS[1:10])}))?|({'|'.join(_WORDS)}))\b", re.IGNORECASE
)
_LARGE = {
    "hundred": 2, "thousand": 3, "tausend": 3, "tsd": 3, "million": 6, "millions": 6, "millionen": 6, "mio": 6, "mn": 6,
    "mln": 6, "billion": 9, "billions": 9, "bn": 9, "mrd": 9, "milliarde": 9, "milliarden": 9, "milliards": 9,
    "trillion": 12, "trillions": 12, "tn": 12,
}  # fmt: skip
_LETTER = {"k": 3, "K": 3, "m": 6, "M": 6, "b": 9, "B": 9}
_AFTER = re.compile(rf"[{_SPACES}-]?([^\W\d_]+)")
_SIGNS = "".join(sign for sign in WRITTEN if len(sign) == 1 and not sign.isalpha())
_MARK = re.compile(rf"[{re.escape(_SIGNS)}]|[^\W\d_]+\.?")
_GLUED = re.compile(r"[^\W\d_]*")
_MARK_BEFORE = re.compile(rf"([A-Za-z]{{0,3}}[{re.escape(_SIGNS)}]|[^\W\d_]+\.?)[{_SPACES}]?[-\u2212+]?$")
_MARK_AFTER = re.compile(rf"[{_SPACES}]?([{re.escape(_SIGNS)}]|[^\W\d_]+\.?)")
_NEAR = 24
"""How far around a number its sign, its currency and its `million` are looked for."""
_SUPERSCRIPT = "\u00b2\u00b3\u00b9\u2070\u2074\u2075\u2076\u2077\u2078\u2079"


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at `start:end`, what it may be, and the currencies that the mark beside it may mean."""

    start: int
    end: int
    readings: frozenset[Decimal]
    currencies: frozenset[str]


def plain_digits(text: str) -> str:
    """`text` with the decimal digits of every script as ASCII ones; offsets stay."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c for c in text)


def numerals(text: str) -> list[Numeral]:
    """Every number in `text`, in order. What is part of an identifier, a version or an address is none."""
    text = plain_digits(text)
    return sorted([*_digits(text), *_words(text)], key=lambda numeral: numeral.start)


def _digits(text: str) -> Iterator[Numeral]:
    for found in _NUMERAL.finditer(text):
        start, end = found.span()
        before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
        marked = _currency_before(before)
        if _glued(before, after, marked):
            continue
        readings = _readings(found[0])
        fraction = unicodedata.numeric(after[0], None) if after and unicodedata.category(after[0]) == "No" else None
        if fraction is not None:
            readings = {reading + Decimal(str(fraction)) for reading in readings}
        readings = _sized(readings, after)
        yield Numeral(start, end, frozenset(_signed(readings, before, after)), marked or _currency_after(after))


def _words(text: str) -> Iterator[Numeral]:
    for found in _WORDED.finditer(text):
        tens, unit, alone = found.groups()
        number = _WORDS[alone.lower()] if alone else _TENS[tens.lower()] + _WORDS[(unit or "zero").lower()]
        before, after = text[max(0, found.start() - _NEAR) : found.start()], text[found.end() : found.end() + _NEAR]
        readings = _signed(_sized({number}, after), before, after)
        yield Numeral(found.start(), found.end(), frozenset(readings), _currency_after(after))


def _glued(before: str, after: str, marked: frozenset[str]) -> bool:
    """Whether the digits belong to something that is no number: `A12`, `v1.2`, `10²`, `0x1f`, `4f9a`."""
    letter_before = bool(before) and (before[-1].isalpha() or before[-1] in "_#@") and not marked
    return (
        (letter_before and not _caseless(before[-1]))
        or (len(before) > 1 and before[-1] in "./" and before[-2].isalnum())
        or after[:1] in (*_SUPERSCRIPT, "_", "@")
        or re.match(r"[^\W\d_]+\d", after) is not None
    )


def _caseless(character: str) -> bool:
    return unicodedata.category(character) == "Lo"


def _readings(written: str) -> set[Decimal]:
    written, _, power = written.replace("E", "e").partition("e")
    readings = _plain_readings(written)
    return {reading.scaleb(int(power)) for reading in readings} if power else readings


def _plain_readings(written: str) -> set[Decimal]:
    if any(space in written for space in _SPACES):
        joined = _plain_readings(re.sub(f"[{_SPACES}]", "", written))
        return joined.union(*(_plain_readings(part) for part in re.split(f"[{_SPACES}]", written)))
    written = re.sub("['’_]", "", written)
    parts = re.split("[.,]", written)
    marks = re.findall("[.,]", written)
    if len(set(marks)) == 2 and marks.count(marks[-1]) == 1 and all(len(part) == 3 for part in parts[1:-1]):
        return {Decimal("".join(parts[:-1]) + "." + parts[-1])}
    if len(marks) <= 1:
        readings = {Decimal(".".join(parts))}
        if marks and len(parts[1]) == 3 and len(parts[0]) <= 3 and not parts[0].startswith("0"):
            readings.add(Decimal("".join(parts)))
        return readings
    if len(set(marks)) == 1 and len(parts[0]) <= 3 and len(parts[-1]) == 3 and {len(p) for p in parts[1:]} <= {2, 3}:
        return {Decimal("".join(parts))}
    if set(marks) == {","}:
        return {Decimal(part) for part in parts}
    return {Decimal(parts[2])} if [len(part) for part in parts[1:]] == [2, 4] else set()


def _sized(readings: set[Decimal], after: str) -> set[Decimal]:
    """The readings with the `million`, `k` or `%` that follows."""
    if re.match(rf"[{_SPACES}]?(?:%|percent|per cent|Prozent|pour cent)", after):
        return readings | {reading.scaleb(-2) for reading in readings}
    found = _AFTER.match(after)
    if found is None:
        return readings
    if found[1].lower() in _LARGE:
        return {reading.scaleb(_LARGE[found[1].lower()]) for reading in readings}
    if found[1] in _LETTER:
        return readings | {reading.scaleb(_LETTER[found[1]]) for reading in readings}
    return readings


def _signed(readings: set[Decimal], before: str, after: str) -> set[Decimal]:
    """The readings with the sign before them: `-5` is not 5, `3-5` is not -5, and `(5)` may be either."""
    negative = {-reading for reading in readings}
    if re.search(rf"\bminus[{_SPACES}]$", before, re.IGNORECASE):
        return negative
    if before.endswith("(") and after.startswith(")"):
        return readings | negative
    found = re.search(
        rf"(.?)([-\u2212\u2013])([{_SPACES}]?)(?:[A-Z]{{0,3}}[{re.escape(_SIGNS)}]?[{_SPACES}]?)$", before
    )
    if found is None or (found[1] and (found[1].isalnum() or found[1] in ").]")):
        return readings
    return readings | negative if found[3] or found[2] == "\u2013" else negative


def _currency_before(before: str) -> frozenset[str]:
    found = _MARK_BEFORE.search(before[-12:])
    return _currencies(found[1]) if found else frozenset()


def _currency_after(after: str) -> frozenset[str]:
    found = _MARK_AFTER.match(after)
    if found and (found[1].lower().rstrip(".") in _LARGE or found[1] in _LETTER):
        found = _MARK_AFTER.match(after[found.end() :])
    return _currencies(found[1]) if found else frozenset()


def _currencies(mark: str) -> frozenset[str]:
    """What a mark in running text may mean: a code only where it is written as one."""
    if mark.upper() in MINOR_DIGITS and not mark.isupper():
        return WRITTEN.get(mark.casefold(), frozenset())
    return meant(mark) or meant(mark.rstrip("."))


def currencies(text: str) -> frozenset[str]:
    """Every currency that `text` may speak of anywhere."""
    return frozenset(code for mark in _MARK.findall(text) for code in _currencies(mark))


def extent(text: str, numeral: Numeral) -> tuple[int, int]:
    """The offsets of the numeral with what is glued to it (`12kg`, `3rd`) and the currency beside it."""
    start, end = numeral.start, numeral.end
    if numeral.currencies:
        before, after = (
            _MARK_BEFORE.search(text[max(0, start - 12) : start]),
            _MARK_AFTER.match(text[end : end + _NEAR]),
        )
        if before and _currencies(before[1]):
            start -= len(before[0])
        elif after and _currencies(after[1]):
            end += after.end()
    glued = _GLUED.match(text, end)
    return start, glued.end() if glued else end
