"""What a claim says must stand in its quote: numbers, dates, amounts, identifiers and names, in any written form."""

import time
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.knowledge.support import supported, unsupported
from sophia.capabilities.knowledge.values import ValueType

HOLDS = [
    ("number", "1200.5", "a fee of 1,200.50 a month"),
    ("number", "1200.5", "a fee of 1.200,50 a month"),
    ("number", "1200.5", "a fee of 1200.5."),
    ("number", "1200.5", "eine Summe von 1'200.50, fällig"),
    ("number", "1200.5", "une somme de 1\u202f200,50"),
    ("number", "1200.50", "a fee of 1200.5"),
    ("integer", "1200", "1.200 Stück"),
    ("integer", "1200", "(1,200)"),
    ("integer", "-5", "at -5 degrees"),
    ("integer", "-5", "at \u22125 degrees"),
    ("integer", "-5", "a loss of (5)"),
    ("integer", "5", "pages 3-5"),
    ("integer", "-5", "minus 5 degrees"),
    ("integer", "2", "the lines 1,2,3"),
    ("text", "costs EUR 5", "5 euros"),
    ("integer", "12", "\u0661\u0662 pages"),
    ("integer", "12", "12kg of it"),
    ("integer", "12", "the 12th floor"),
    ("integer", "3", "three children"),
    ("integer", "21", "twenty-one pages"),
    ("integer", "2000000", "two million users"),
    ("integer", "5000000", "5M users"),
    ("integer", "5000000", "5 million users"),
    ("number", "0.12", "12 % of it"),
    ("number", "12", "12 % of it"),
    ("number", "1.5", "about 1½ pages"),
    ("integer", "1234567", "12,34,567 rupees"),
    ("integer", "2026", "on 12.03.2026"),
    ("integer", "2026", "on 2026-03-12"),
    ("number", "1200", "1.2e3 samples"),
    ("date", "2026-03-12", "on 12 March 2026 it"),
    ("date", "2026-03-12", "on March 12, 2026, it"),
    ("date", "2026-03-12", "on Mar. 12th 2026"),
    ("date", "2026-03-12", "the 12th of March, 2026"),
    ("date", "2026-03-12", "am 12.03.2026"),
    ("date", "2026-03-12", "am 12. März 2026"),
    ("date", "2026-03-12", "le 12 mars 2026"),
    ("date", "2026-03-12", "el 12 de marzo de 2026"),
    ("date", "2026-03-12", "2026-03-12"),
    ("date", "2026-03-12", "2026/3/12"),
    ("date", "2026-03-12", "20260312"),
    ("date", "2026-03-12", "at 2026-03-12T09:30:00Z"),
    ("date", "2026-03-12", "03/12/2026"),
    ("date", "2026-03-12", "12/03/2026"),
    ("date", "2026-03-12", "12.3.26"),
    ("date", "2026-03-12", "2026年3月12日"),
    ("date", "2026-03-12", "12-Mar-2026"),
    ("datetime", "2026-03-12T09:30:00+01:00", "at 2026-03-12T08:30:00Z"),
    ("datetime", "2026-03-12T09:30:00+01:00", "12 March 2026, 9:30 am"),
    ("datetime", "2026-03-12T09:30:00+01:00", "12.03.2026 um 09:30 Uhr"),
    ("datetime", "2026-03-12T15:00:00Z", "March 12, 2026 at 3 pm"),
    ("amount", "1200.50 EUR", "a fee of 1,200.50 EUR"),
    ("amount", "1200.50 EUR", "a fee of \u20ac1,200.50"),
    ("amount", "1200.50 EUR", "1.200,50 \u20ac netto"),
    ("amount", "1200.50 EUR", "EUR 1200.5"),
    ("amount", "5000000 USD", "$5 million"),
    ("amount", "5 USD", "costs US$5"),
    ("amount", "-5 EUR", "-\u20ac5"),
    ("amount", "12.30 EUR", "Amount (EUR): 12.30"),
    ("amount", "500 JPY", "500\u5186"),
    ("amount", "20 EUR", "twenty euros"),
    ("quantity", "12.5 kg", "weighs 12,5kg"),
    ("quantity", "12.5 kg", "weighs 12.5 kilograms"),
    ("quantity", "3 hours", "took 3 h"),
    ("quantity", "80 m\u00b2", "80 m\u00b2 of floor"),
    ("url", "https://example.com/a?b=1", "see https://example.com/a?b=1."),
    ("url", "https://example.com/", "see https://EXAMPLE.com for it"),
    ("url", "https://example.com/a", "(example.com/a)"),
    ("email", "anna@example.com", "mail <anna@example.com>, please"),
    ("email", "anna@example.com", "mail anna@EXAMPLE.com."),
    ("entity", "Anna Meyer", "says Anna Meyer's father"),
    ("entity", "Anna Meyer", "ANNA MEYER, Director"),
    ("entity", "Anna Meyer", "Anna\nMeyer"),
    ("entity", "東京", "私は東京に住んでいます"),
    ("text", "vegetarian", "she has not eaten meat since"),
    ("text", "in Berlin since 2019", "moved to Berlin in 2019"),
    ("text", "Berlin", "moved to Berlin"),
    ("text", "The fee is 1,200.50 EUR", "fee: \u20ac1.200,50"),
    ("text", "signed on 12 March 2026 by Zo\u00eb Meyer", "Zo\u00eb Meyer, 2026-03-12"),
    ("text", "uses parse_url of the lib.core", "calls parse_url in lib.core"),
    ("text", "fixed by CVE-2024-1234", "see CVE-2024-1234."),
    ("text", "Python 3.11.7", "runs Python 3.11.7 today"),
    ("text", "+49 170 1234567", "Tel. +49 (170) 123-4567"),
    ("text", "0049 170 1234567", "Tel. +491701234567"),
    ("text", "2019 - 2021", "2019\u20132021"),
    ("text", "(555) 123-4567", "call 555.123.4567"),
    ("text", "Engineer by training", "an engineer by trade"),
    ("text", "東京", "私は東京に住んでいます"),
    ("text", "write to anna@example.com", "anna@example.com"),
    ("text", "weighs 12kg", "12 kg"),
]

