"""The typed values of facts: what was said, in its one canonical text, or why it cannot be that."""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from urllib.parse import urlsplit, urlunsplit

from sophia.capabilities.knowledge.units import MAX_UNIT
from sophia.core import clock
from sophia.core.currency import MINOR_DIGITS, meant
from sophia.core.errors import BadArguments

MAX_TEXT = 2000
MAX_DIGITS = 40
MAX_BESIDE = 120
"""The most characters of a number with its currency or its unit."""
_FIRST, _LAST = clock.parsed("1000-01-01T00:00:00Z", "object"), clock.parsed("9999-12-31T23:59:59Z", "object")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?P<group>[ \u00a0\u2009\u202f'’_])\d{3})(?:(?P=group)\d{3})*(?:[.,]\d+)?")
_BOTH = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+\.\d+|(?:\.\d{3})+,\d+|(?:,\d{3}){2,}|(?:\.\d{3}){2,})")
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,2})?")
_COMMA = re.compile(r"[+-]?\d+,(?:\d{1,2}|\d{4,})")
_EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]{1,64}@(?:[\w-]+\.)+[\w-]{2,63}")
_SCHEMES = frozenset({"http", "https", "ftp", "ftps", "sftp", "ssh", "git", "file", "doi", "urn", "mailto", "tel"})
_WITHOUT_HOST = frozenset({"file", "doi", "urn", "mailto", "tel"})


