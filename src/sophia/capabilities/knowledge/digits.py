"""Numbers in digits: how they are grouped, and everything that their writing may mean."""

import re
import unicodedata
from fractions import Fraction

SPACES = " \u00a0\u2009\u202f"
WRITTEN = re.compile(
    rf"(?<![\w.)\]])\.\d+(?![.,]?\d)"
    rf"|(?:\d{{1,3}}(?P<group>[{SPACES}])\d{{3}}(?:(?P=group)\d{{3}})*(?!\d)(?:[.,]\d+)?|\d+(?:[.,'’_]\d+)*)"
    rf"(?:[eE][+-]?\d{{1,2}}(?!\w))?"
)
"""A number in digits, with all that groups them."""
VULGAR = re.compile(rf"[{SPACES}]?([\u00bc-\u00be\u2150-\u215e])")
_SLASHED = re.compile(r"/(\d{1,9})(?![\w/]|[.,]\d)")
_MIXED = re.compile(rf"[{SPACES}-](\d{{1,4}})/(\d{{1,4}})(?![\w/]|[.,]\d)")
_POWER = re.compile(
    rf"(?:(?<=10)(?:\^|\*\*)|[{SPACES}]?[×x*·⋅][{SPACES}]?10(?:\^|\*\*))([+\-\u2212]?\d{{1,2}})(?!\d)"
    rf"|(?:(?<=10)|[{SPACES}]?[×x*·⋅][{SPACES}]?10)([\u207a\u207b]?[\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+)"
)
_RAISED = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207a\u207b\u2212", "0123456789+--"
)
_LONGEST_POWER = 3


def plain_digits(text: str) -> str:
    """`text` with the decimal digits of every script as ASCII ones; offsets stay."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() and not c.isascii() else c for c in text)


def whole(text: str, found: re.Match[str]) -> tuple[set[Fraction], int]:
    """What the digits and the fraction or power behind them may be, and where that ends. No reading: no number."""
    start, end = found.span()
    readings = _read(found[0])
    power = _POWER.match(text, end)
    if power and (text[end].isspace() or text[end] in "×x*·⋅" or found[0] == "10"):
        exponent = (power[1] or power[2]).translate(_RAISED)
        base = {Fraction(1)} if found[0] == "10" and power[0][0] not in f"{SPACES}×x*·⋅" else readings
        fits = len(exponent) <= _LONGEST_POWER
        return {each * Fraction(10) ** int(exponent) for each in base} if fits else set(), power.end()
    if text[end : end + 1] in ("^", "*") and re.match(r"(?:\^|\*\*)[+-]?\d", text[end:]):
        return set(), end + len(re.match(r"\W+\d+", text[end:])[0])  # type: ignore[index]
    slashed = _SLASHED.match(text, end)
    if slashed:
        return _fraction(text[start:end], slashed[1]), slashed.end()
    mixed, vulgar = _MIXED.match(text, end), VULGAR.match(text, end)
    if mixed and 0 < int(mixed[1]) < int(mixed[2]):
        return {each + Fraction(int(mixed[1]), int(mixed[2])) for each in readings}, mixed.end()
    if vulgar:
        return {each + parted(vulgar[1]) for each in readings}, vulgar.end()
    return readings, end


def parted(sign: str) -> Fraction:
    """What one of the signs `½` is."""
    return Fraction(unicodedata.numeric(sign)).limit_denominator(100)


def _fraction(upper: str, lower: str) -> set[Fraction]:
    if not upper.isdigit() or int(lower) == 0:
        return set()
    if len(lower) == 4 and len(upper) <= 2 and 1 <= int(upper) <= 12:
        return {Fraction(int(lower))}  # a month of a year: the year can be spoken of alone
    return {Fraction(int(upper[-40:]), int(lower))}


def _read(written: str) -> set[Fraction]:
    written, _, power = written.replace("E", "e").partition("e")
    return {Fraction(each) * Fraction(10) ** int(power or 0) for each in _plain(written)}


def _plain(written: str) -> set[str]:
    """The numbers, as Python writes them, that these digits may be."""
    written = re.sub(f"[{SPACES}]", "", written)
    if written.startswith("."):
        return {f"0{written}"}
    if re.search("['’_]", written):
        if not re.fullmatch(r"\d{1,3}(?:(?:['’]\d{3})+|(?:_\d{3})+)(?:[.,]\d+)?", written):
            return set()
        written = re.sub("['’_]", "", written)
    parts, marks = re.split("[.,]", written), re.findall("[.,]", written)
    if len(set(marks)) == 2 and marks.count(marks[-1]) == 1 and all(len(part) == 3 for part in parts[1:-1]):
        return {"".join(parts[:-1]) + "." + parts[-1]}
    if len(marks) <= 1:
        grouped = marks and len(parts[1]) == 3 and len(parts[0]) <= 3 and not parts[0].startswith("0")
        return {".".join(parts), *(("".join(parts),) if grouped else ())}
    if len(set(marks)) == 1 and len(parts[0]) <= 3 and len(parts[-1]) == 3 and {len(p) for p in parts[1:]} <= {2, 3}:
        return {"".join(parts)}
    return set(parts) if set(marks) == {","} else set()