FAILS = [
    ("number", "1200.5", "a fee of 1,200.55"),
    ("integer", "12", "1200 pages"),
    ("integer", "12", "room A12"),
    ("integer", "12", "version 1.12.3"),
    ("integer", "102", "10\u00b2"),
    ("integer", "10", "10\u00b2"),
    ("integer", "5", "at -5 degrees"),
    ("integer", "-5", "pages 3-5"),
    ("integer", "5", "5 million users"),
    ("integer", "3", "nobody counted"),
    ("integer", "4", "4f9a2c"),
    ("integer", "12", "user12@example.com and 12@x.de"),
    ("number", "0.2", "0.20.1"),
    ("date", "2026-03-12", "on 12 March 2025"),
    ("date", "2026-03-12", "on 13 March 2026"),
    ("date", "2026-03-12", "on 12 March"),
    ("date", "2026-03-12", "in March 2026"),
    ("date", "2026-12-03", "am 12.03.2026"),
    ("date", "2026-03-12", "12 March 20261"),
    ("datetime", "2026-03-12T09:30:00+01:00", "at 2026-03-12T09:30:00Z"),
    ("datetime", "2026-03-12T09:30:00Z", "12 March 2026"),
    ("datetime", "2026-03-12T09:30:00Z", "12 March 2026, 9:30 pm"),
    ("datetime", "2026-03-12T09:30:00Z", "12 March 2026 at 13 pm, 25:00, 9:75"),
    ("datetime", "2026-03-12T09:30:00Z", "2026-03-12T99:30:00Z and 0001-01-01T00:00:00+10:00"),
    ("date", "2026-03-02", "on 30 February 2026"),
    ("integer", "5", "minus 5 degrees"),
    ("amount", "1200.50 EUR", "a fee of 1,200.50"),
    ("amount", "1200.50 EUR", "a fee of $1,200.50"),
    ("amount", "7 EUR", "EUR 5 and USD 7"),
    ("amount", "7 USD", "5 USD and 7 EUR"),
    ("amount", "5 ALL", "all 5 of them"),
    ("amount", "5 USD", "$5 million"),
    ("quantity", "12.5 kg", "12.5 g"),
    ("quantity", "12.5 kg", "12.5"),
    ("quantity", "12 m", "12 mm"),
    ("quantity", "12 m", "12 m\u00b2"),
    ("quantity", "12 MW", "12 mW"),
    ("url", "https://example.com/a", "https://example.com/ab"),
    ("url", "https://example.com/a", "https://example.com/A"),
    ("url", "https://example.com/", "https://example.com.evil.org/"),
    ("url", "https://example.com/", "http://example.com/"),
    ("email", "anna@example.com", "hanna@example.com"),
    ("email", "anna@example.com", "anna@example.com.evil.org"),
    ("email", "anna@example.com", "Anna@example.com"),
    ("entity", "Anna Meyer", "Anna Schmidt and Bob Meyer"),
    ("entity", "Anna Meyer", "Anna Meyerhold"),
    ("entity", "Anna Meyer", "anna meyer"),
    ("entity", "Jos\u00e9", "Jose"),
    ("entity", "Jose", "Jos\u00e9"),
    ("entity", "Jose", "Jose\u0301"),
    ("entity", "京都", "東京"),
    ("text", "in Berlin since 2019", "moved to Bern in 2019"),
    ("text", "in Berlin since 2019", "moved to Berlin in 2018"),
    ("text", "Berlin", "moved to berlin"),
    ("text", "lives with Anna Meyer", "Anna Schmidt and Bob Meyer"),
    ("text", "Microsoft bought it", "Google bought it"),
    ("text", "The Acme Group owns it", "The Acme Inc. owns it"),
    ("text", "uses parse_url", "calls parse_uri"),
    ("text", "fixed by CVE-2024-1234", "see CVE-2024-12345."),
    ("text", "Python 3.11.7", "Python 3.11.70"),
    ("text", "+49 170 1234567", "+49 170 1234568"),
    ("text", "1 . . . . . 2", "nothing of it"),
    ("text", "from 2019 - 2021", "in 2019"),
    ("text", "anna@example.com", "hanna@example.com"),
    ("text", "anna@example.com", "anna@example.com.evil.org"),
    ("text", "at https://example.com", "at https://example.com.evil.org"),
    ("text", "1,200.50 EUR", "1,200.50 USD"),
    ("text", "due 12 March 2026", "due 12 April 2026"),
    ("text", "大阪", "私は東京に住んでいます"),
    ("text", "write to anna@example.com", "write to bob@example.com"),
    ("text", "see example.com/a", "see example.com/b"),
    ("number", "1,200", "1,200"),
    ("datetime", "2026-03-12T09:30:00", "2026-03-12T09:30:00"),
]


