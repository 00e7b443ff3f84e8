"""A value has one canonical text for its type, and what cannot be read in one way only is refused."""

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.knowledge.values import MAX_TEXT, BadValue, Value, ValueType, decimal, parsed

SAID = [
    ("text", "  cafe\u0301  ", "caf\u00e9"),
    ("text", "two\nlines", "two\nlines"),
    ("integer", "1200", "1200"),
    ("integer", "-7", "-7"),
    ("integer", "1 200 000", "1200000"),
    ("integer", "12.0", "12"),
    ("integer", "\u0661\u0662", "12"),
    ("number", "1200.50", "1200.5"),
    ("number", "1,200.50", "1200.5"),
    ("number", "1.200,50", "1200.5"),
    ("number", "1'200.50", "1200.5"),
    ("number", "1\u202f200,50", "1200.5"),
    ("number", "1,234,567", "1234567"),
    ("number", "12,5", "12.5"),
    ("number", "-0.0", "0"),
    ("number", "\u22125", "-5"),
    ("number", "1e3", "1000"),
    ("number", ".5", "0.5"),
    ("date", "2026-03-12", "2026-03-12"),
    ("date", "2024-02-29", "2024-02-29"),
    ("datetime", "2026-03-12T09:30:00+01:00", "2026-03-12T08:30:00.000Z"),
    ("datetime", "2026-03-12t09:30:00.5z", "2026-03-12T09:30:00.500Z"),
    ("amount", "12.3 EUR", "12.30 EUR"),
    ("amount", "EUR 12.30", "12.30 EUR"),
    ("amount", "\u20ac12.30", "12.30 EUR"),
    ("amount", "-\u20ac1,200.50", "-1200.50 EUR"),
    ("amount", "1.200,50 \u20ac", "1200.50 EUR"),
    ("amount", "us$5", "5.00 USD"),
    ("amount", "500 jpy", "500 JPY"),
    ("amount", "1.234 KWD", "1.234 KWD"),
    ("amount", '{"amount": "12.30", "currency": "EUR"}', "12.30 EUR"),
    ("amount", "-0 EUR", "0.00 EUR"),
    ("quantity", "12.50 kg", "12.5 kg"),
    ("quantity", "5km/h", "5 km/h"),
    ("quantity", "3  square  metres", "3 square metres"),
    ("url", "HTTPS://Example.COM:443", "https://example.com/"),
    ("url", "http://example.com:8080/A?b=C#d", "http://example.com:8080/A?b=C#d"),
    ("url", "urn:isbn:0451450523", "urn:isbn:0451450523"),
    ("url", "http://[::1]:9/x", "http://[::1]:9/x"),
    ("email", "Anna.Meyer@Example.COM", "Anna.Meyer@example.com"),
    ("email", "mailto:a@b.co", "a@b.co"),
    ("entity", "Anna Meyer", "Anna Meyer"),
]

REFUSED = [
    ("text", ""), ("text", " \n"), ("text", "x" * (MAX_TEXT + 1)), ("text", "a\0b"), ("text", "a\x1b[31m"),
    ("text", "\ud800"), ("integer", "1,200"), ("integer", "1.5"), ("integer", "twelve"), ("integer", "9" * 41),
    ("number", "1,200"), ("number", "NaN"), ("number", "Infinity"), ("number", "1e999"), ("number", "12,34,5"),
    ("number", "1.2.3"), ("number", "--1"), ("number", "1 2"), ("date", "2026-02-30"), ("date", "12.03.2026"),
    ("date", "2026-3-12"), ("date", "2026-03-12T00:00:00Z"), ("datetime", "2026-03-12T09:30:00"),
    ("datetime", "2026-03-12"), ("datetime", "2026-03-12T25:00:00Z"), ("datetime", "0001-01-01T00:00:00+14:00"),
    ("datetime", "tomorrow"), ("amount", "12.30"), ("amount", "EUR"), ("amount", "$5"), ("amount", "5 XXZ"),
    ("amount", "1,200 EUR"), ("amount", "12.345 EUR"), ("amount", "1.5 JPY"),
    ("amount", '{"amount": 12, "currency": "EUR"}'),
    ("amount", '{"amount": "1"}'), ("amount", "{" * 1500), ("amount", "5 EUR USD"), ("quantity", "12"),
    ("quantity", "kg"),
    ("quantity", "12 " + "k" * 41), ("url", "example.com"), ("url", "https://"), ("url", "https://a b"),
    ("url", "javascript:alert(1)"), ("url", "https://u:secret@example.com"), ("url", "http://a:99999/"),
    ("url", "urn:"),
    ("email", "anna"), ("email", "a@b"), ("email", "a b@c.de"), ("email", "a@b.de, c@d.ef"), ("email", "a@b..de"),
    ("email", "a" * 250 + "@b.de"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "canonical"), SAID)
def test_a_value_is_read_into_its_canonical_text(kind: str, text: str, canonical: str) -> None:
    value = parsed(ValueType(kind), text)
    assert isinstance(value, Value), value
    assert value.told == canonical
    assert parsed(ValueType(kind), value.told) == value


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_what_is_no_such_value_is_refused_with_what_would_be(kind: str, text: str) -> None:
    refused = parsed(ValueType(kind), text)
    assert isinstance(refused, BadValue), refused
    assert refused.reason == "bad_value"
    assert refused.hint


@given(st.sampled_from(ValueType), st.text(max_size=40))
def test_any_text_is_a_value_that_parses_again_to_itself_or_is_refused(kind: ValueType, text: str) -> None:
    value = parsed(kind, text)
    if isinstance(value, Value):
        assert parsed(kind, value.told) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=3))
def test_a_number_is_the_same_however_its_thousands_are_grouped(number: Decimal) -> None:
    english = f"{number:,.4f}"
    german = english.replace(",", " ").replace(".", ",").replace(" ", ".")
    for written in (f"{number:f}", english, german, english.replace(",", "'"), english.replace(",", "\u00a0")):
        assert decimal(written) == number


@pytest.mark.parametrize("text", ["\u200b", "\u2060\ufeff", "\u200b \u00ad", "\u0301"])
def test_what_nobody_can_see_is_no_value(text: str):
    assert isinstance(parsed(ValueType.TEXT, text), BadValue)
    assert isinstance(parsed(ValueType.TEXT, f"{text}x"), Value)
