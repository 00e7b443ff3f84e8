"""Times are read exactly, and only when they say which moment they mean."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from sophia.core.clock import EPOCH, MINUTE, SECOND, parsed, parsed_date, rfc3339
from sophia.core.errors import BadArguments

MOMENTS = st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9998, 12, 31))  # noqa: DTZ001 (made aware below)
OFFSETS = st.integers(min_value=-14 * 60, max_value=14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))


def test_a_time_is_told_in_utc_with_milliseconds():
    assert rfc3339(0) == "1970-01-01T00:00:00.000Z"
    assert rfc3339(SECOND + 1_999) == "1970-01-01T00:00:01.001Z"
    assert rfc3339(-1) == "1969-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01t00:01:00z", MINUTE),
        ("1970-01-01 00:00:01+00:00", SECOND),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T19:00:00.5-05:00", SECOND // 2),
        ("1970-01-01T00:00:00.000001Z", 1),
        ("1970-01-01T00:00:00.123456789Z", 123_456),
        ("1970-01-01T01:00:00.25+01:00", SECOND // 4),
    ],
)
def test_an_rfc_3339_time_is_read_to_the_microsecond(text: str, at: int):
    assert parsed(text, "since") == at


@given(moment=MOMENTS, offset=OFFSETS)
def test_any_moment_with_an_offset_is_read_as_itself(moment: datetime, offset: timezone):
    aware = moment.replace(tzinfo=offset)
    assert EPOCH + timedelta(microseconds=parsed(aware.isoformat(), "since")) == aware


@given(milliseconds=st.integers(min_value=-30_000_000_000_000, max_value=200_000_000_000_000))
def test_what_is_told_is_read_back(milliseconds: int):
    assert parsed(rfc3339(milliseconds * 1000), "since") == milliseconds * 1000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03-12",
        "2026-03-12T09:30:00",
        "2026-03-12T09:30Z",
        "now",
        "2026-03-12T09:30:00.Z",
        "２026-03-12T09:30:00Zx",
    ],
)
def test_a_naive_or_malformed_time_is_refused_with_an_example(text: str):
    with pytest.raises(BadArguments, match="RFC 3339 time with an offset") as refused:
        parsed(text, "since")
    assert refused.value.argument == "since"


@pytest.mark.parametrize("text", ["2026-02-30T00:00:00Z", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00+99:00"])
def test_a_time_that_does_not_exist_is_refused(text: str):
    with pytest.raises(BadArguments, match="not a time that exists"):
        parsed(text, "until")


def test_a_day_is_read():
    assert parsed_date("2024-02-29", "day") == date(2024, 2, 29)


@pytest.mark.parametrize("text", ["2026-02-29", "20260312", "2026-3-12", "2026-03-12T00:00:00Z", ""])
def test_what_is_no_day_is_refused(text: str):
    with pytest.raises(BadArguments, match="must be a date like"):
        parsed_date(text, "day")


def test_the_epoch_is_utc():
    assert EPOCH.tzinfo is UTC


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+10:00", "9999-12-31T23:59:59-00:01"])
def test_a_time_that_no_year_has_in_utc_is_refused(text: str):
    with pytest.raises(BadArguments, match="between the years 1 and 9999"):
        parsed(text, "since")