@pytest.mark.guarantee("V3")
@pytest.mark.parametrize(("kind", "said", "quote"), HOLDS)
def test_what_the_quote_says_in_another_form_is_supported(kind: str, said: str, quote: str) -> None:
    assert unsupported(said, ValueType(kind), quote) is None
    assert supported(said, ValueType(kind), quote)


@pytest.mark.parametrize(("kind", "said", "quote"), FAILS)
def test_what_the_quote_does_not_say_is_not_supported_and_named(kind: str, said: str, quote: str) -> None:
    why = unsupported(said, ValueType(kind), quote)
    assert why
    assert why.endswith(".")
    assert not supported(said, ValueType(kind), quote)


amounts = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=2)


@given(amounts, amounts)
def test_a_number_is_supported_by_all_its_forms_and_by_no_other_number(number: Decimal, other: Decimal) -> None:
    english = f"{number:,.2f}"
    german = english.replace(",", " ").replace(".", ",").replace(" ", ".")
    for written in (english, german, f"{number:f}", english.replace(",", "'"), english.replace(",", "\u202f")):
        assert supported(f"{number:f}", ValueType.NUMBER, f"it is {written} now")
        assert supported(f"{number:f} EUR", ValueType.AMOUNT, f"it is {written} \u20ac now")
        if other != number:
            assert not supported(f"{other:f}", ValueType.NUMBER, f"it is {english} now")


@given(st.dates(date(1000, 1, 1)), st.dates(date(1000, 1, 1)))
def test_a_day_is_supported_by_all_its_forms_and_by_no_other_day(day: date, other: date) -> None:
    months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    name, year = months[day.month - 1], f"{day.year:04d}"
    for written in (
        day.isoformat(), f"{day.day} {name} {year}", f"{name} {day.day}, {year}",
        f"{day.day:02d}.{day.month:02d}.{year}",
        f"{name[:3]} {day.day}, {year}", f"{year}/{day.month}/{day.day}",
    ):  # fmt: skip
        assert supported(day.isoformat(), ValueType.DATE, f"It was on {written}, they said")
        if other != day:
            assert not supported(other.isoformat(), ValueType.DATE, f"It was on {written}, they said")


@given(st.integers(86_400, 4_102_444_800), st.integers(-14 * 60, 14 * 60))
def test_a_moment_is_the_same_in_every_offset(seconds: int, minutes: int) -> None:
    at = datetime.fromtimestamp(seconds, UTC)
    elsewhere = at.astimezone(timezone(timedelta(minutes=minutes)))
    assert supported(at.isoformat(), ValueType.DATETIME, f"at {elsewhere.isoformat()}.")
    assert not supported(at.isoformat(), ValueType.DATETIME, f"at {(elsewhere + timedelta(seconds=1)).isoformat()}.")


@given(st.text(max_size=60), st.sampled_from(ValueType), st.text(max_size=60))
def test_any_object_and_any_quote_get_a_verdict(said: str, kind: ValueType, quote: str) -> None:
    assert supported(said, kind, quote) == (unsupported(said, kind, quote) is None)


@pytest.mark.parametrize(
    "piece", ["1 ", "(1)", "12:30 ", "1/1/2020 ", "A", "a.b.", "EUR 5 ", "\u6771 ", "+1 (", "Ab. ", "a@"]
)
def test_a_verdict_takes_no_longer_for_what_was_made_to_be_slow(piece: str):
    said = (piece * 2000)[:2000]
    begin = time.process_time()
    for quote in (said[:300], "1 " * 150, "A " * 150):
        supported(said, ValueType.TEXT, quote)
    assert time.process_time() - begin < 3


@given(st.text(min_size=1, max_size=60))
def test_a_text_that_is_quoted_as_it_stands_is_supported(said: str) -> None:
    why = unsupported(said, ValueType.TEXT, f"before {said} after")
    assert why is None or "does not stand" not in why, why
