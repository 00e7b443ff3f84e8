"""The times of facts: a day or a moment, as it is given and as it is told."""

from sophia.core.clock import parsed, parsed_date, rfc3339
from sophia.core.errors import BadArguments

_MIDNIGHT = "T00:00:00Z"
_FIRST, _LAST = parsed("1000-01-01" + _MIDNIGHT, ""), parsed("9999-12-31" + _MIDNIGHT, "")
_DAY = 86_400_000_000


def given(text: str, argument: str) -> int:
    """The microseconds of a date (its beginning in UTC) or an RFC 3339 time; `BadArguments` for anything else."""
    whole = parsed_date(text, argument).isoformat() + _MIDNIGHT if len(text) == len("2026-03-12") else text
    at = parsed(whole, argument)
    if not _FIRST <= at <= _LAST:
        raise BadArguments(f"{argument} must lie between the years 1000 and 9999.", argument=argument)
    return at


def optional(text: str | None, argument: str) -> int | None:
    """The same for what may be left out."""
    return None if text is None else given(text, argument)


def told(at: int | None) -> str | None:
    """The date where `at` is the very beginning of one, else the RFC 3339 time; `None` for none."""
    if at is None:
        return None
    return rfc3339(at)[:10] if at % _DAY == 0 else rfc3339(at)
