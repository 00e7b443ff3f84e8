"""Whether a quote supports what a claim says: as far as code can tell, never by meaning."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from sophia.capabilities.knowledge import dates, units
from sophia.capabilities.knowledge.digits import plain_digits
from sophia.capabilities.knowledge.marks import currencies
from sophia.capabilities.knowledge.names_said import names_missing, stands
from sophia.capabilities.knowledge.numerals import Numeral, extent, numerals
from sophia.capabilities.knowledge.values import BadValue, Value, ValueType, parsed

_EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]+@(?:[\w-]+\.)+[\w-]{2,}")
_URL = re.compile(
    r"\b[a-zA-Z][a-zA-Z0-9+.-]*:(?://)?[^\s<>\"]+|(?<![\w@/.-])(?:[\w-]+\.)+[a-zA-Z]{2,}(?:[/?#][^\s<>\"]*)?"
)
_TOKEN = re.compile(r"[#@]?\w+(?:[./:#+_-]+\w+)*")
_NUMBER_WITH_UNIT = re.compile(r"[\d.,]+[^\W\d_]{1,6}")
_WITH_DIGITS = re.compile(r"\w*\d\w*(?:[:./^-]\w*\d\w*)*")
_LONG_NUMBER = 10
_PHONE = re.compile(r"(?:\+|00|\(?0)?[\d(][\d\s()./\u00a0-]{5,}\d")


@dataclass(frozen=True)
class Quote:
    """A quote and what can be looked for in it, each kind read once."""

    text: str

    @cached_property
    def numbers(self) -> list[Numeral]:
        addresses = [*_EMAIL.finditer(self.text), *_URL.finditer(self.text)]
        return numerals(_without(self.text, (found.span() for found in addresses if not _is_number(found[0]))))

    @cached_property
    def currencies(self) -> frozenset[str]:
        return currencies(self.text)

    @cached_property
    def days(self) -> frozenset[date]:
        return frozenset(day for found in dates.days(self.text) for day in found.readings)

    @cached_property
    def links(self) -> set[str]:
        return _emails(self.text) | _urls(self.text)

    def says(self, readings: frozenset[Fraction]) -> bool:
        """Whether a number of it may be any of these."""
        return any(readings & found.readings for found in self.numbers)

    def says_of_hundred(self, bare: frozenset[Fraction]) -> bool:
        """Whether it holds one of these as percent, or as the part of one that they are."""
        parts = frozenset(each / 100 for each in bare)
        return any(bare & found.bare if found.percent else parts & found.readings for found in self.numbers)

    def pays(self, readings: frozenset[Fraction], codes: frozenset[str]) -> bool:
        """Whether it holds that number in that currency: beside it, or named elsewhere where none is beside it."""
        return any(
            readings & found.readings and codes & (found.currencies or self.currencies) for found in self.numbers
        )


def unsupported(object_text: str, value_type: ValueType, quote: str) -> str | None:
    """What of the object does not stand in the quote, as a sentence for the agent; `None` for nothing.

    What code can look for has to be there in some written form: numbers, dates, amounts, identifiers, proper names.
    """
    value = parsed(value_type, object_text)
    if isinstance(value, BadValue):
        return value.hint
    said = unicodedata.normalize("NFC", object_text).strip()
    missing = _CHECKS[value_type](value, said, Quote(unicodedata.normalize("NFC", quote)))
    return None if missing is None else f"{missing} does not stand in the quote."


def supported(object_text: str, value_type: ValueType, quote: str) -> bool:
    """Whether the quote supports the object, as far as code can tell."""
    return unsupported(object_text, value_type, quote) is None


def _number(value: Value, _said: str, quote: Quote) -> str | None:
    return None if quote.says(frozenset({Fraction(value.text)})) else f"The number {value.text}"


def _date(value: Value, _said: str, quote: Quote) -> str | None:
    return None if date.fromisoformat(value.text) in quote.days else f"The date {value.text}"


def _datetime(_value: Value, said: str, quote: Quote) -> str | None:
    whole = re.sub(r"(\.\d{6})\d+", r"\1", said.upper().replace("Z", "+00:00"))
    return None if dates.holds_moment(quote.text, datetime.fromisoformat(whole)) else f"The time {said}"


def _amount(value: Value, _said: str, quote: Quote) -> str | None:
    paid = quote.pays(frozenset({Fraction(value.text)}), frozenset({value.unit or ""}))
    return None if paid else f"The amount {value.told}"


def _quantity(value: Value, _said: str, quote: Quote) -> str | None:
    number, plain = Fraction(value.text), plain_digits(quote.text)
    for found in quote.numbers:
        for readings, end in ((found.readings, found.end), (found.bare, found.bare_end)):
            if number in readings and units.beside(plain, found.start, end, value.unit or ""):
                return None
    return f"The quantity {value.told}"


def _email(value: Value, _said: str, quote: Quote) -> str | None:
    return None if value.text in _emails(quote.text) else f"The address {value.text}"


def _emails(text: str) -> set[str]:
    found = (parsed(ValueType.EMAIL, written.rstrip(".")) for written in _EMAIL.findall(text))
    return {each.text for each in found if isinstance(each, Value)}


def _url(value: Value, _said: str, quote: Quote) -> str | None:
    return None if _urls(value.text) & _urls(quote.text) else f"The URL {value.text}"


def _urls(text: str) -> set[str]:
    """The URLs in `text`, canonical. One that names no scheme counts as either of the web's, `/` at an end as none."""
    found: set[str] = set()
    for written in _URL.findall(text):
        bare = written.rstrip(".,;:!?'\u2019)]}>\u00bb\u201d")
        whole = [bare] if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", bare) else [f"http://{bare}", f"https://{bare}"]
        for candidate in whole:
            value = parsed(ValueType.URL, candidate)
            if isinstance(value, Value):
                found.add(value.text.removesuffix("/"))
    return found


