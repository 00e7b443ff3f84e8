"""Numbers in English words: `one hundred and five`, `two and a half`, `three quarters`."""

import re
from fractions import Fraction

_UP = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_BELOW_TWENTY = _UP.split()
_BY_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = dict(zip(_BY_TENS.split(), range(20, 100, 10), strict=True))
_SMALL = {word: value for value, word in enumerate(_BELOW_TWENTY)}
_IN_ORDER = "first second third fourth fifth sixth seventh eighth ninth"
_ORDINALS = dict(zip(_IN_ORDER.split(), range(1, 10), strict=True))
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4, "fifth": 5,
    "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "sevenths": 7, "eighth": 8, "eighths": 8, "ninth": 9,
    "ninths": 9, "tenth": 10, "tenths": 10, "hundredth": 100, "hundredths": 100, "thousandth": 1000,
    "thousandths": 1000,
}  # fmt: skip
_TEN, _UNIT = "|".join(_TENS), "|".join(_BELOW_TWENTY[1:10])
HEAD = rf"(?:{'|'.join((*_TENS, *_BELOW_TWENTY))})"
"""The first word of a number; `a` counts as one before `hundred`, and `half` before `a million`."""
_COUNT = re.compile(
    rf"(?:({_TEN})(?:[- ]({_UNIT}|{'|'.join(_ORDINALS)}))?|({'|'.join(_BELOW_TWENTY)}))\b", re.IGNORECASE
)
_TEEN = "|".join(_BELOW_TWENTY[10:])
_YEAR = re.compile(rf"({_TEEN}|twenty) (?=(?:{_TEN}|{_TEEN})\b)", re.IGNORECASE)
_PART = re.compile(rf"[- ]({'|'.join(sorted(_PARTS, key=len, reverse=True))})\b", re.IGNORECASE)
_AND_PART = re.compile(r"[ -]and[ -](a|one|three|two)[ -](half|third|thirds|quarter|quarters)\b", re.IGNORECASE)
_POINT = re.compile(rf" point((?:[ -](?:{'|'.join(_BELOW_TWENTY)}|{_TEN}|oh))+)\b", re.IGNORECASE)
HALF = re.compile(r"(half|(?:a )?quarter|three quarters)(?: of)?(?: an?)?(?=[ ])", re.IGNORECASE)


def count(text: str, at: int) -> tuple[set[Fraction], int] | None:
    """The number below a hundred, the fraction, the decimal or the year that begins at `at`, and where it ends."""
    year = _YEAR.match(text, at)
    if year:
        rest = _COUNT.match(text, year.end())
        century = _below_hundred(year[1].lower(), None)
        return {
            Fraction(century * 100 + (_below_hundred(*_said(rest)) if rest else 0))
        }, rest.end() if rest else year.end()
    found = _COUNT.match(text, at)
    if found is None:
        return None
    value, end = Fraction(_below_hundred(*_said(found))), found.end()
    point, part, added = _POINT.match(text, end), _PART.match(text, end), _AND_PART.match(text, end)
    if point:
        return {value + _decimals(point[1].lower())}, point.end()
    if part:
        parted = value / _PARTS[part[1].lower()]
        # A quarter is a part, and three months.
        return {parted, value} if part[1].lower().startswith("quarter") else {parted}, part.end()
    if added:
        return {value + with_part(added)}, added.end()
    return {value}, end


def and_part(text: str, at: int) -> tuple[Fraction, int] | None:
    """`and a half` at `at`."""
    found = _AND_PART.match(text, at)
    return (with_part(found), found.end()) if found else None


def parts(text: str, at: int) -> tuple[Fraction, int] | None:
    """What `thirds` or `thousandths` at `at` multiply by, and where they end: a quarter of a year is none."""
    found = _PART.match(text, at)
    if found is None or not found[1].endswith("s") or found[1].lower() == "quarters":
        return None
    return Fraction(1, _PARTS[found[1].lower()]), found.end()


def with_part(found: re.Match[str]) -> Fraction:
    """What `and a half` adds."""
    return Fraction({"a": 1, "one": 1, "two": 2, "three": 3}[found[1].lower()], _PARTS[found[2].lower()])


def _said(found: re.Match[str]) -> tuple[str, str | None]:
    return (found[1] or found[3]).lower(), found[2] and found[2].lower()


def _below_hundred(first: str, second: str | None) -> int:
    value = _TENS.get(first, _SMALL.get(first, 0))
    return value + (0 if second is None else _SMALL.get(second, _ORDINALS.get(second, 0)))


def _decimals(said: str) -> Fraction:
    digits = "".join(str(_TENS.get(word, _SMALL.get(word, 0))) for word in re.split("[ -]", said.strip()))
    return Fraction(f"0.{digits}")
