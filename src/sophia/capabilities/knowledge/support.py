"""Whether a quote supports what a claim says: as far as code can tell, never by meaning."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType

from sophia.capabilities.knowledge import dates, units
from sophia.capabilities.knowledge.names_said import names_missing, stands
from sophia.capabilities.knowledge.numerals import Numeral, currencies, extent, numerals, plain_digits
from sophia.capabilities.knowledge.values import BadValue, Value, ValueType, parsed

_EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]+@(?:[\w-]+\.)+[\w-]{2,}")
_URL = re.compile(
    r"\b[a-zA-Z][a-zA-Z0-9+.-]*:(?://)?[^\s<>\"]+|(?<![\w@/.-])(?:[\w-]+\.)+[a-zA-Z]{2,}(?:[/?#][^\s<>\"]*)?"
)
_TOKEN = re.compile(r"[#@]?\w+(?:[./:#+_-]+\w+)*")
_NUMBER_WITH_UNIT = re.compile(r"[\d.,]+[^\W\d_]{1,6}")
_PHONE = re.compile(r"(?:\+|00|\(?0)?[\d(][\d\s()./\u00a0-]{5,}\d")


def unsupported(object_text: str, value_type: ValueType, quote: str) -> str | None:
    """What of the object does not stand in the quote, as a sentence for the agent; `None` where all that code can
    look for is there: numbers, dates, amounts, identifiers and proper names, in any written form.
    """
    quote = unicodedata.normalize("NFC", quote)
    value = parsed(value_type, object_text)
    if isinstance(value, BadValue):
        return value.hint
    missing = _CHECKS[value_type](value, unicodedata.normalize("NFC", object_text).strip(), quote)
    return None if missing is None else f"{missing} does not stand in the quote."


def supported(object_text: str, value_type: ValueType, quote: str) -> bool:
    """Whether the quote supports the object, as far as code can tell."""
    return unsupported(object_text, value_type, quote) is None


def _number(value: Value, _said: str, quote: str) -> str | None:
    number = Decimal(value.text)
    return None if any(number in found.readings for found in _numbers(quote)) else f"The number {value.text}"


def _numbers(text: str) -> list[Numeral]:
    return numerals(_without(text, ((found.start(), found.end()) for found in _EMAIL.finditer(text))))


def _date(value: Value, _said: str, quote: str) -> str | None:
    day = date.fromisoformat(value.text)
    return None if any(day in found.readings for found in dates.days(quote)) else f"The date {value.text}"


def _datetime(_value: Value, said: str, quote: str) -> str | None:
    whole = re.sub(r"(\.\d{6})\d+", r"\1", said.upper().replace("Z", "+00:00"))
    moment = datetime.fromisoformat(whole)
    return None if dates.holds_moment(quote, moment) else f"The time {said}"


def _amount(value: Value, _said: str, quote: str) -> str | None:
    said = Numeral(0, 0, frozenset({Decimal(value.text)}), frozenset({value.unit or ""}))
    return None if _paid(said, quote) else f"The amount {value.told}"


def _paid(said: Numeral, quote: str) -> bool:
    """Whether the quote holds that number in that currency: beside it, or named elsewhere where nothing is beside."""
    elsewhere = currencies(quote)
    return any(
        said.readings & found.readings and said.currencies & (found.currencies or elsewhere)
        for found in _numbers(quote)
    )


def _quantity(value: Value, _said: str, quote: str) -> str | None:
    number = Decimal(value.text)
    plain = plain_digits(quote)
    for found in _numbers(quote):
        if number in found.readings and units.beside(plain, found.start, found.end, value.unit or ""):
            return None
    return f"The quantity {value.told}"


def _email(value: Value, _said: str, quote: str) -> str | None:
    return None if value.text in _emails(quote) else f"The address {value.text}"


def _emails(text: str) -> set[str]:
    found = (parsed(ValueType.EMAIL, written.rstrip(".")) for written in _EMAIL.findall(text))
    return {each.text for each in found if isinstance(each, Value)}


def _url(value: Value, _said: str, quote: str) -> str | None:
    return None if _urls(value.text) & _urls(quote) else f"The URL {value.text}"


def _urls(text: str) -> set[str]:
    """The URLs in `text`, canonical; those of the web that name no scheme count as either, and `/` at an end as none."""
    found: set[str] = set()
    for written in _URL.findall(text):
        bare = written.rstrip(".,;:!?'\u2019)]}>\u00bb\u201d")
        whole = [bare] if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", bare) else [f"http://{bare}", f"https://{bare}"]
        for candidate in whole:
            value = parsed(ValueType.URL, candidate)
            if isinstance(value, Value):
                found.add(value.text.removesuffix("/"))
    return found


def _entity(value: Value, _said: str, quote: str) -> str | None:
    return None if stands(value.text, quote) else f"The name {value.text!r}"


def _text(_value: Value, said: str, quote: str) -> str | None:
    """Each thing in the text that can be looked for, the longest kinds first, so that none is taken for another."""
    if _PHONE.fullmatch(said) and not dates.days(said):
        return None if _phones(said) <= _phones(quote) else f"The number {said}"
    for pattern, read, called in ((_EMAIL, _emails, "address"), (_URL, _urls, "URL")):
        for found in pattern.finditer(said):
            if not read(found[0]) & read(quote) and (called == "address" or not stands(found[0], quote)):
                return f"The {called} {found[0]}"
        said = _without(said, (found.span() for found in pattern.finditer(said)))
    for day in dates.days(said):
        if not any(day.readings & found.readings for found in dates.days(quote)):
            return f"The date {said[day.start : day.end]}"
    said = _without(said, ((day.start, day.end) for day in dates.days(said)))
    for found in _identifiers(said):
        if not stands(found[0], quote):
            return f"The identifier {found[0]!r}"
    said = _without(said, (found.span() for found in _identifiers(said)))
    for numeral in numerals(said):
        held = (
            _paid(numeral, quote)
            if numeral.currencies
            else any(numeral.readings & found.readings for found in _numbers(quote))
        )
        if not held:
            return f"The number {said[numeral.start : numeral.end]}"
    said = _without(said, (extent(said, numeral) for numeral in numerals(said)))
    name = names_missing(said, quote)
    return None if name is None else f"The name {name!r}"


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
        or re.search(r"\w[.:/]\w", token) is not None
        and letters
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


_CHECKS: MappingProxyType[ValueType, Callable[[Value, str, str], str | None]] = MappingProxyType(
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