def _entity(value: Value, _said: str, quote: Quote) -> str | None:
    return None if stands(value.text, quote.text) else f"The name {value.text!r}"


def _text(_value: Value, said: str, quote: Quote) -> str | None:
    """Each thing in the text that can be looked for, the longest kinds first, so that none is taken for another."""
    phones = _phones(said) if _PHONE.fullmatch(said) and not dates.days(said) else set()
    if phones and (said[0] in "+0(" or len(max(phones, key=len)) >= _LONG_NUMBER):
        return None if phones <= _phones(quote.text) else f"The number {said}"
    for pattern in (_EMAIL, _URL):
        addresses = [found for found in pattern.finditer(said) if _emails(found[0]) | _urls(found[0])]
        for found in addresses:
            if not (_emails(found[0]) | _urls(found[0])) & quote.links:
                return f"The address {found[0]}"
        said = _without(said, (found.span() for found in addresses))
    for day in dates.days(said):
        if not day.readings & quote.days:
            return f"The date {said[day.start : day.end]}"
    said = _without(said, ((day.start, day.end) for day in dates.days(said)))
    for found in _identifiers(said):
        if not stands(found[0], quote.text):
            return f"The identifier {found[0]!r}"
    said = _without(said, (found.span() for found in _identifiers(said)))
    missing, said = _numbers(said, quote)
    name = None if missing else names_missing(said, quote.text)
    return missing if name is None else f"The name {name!r}"


def _numbers(said: str, quote: Quote) -> tuple[str | None, str]:
    """The first number of the text that the quote does not hold, and the text without its numbers."""
    written = [number for number in numerals(said) if number.readings]
    for number in written:
        if not _told(number, quote):
            return f"The number {said[number.start : number.end]}", said
    said = _without(said, [extent(said, number) for number in written])
    others = list(_WITH_DIGITS.finditer(said))
    for found in others:
        if not _stands_so(found[0], quote.text):
            return f"The number {found[0]}", said
    return None, _without(said, (found.span() for found in others))


def _told(number: Numeral, quote: Quote) -> bool:
    """Whether the quote holds the number: in its currency, where it has one, and as percent, where it is that."""
    if number.currencies:
        return quote.pays(number.readings, number.currencies)
    return quote.says_of_hundred(number.bare) if number.percent else quote.says(number.readings)


def _stands_so(written: str, text: str) -> bool:
    """Whether the text holds what has digits in it and is no number, as it is written and whole."""
    return re.search(rf"(?<!\w){re.escape(written)}(?!\w)", text) is not None


def _is_number(written: str) -> bool:
    """Whether it is no address, though it has a dot in it."""
    return written[:1].isdigit() and not any(character in written for character in "@:/")


def _identifiers(text: str) -> list[re.Match[str]]:
    """What is written to be matched exactly: `CVE-2024-1234`, `snake_case`, `camelCase`, `a.b.c`, `3.11.7`, `#12`."""
    return [found for found in _TOKEN.finditer(text) if _is_identifier(found[0])]


def _is_identifier(token: str) -> bool:
    letters, digits = any(c.isalpha() for c in token), any(c.isdigit() for c in token)
    if _NUMBER_WITH_UNIT.fullmatch(token):
        return False
    return (
        (letters and digits)
        or token[0] in "#@"
        or "_" in token
        or re.search(r"[a-z][A-Z]", token) is not None
        or re.fullmatch(r"\d+(?:\.\d+){2,}", token) is not None
        or (letters and re.search(r"\w[.:/]\w", token) is not None)
    )


def _phones(text: str) -> set[str]:
    found = (
        re.sub(r"\D", "", "+" + written if written[0] == "+" else written)
        for written in _PHONE.findall(plain_digits(text))
    )
    return {digits.removeprefix("00") for digits in found if len(digits) >= 6}


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """`text` with blanks where the spans were, so that every other offset stays."""
    for start, end in list(spans):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


_CHECKS: MappingProxyType[ValueType, Callable[[Value, str, Quote], str | None]] = MappingProxyType(
    {
        ValueType.TEXT: _text,
        ValueType.INTEGER: _number,
        ValueType.NUMBER: _number,
        ValueType.DATE: _date,
        ValueType.DATETIME: _datetime,
        ValueType.AMOUNT: _amount,
        ValueType.QUANTITY: _quantity,
        ValueType.URL: _url,
        ValueType.EMAIL: _email,
        ValueType.ENTITY: _entity,
    }
)
