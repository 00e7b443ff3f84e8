"""Numbers of several parts, composed to their full value: `one hundred and five`, `2 million 300 thousand`."""

import re
from fractions import Fraction

from sophia.capabilities.knowledge import magnitudes, marks, number_words
from sophia.capabilities.knowledge.digits import SPACES, WRITTEN, whole

NEAR = 24
"""How far before a number its sign, and what parts it from another, are looked for."""
BETWEEN = re.compile(r"\bbetween $", re.IGNORECASE)
_AND = re.compile(r",? and |, |[ -]")
_ARTICLE = re.compile("an?(?= )", re.IGNORECASE)


def words(text: str, at: int, limit: Fraction | None = None) -> tuple[set[Fraction], int, Fraction]:
    """The number in words at `at`, composed to its full value; below `limit` where that is one's part of another."""
    half = number_words.HALF.match(text, at)
    size = magnitudes.word(text, half.end()) if half else None
    if half and size:
        part = Fraction({"half": 2, "three quarters": 3}.get(half[1].lower(), 1), 4)
        return {part * size[0]}, size[1], size[0]
    counted = number_words.count(text, at)
    if counted is None:
        article = _ARTICLE.match(text, at)
        if article is None or magnitudes.word(text, article.end()) is None:
            return set(), at, Fraction(1)
        counted = {Fraction(1)}, article.end()
    return _composed(text, at, counted, limit, adds=True)


def _composed(
    text: str, start: int, counted: tuple[set[Fraction], int], limit: Fraction | None, *, adds: bool
) -> tuple[set[Fraction], int, Fraction]:
    """The number with the `hundred`s and `million`s behind it, and what is added to those."""
    (readings, end), last, factor = counted, Fraction(1), Fraction(1)
    alone = BETWEEN.search(text[max(0, start - NEAR) : start]) is not None
    while True:
        size = magnitudes.word(text, end)
        if size is not None:
            if limit is not None and any(each * size[0] >= limit for each in readings):
                break
            readings, end, last = {each * size[0] for each in readings}, size[1], size[0]
            factor *= size[0]
            part = number_words.and_part(text, end)
            if part is not None:
                readings, end = {each + part[0] * size[0] for each in readings}, part[1]
            continue
        added = _added(text, end, last, alone=alone) if adds and last >= 100 else None
        if added is None:
            break
        readings, end, last = {each + more for each in readings for more in added[0]}, added[1], Fraction(1)
    return readings, end, factor


def _added(text: str, at: int, last: Fraction, *, alone: bool) -> tuple[set[Fraction], int] | None:
    """What is added to a number that `last` multiplied: `and five` of `one hundred and five`."""
    joint = _AND.match(text, at)
    if joint is None or ("and" in joint[0] and (alone or last > 1000)) or number_words.count(text, joint.end()) is None:
        return None
    more, end, _ = words(text, joint.end(), last)
    least = 100 if joint[0] == ", " else 0
    following = magnitudes.word(text, end)
    if not more or any(not least <= each < last for each in more) or (following is not None and following[0] <= last):
        return None
    return more, end


def sized(text: str, readings: set[Fraction], end: int, marked: frozenset[str]) -> tuple[set[Fraction], int, Fraction]:
    """A number in digits with the `million` or the `k` that follows, and what those are followed by."""
    part, parts = number_words.and_part(text, end), number_words.parts(text, end)
    if part is not None:
        readings, end = {each + part[0] for each in readings}, part[1]
    if parts is not None:
        return {each * parts[0] for each in readings}, parts[1], Fraction(1)
    single = magnitudes.letter(text, end)
    if single is not None:
        factor, after, surely = single
        scaled = {each * factor for each in readings}
        if surely or marked or marks.after(text, after):
            return scaled, after, factor
        return readings | scaled, end, Fraction(1)
    composed, end, factor = _composed(text, end, (readings, end), None, adds=False)
    size = magnitudes.word(text, end, money=True)
    if size is not None and (marked or marks.after(text, size[1])):
        return {each * size[0] for each in readings}, size[1], size[0]
    more = WRITTEN.match(text, end + 1) if factor >= 1000 and text[end : end + 1] in SPACES and text[end:] else None
    following = magnitudes.word(text, more.end()) if more else None
    if more and following and following[0] < factor:
        added, _ = whole(text, more)
        return {a + b * following[0] for a in composed for b in added}, following[1], factor
    return composed, end, factor
