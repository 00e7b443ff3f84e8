"""The days and times of day that stand in a text, each with everything that its writing may mean."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from sophia.capabilities.knowledge.digits import plain_digits

_MONTHS = (
    "january jan januar jänner janvier janv enero ene gennaio gen januari janeiro",
    "february feb februar février fevrier févr febrero febbraio februari fevereiro fev",
    "march mar märz maerz mrz mars marzo maart mrt março marco",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag mei maio",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago augustus",
    "september sept sep septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
)
_NUMBER_OF = {name: at for at, names in enumerate(_MONTHS, 1) for name in names.split()}
_MONTH = "|".join(sorted(_NUMBER_OF, key=len, reverse=True))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?"
_YEAR = r"(?P<year>\d{4})"
_NAMED = (
    re.compile(
        rf"(?<![\w]){_DAY}(?: of| de)?[ \u00a0.-]*(?P<month>{_MONTH})\.?,?(?: de| of)?[ \u00a0-]*{_YEAR}(?!\w)",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w)(?P<month>{_MONTH})\.?[ \u00a0-]*{_DAY},?[ \u00a0-]+{_YEAR}(?!\w)", re.IGNORECASE),
    re.compile(rf"(?<!\w){_YEAR}[ ,-]+(?P<month>{_MONTH})\.?[ -]*{_DAY}(?!\w)", re.IGNORECASE),
)
_YEAR_FIRST = re.compile(r"(?<![\w.])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<![\w.,-])((?:19|20)\d\d)(\d\d)(\d\d)(?=T\d|\W|$)")
_EAST_ASIAN = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
_DAY_OR_MONTH_FIRST = re.compile(
    r"(?<![\w.])(\d{1,2})([-/.])[ \u00a0]?(\d{1,2})\2[ \u00a0]?(\d{4}|\d\d)(?![\w]|[./-]\d)"
)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:\s?[Zz]|\s?[+-]\d\d:?\d\d)")
_TIME = re.compile(
    r"(?<![\d:.])(\d{1,2})(?:[:.h](\d\d))(?::(\d\d))?(?:\.\d+)?\s*(?P<half>[ap]\.?m\b)?(?![\d:])"
    r"|(?<![\d:.])(?P<hour>\d{1,2})\s*(?P<only>[ap]\.?m\b|Uhr\b|o'clock\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day at `start:end`, and which it may be: `01/02/2026` may be two."""

    start: int
    end: int
    readings: frozenset[date]


def days(text: str) -> list[Day]:
    """Every whole date in `text`. A date without its day or its year is none."""
    text = plain_digits(text)
    found: list[Day] = []
    for start, end, triples in _written(text):
        readings = frozenset(day for triple in triples for day in _real(*triple))
        if readings and not any(start < other.end and other.start < end for other in found):
            found.append(Day(start, end, readings))
    return sorted(found, key=lambda day: day.start)


def instants(text: str) -> frozenset[datetime]:
    """Every time in `text` that says its own offset, in UTC."""
    moments: set[datetime] = set()
    for written in _INSTANT.findall(plain_digits(text)):
        iso = re.sub(r"\s(?=[Zz+-])", "", written).upper().replace("Z", "+00:00")
        with suppress(ValueError, OverflowError):
            moments.add(datetime.fromisoformat(iso).astimezone(UTC))
    return frozenset(moments)


def times(text: str) -> frozenset[time]:
    """Every time of day in `text` that says no offset, to the minute or the second."""
    found: set[time] = set()
    for match in _TIME.finditer(_INSTANT.sub(" ", plain_digits(text))):
        hour = int(match[1] or match["hour"])
        half = (match["half"] or match["only"] or "").lower().replace(".", "")
        if half in ("am", "pm"):
            if not 1 <= hour <= 12:
                continue
            hour = hour % 12 + (12 if half == "pm" else 0)
        if hour < 24 and int(match[2] or 0) < 60 and int(match[3] or 0) < 60:
            found.add(time(hour, int(match[2] or 0), int(match[3] or 0)))
    return frozenset(found)


def holds_moment(text: str, moment: datetime) -> bool:
    """Whether `text` says that moment.

    With its offset, or else its day and time by the clock of the moment's offset or of UTC.
    """
    if moment.astimezone(UTC) in instants(text):
        return True
    rest = _INSTANT.sub(" ", plain_digits(text))
    on = {day for found in days(rest) for day in found.readings}
    at = times(rest)
    clocks = (moment, moment.astimezone(UTC))
    return any(clock.date() in on and clock.replace(tzinfo=None, microsecond=0).time() in at for clock in clocks)


def _written(text: str) -> Iterator[tuple[int, int, list[tuple[int, int, int]]]]:
    for pattern in _NAMED:
        for found in pattern.finditer(text):
            month = _NUMBER_OF[found["month"].lower()]
            yield *found.span(), [(int(found["year"]), month, int(found["day"]))]
    for pattern in (_EAST_ASIAN, _COMPACT):
        for found in pattern.finditer(text):
            yield *found.span(), [(int(found[1]), int(found[2]), int(found[3]))]
    for found in _YEAR_FIRST.finditer(text):
        yield *found.span(), [(int(found[1]), int(found[3]), int(found[4]))]
    for found in _DAY_OR_MONTH_FIRST.finditer(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        years = [year] if len(found[4]) == 4 else [1900 + year, 2000 + year]
        orders = [(first, second)] if found[2] == "." else [(first, second), (second, first)]
        yield *found.span(), [(each, month, day) for each in years for day, month in orders]


def _real(year: int, month: int, day: int) -> Iterator[date]:
    """The day, where there is such a day."""
    with suppress(ValueError):
        yield date(year, month, day)