class ValueType(Enum):
    """What kinds of value a fact may have."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "datetime"
    AMOUNT = "amount"
    QUANTITY = "quantity"
    URL = "url"
    EMAIL = "email"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True)
class Value:
    """A value in its canonical text; `unit` is the currency of an amount and the unit of a quantity."""

    value_type: ValueType
    text: str
    unit: str | None = None

    @property
    def told(self) -> str:
        """The value and its unit as one text."""
        return self.text if self.unit is None else f"{self.text} {self.unit}"


@dataclass(frozen=True, slots=True)
class BadValue:
    """The text is no value of that type; `hint` says what would be."""

    hint: str
    reason: str = "bad_value"


def parsed(value_type: ValueType, text: str) -> Value | BadValue:
    """The value that `text` says, canonical: parsing its text again gives the same."""
    text = unicodedata.normalize("NFC", text).strip()
    if not text or len(text) > MAX_TEXT:
        return BadValue(f"A value has 1 to {MAX_TEXT} characters.")
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t" for character in text):
        return BadValue("A value holds no control characters.")
    if all(unicodedata.category(character) in ("Cf", "Mn", "Zs") for character in text):
        return BadValue("A value holds something that can be seen.")
    return PARSERS[value_type](text)


def decimal(text: str) -> Decimal | None:
    """The number that `text` writes, where it can be only one: `1,200.50` and `1.200,50` can, `1,200` cannot."""
    digits = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text).replace("\u2212", "-")
    if sum(c.isdigit() for c in digits) > MAX_DIGITS:
        return None
    if _PLAIN.fullmatch(digits):
        return Decimal(digits)
    if _COMMA.fullmatch(digits):
        return Decimal(digits.replace(",", "."))
    if _GROUPED.fullmatch(digits):
        return Decimal(re.sub(r"[ \u00a0\u2009\u202f'’_]", "", digits).replace(",", "."))
    if _BOTH.fullmatch(digits):
        last = max(digits.rfind(","), digits.rfind("."))
        whole = re.sub("[.,]", "", digits[:last])
        alone = digits[last] not in digits[:last]
        return Decimal(f"{whole}.{digits[last + 1 :]}" if alone else whole + digits[last + 1 :])
    return None


def _written(number: Decimal) -> str:
    """`number` without exponent, needless zeros or a negative zero."""
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def _text(text: str) -> Value | BadValue:
    return Value(ValueType.TEXT, text)


def _entity(text: str) -> Value | BadValue:
    return Value(ValueType.ENTITY, text)


def _number(text: str) -> Value | BadValue:
    number = decimal(text)
    if number is None:
        return BadValue("Write the number plainly, like 1200.5; `1,200` could be two numbers.")
    return Value(ValueType.NUMBER, _written(number))


def _integer(text: str) -> Value | BadValue:
    number = decimal(text)
    if number is None or number != number.to_integral_value():
        return BadValue("Write a whole number plainly, like 1200.")
    return Value(ValueType.INTEGER, _written(number))


def _date(text: str) -> Value | BadValue:
    try:
        return Value(ValueType.DATE, clock.parsed_date(text, "object").isoformat())
    except BadArguments:
        return BadValue("Write the date as a day that exists, like 2026-03-12.")


def _datetime(text: str) -> Value | BadValue:
    try:
        at = clock.parsed(text, "object")
    except (BadArguments, OverflowError):
        return BadValue("Write the time with its offset from UTC, like 2026-03-12T09:30:00+01:00; none is assumed.")
    if not _FIRST <= at <= _LAST:
        return BadValue("Times are kept from the year 1000 to the year 9999.")
    return Value(ValueType.DATETIME, clock.rfc3339(at))


def _amount(text: str) -> Value | BadValue:
    """`12.30 EUR`, `EUR 12.30`, `€12.30` or `{"amount": "12.30", "currency": "EUR"}`."""
    parts = _money_object(text) if text.startswith("{") else _beside(text)
    if parts is None:
        return BadValue('Write the amount with its currency, like "12.30 EUR".')
    number, mark = decimal(parts[0]), parts[1]
    codes = meant(mark)
    if number is None:
        return BadValue("Write the amount plainly, like 1200.50; `1,200` could be two numbers.")
    if len(codes) != 1:
        return BadValue(
            f"Name the currency by its ISO 4217 code; {mark!r} may be {', '.join(sorted(codes)) or 'none'}."
        )
    code = next(iter(codes))
    minor = number.scaleb(MINOR_DIGITS[code])
    if minor != minor.to_integral_value():
        return BadValue(f"An amount in {code} has at most {MINOR_DIGITS[code]} decimals.")
    return Value(ValueType.AMOUNT, f"{number.copy_abs() if number == 0 else number:.{MINOR_DIGITS[code]}f}", code)


def _quantity(text: str) -> Value | BadValue:
    parts = _beside(text)
    number = decimal(parts[0]) if parts else None
    if parts is None or number is None or len(parts[1]) > MAX_UNIT:
        return BadValue('Write the quantity plainly with its unit, like "12.5 kg".')
    return Value(ValueType.QUANTITY, _written(number), " ".join(parts[1].split()))


def _url(text: str) -> Value | BadValue:
    refused = BadValue("Write the whole URL with its scheme, like https://example.com/page, and no password in it.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return refused
    scheme, host = parts.scheme.lower(), (parts.hostname or "").lower()
    if re.search(r"\s", text) or scheme not in _SCHEMES or parts.password is not None:
        return refused
    if scheme in _WITHOUT_HOST:
        return Value(ValueType.URL, scheme + text[len(scheme) :]) if text[len(scheme) + 1 :] else refused
    if not host:
        return refused
    host = f"[{host}]" if ":" in host else host
    user = f"{parts.username}@" if parts.username else ""
    shown = "" if port is None or (scheme, port) in (("http", 80), ("https", 443)) else f":{port}"
    path = parts.path or ("/" if scheme in ("http", "https") else "")
    return Value(ValueType.URL, urlunsplit((scheme, user + host + shown, path, parts.query, parts.fragment)))


def _email(text: str) -> Value | BadValue:
    address = text.removeprefix("mailto:")
    if len(address) > 254 or not _EMAIL.fullmatch(address) or ".." in address:
        return BadValue("Write one e-mail address, like anna@example.com.")
    local, _, domain = address.rpartition("@")
    return Value(ValueType.EMAIL, f"{local}@{domain.lower()}")


def _beside(text: str) -> tuple[str, str] | None:
    """The number and the mark that stands before or after it; `None` for what is too long to be these."""
    if len(text) > MAX_BESIDE:
        return None
    found = re.fullmatch(
        r"([+\-\u2212]?)\s*([^\d\s+.,-][^\d+-]*?)\s*([+\-\u2212]?[\d.,'’\u00a0\u2009\u202f _]*\d)", text
    )
    if found:
        return found[1] + found[3], found[2].strip()
    found = re.fullmatch(r"([+\-\u2212]?[\d.,'’\u00a0\u2009\u202f _]*\d(?:[eE][+-]?\d{1,2})?)\s*([^\d\s.,].*)", text)
    return (found[1], found[2].strip()) if found else None


def _money_object(text: str) -> tuple[str, str] | None:
    try:
        money = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(money, dict) or set(money) != {"amount", "currency"}:
        return None
    amount, currency = money["amount"], money["currency"]
    return (amount, currency) if isinstance(amount, str) and isinstance(currency, str) else None


PARSERS: MappingProxyType[ValueType, Callable[[str], Value | BadValue]] = MappingProxyType(
    {
        ValueType.TEXT: _text,
        ValueType.INTEGER: _integer,
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
