"""Time as Sophia keeps it: integer microseconds UTC inside, RFC 3339 on the wire."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from sophia.core.errors import BadArguments

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
"""The times that can be told in UTC."""
SECOND = 1_000_000
MINUTE = 60 * SECOND
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)")


class Clock(Protocol):
    """Where the time comes from. Passed in, so that tests can turn it."""

    def now(self) -> int:
        """Microseconds since 1970-01-01 UTC by the wall clock."""

    def awake(self) -> int:
        """Microseconds since boot, sleep included; the wall clock does not move it."""

    def boot_id(self) -> str:
        """A text that changes with every boot of the machine."""


def rfc3339(at: int) -> str:
    """`at` as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    return (EPOCH + timedelta(microseconds=at)).isoformat(timespec="milliseconds")[:-6] + "Z"


def parsed(text: str, argument: str) -> int:
    """The microseconds that an RFC 3339 text with an offset names; `BadArguments` for a naive or malformed one."""
    if not _RFC3339.fullmatch(text):
        raise BadArguments(
            f"{argument} must be an RFC 3339 time with an offset, like 2026-03-12T09:30:00Z.", argument=argument
        )
    whole, _, rest = text.upper().replace(" ", "T").partition(".")
    digits = re.match(r"\d*", rest)
    fraction, offset = (digits[0], rest[digits.end() :]) if rest and digits else ("", whole[19:])
    try:
        moment = datetime.fromisoformat(whole[:19] + offset.replace("Z", "+00:00"))
    except ValueError:
        raise BadArguments(f"{argument} is not a time that exists.", argument=argument) from None
    if not FIRST <= moment <= LAST:
        raise BadArguments(f"{argument} must lie between the years 1 and 9999 in UTC.", argument=argument)
    return int((moment - EPOCH) / timedelta(microseconds=1)) + int(fraction[:6].ljust(6, "0") or 0)


def parsed_date(text: str, argument: str) -> date:
    """The day that `YYYY-MM-DD` names; `BadArguments` else."""
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise BadArguments(f"{argument} must be a date like 2026-03-12.", argument=argument)
