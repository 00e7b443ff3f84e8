"""What multiplies the number before it: `million`, `k`, `dozen`, `万`."""

import re
from fractions import Fraction

from sophia.capabilities.knowledge.digits import SPACES

_POWERS = {
    2: "hundred hundert",
    3: "thousand tausend tsd mille mil mila duizend тыс тысяч тысячи тысяча",
    5: "lakh lakhs",
    6: "million millions millionen mio mn mln mm millón millones milione milioni milhão milhões miljoen miljoner млн "
    "миллион миллиона миллионов",
    7: "crore crores",
    9: "billion billions bn mrd mld milliarde milliarden milliard milliards miliardo miliardi mds bilhão bilhões "
    "miljard miljarder млрд миллиард миллиарда миллиардов",
    12: "trillion trillions tn trn billionen",
}
LARGE = {word: Fraction(10) ** power for power, words in _POWERS.items() for word in words.split()} | {
    "dozen": Fraction(12), "dutzend": Fraction(12),
}  # fmt: skip
_MEASURE_TOO = "mm"
"""A unit as well: it multiplies where money stands beside it."""
_CHARACTERS = {
    "百": 2, "千": 3, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12, "천": 3, "백": 2,
}  # fmt: skip
LETTERS = {"k": 3, "K": 3, "m": 6, "M": 6, "b": 9, "B": 9, "T": 12}
_WORD = re.compile(rf"[{SPACES}-]?([^\W\d_]+)(?![\w])")
_LETTER = re.compile(rf"([{SPACES}]?)([kKmMbBT])(?![^\W]|[²³/])")
_GROUP = re.compile(rf"[{SPACES}]?([{''.join(_CHARACTERS)}])")


def word(text: str, at: int, *, money: bool = False) -> tuple[Fraction, int] | None:
    """What the word or the character at `at` multiplies by, and where it ends."""
    found = _GROUP.match(text, at)
    if found:
        return Fraction(10) ** _CHARACTERS[found[1]], found.end()
    found = _WORD.match(text, at)
    name = found[1].lower() if found else ""
    if found is None or name not in LARGE or (name == _MEASURE_TOO and not money):
        return None
    return LARGE[name], found.end()


def letter(text: str, at: int) -> tuple[Fraction, int, bool] | None:
    """What the single letter at `at` may multiply by, where it ends, and whether it surely does.

    `5M` and `5k` are numbers; `5 m` and `5m` may be metres.
    """
    found = _LETTER.match(text, at)
    if found is None:
        return None
    return Fraction(10) ** LETTERS[found[2]], found.end(), not found[1] and found[2] in "kKMBb"
