"""What holds digits and is no number: days, times of day, versions, identifiers, numbers of telephones and books."""

import re
from collections.abc import Iterator

from sophia.capabilities.knowledge import dates

_NO_NAME = "mid|pre|post|early|late|since|about|circa|approx|ca|top|under|over|plus|minus|age|aged|ende|anfang|mitte"
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December|Januar|Februar|März|Mai|"
    "Juni|Juli|Oktober|Dezember|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Okt|Nov|Dec|Dez|janvier|février|mars|avril|mai|"
    "juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    "septiembre|octubre|noviembre|diciembre"
)
_APART = (
    # A time of day, or a ratio.
    re.compile(r"(?<![\w.,])\d{1,5}(?::\d{1,5})+(?!\d)|(?<![\w.,:])\d{1,2}\s?(?:[ap]\.?m\b|Uhr\b|o['’]clock\b)"),
    # A port.
    re.compile(r"(?<=[\w\]]):\d{2,5}(?=/|\s*$)"),
    re.compile(r"\b0[xX][0-9a-fA-F]+\b"),
    # The number of a book, an account, a telephone.
    re.compile(r"(?<![\w-])\d+(?:-\d+){2,}(?![\w-])"),
    # `GPT-4`, `CVE-2024-1234`
    re.compile(rf"(?<![\w.,-])(?!(?i:{_NO_NAME})-)(?:(?=[^\W\d])\w*[A-Z]\w*-)+\d\w*(?:[.-]\w+)*"),
    # A decade.
    re.compile(r"(?<![\w.])(?:1\d|20)\d0s\b"),
    # A day of a month, of no year.
    re.compile(rf"(?<![\w.,])\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of| de)?[ \u00a0-](?:{_MONTHS})\b"),
    re.compile(rf"\b(?:{_MONTHS})\.?[ \u00a0-]\d{{1,2}}(?:(?:st|nd|rd|th)\b|(?=\s*(?:[.,;:)!?]\D|[.,;:)!?]?$)))"),
)
_YEAR = re.compile(r"\d{4}")


def spans(text: str) -> Iterator[tuple[int, int, int | None]]:
    """Where such things stand, and the year of a day: a year may be spoken of alone, a day of the month may not."""
    for day in dates.days(text):
        if text[day.start : day.end].isdigit():
            continue  # `20260312` may be as many
        years = {each.year for each in day.readings}
        written = _YEAR.search(text, day.start, day.end)
        yield day.start, day.end, years.pop() if written and len(years) == 1 else None
    for pattern in _APART:
        for found in pattern.finditer(text):
            yield *found.span(), None
