"""The canonical bytes of a plain value (RFC 8785), so that equal values hash equally everywhere."""

import hashlib
import math
from json.encoder import encode_basestring

MAX_INTEGER = 2**53
"""Beyond this, two integers can be one number in JavaScript."""
MAX_DEPTH = 200


def encode(value: object) -> bytes:
    """The RFC 8785 form of `None`, booleans, numbers, strings, lists and dicts.

    `ValueError` for anything else, NaN and infinities, integers beyond 2^53, lone surrogates, keys that are no strings
    and nesting beyond 200.
    """
    pieces: list[str] = []
    _write(value, pieces, 0)
    try:
        return "".join(pieces).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("A lone surrogate has no canonical form.") from None


def sha256(value: object) -> str:
    """The SHA-256 of the canonical form, as 64 lowercase hex digits."""
    return hashlib.sha256(encode(value)).hexdigest()


def _write(value: object, pieces: list[str], depth: int) -> None:
    if isinstance(value, str):
        pieces.append(encode_basestring(value))
    elif value is None:
        pieces.append("null")
    elif isinstance(value, bool):
        pieces.append("true" if value else "false")
    elif isinstance(value, int):
        pieces.append(_integer(value))
    elif isinstance(value, float):
        pieces.append(_number(value))
    elif depth >= MAX_DEPTH:
        raise ValueError(f"Nesting beyond {MAX_DEPTH} has no canonical form here.")
    elif isinstance(value, dict):
        _write_object(value, pieces, depth)
    elif isinstance(value, (list, tuple)):
        pieces.append("[")
        for index, item in enumerate(value):
            if index:
                pieces.append(",")
            _write(item, pieces, depth + 1)
        pieces.append("]")
    else:
        raise ValueError(f"A {type(value).__name__} has no canonical form.")


def _write_object(value: dict[object, object], pieces: list[str], depth: int) -> None:
    keys: list[str] = []
    for key in value:
        if not isinstance(key, str):
            raise ValueError("A key that is no string has no canonical form.")  # noqa: TRY004 - as above
        keys.append(key)
    opening = "{"
    for key in sorted(keys, key=_utf16):
        pieces.append(opening)
        pieces.append(encode_basestring(key))
        pieces.append(":")
        _write(value[key], pieces, depth + 1)
        opening = ","
    pieces.append("}" if keys else "{}")


def _utf16(key: str) -> bytes:
    """What sorts as the key's UTF-16 code units do."""
    return key.encode("utf-16-be", "surrogatepass")


def _integer(value: int) -> str:
    if abs(value) > MAX_INTEGER:
        raise ValueError("An integer beyond 2^53 has no canonical form; write it as a string.")
    return int.__repr__(value)


def _number(value: float) -> str:
    """The text that ECMAScript's Number::toString gives."""
    if not math.isfinite(value):
        raise ValueError("NaN and infinity have no canonical form.")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = float.__repr__(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    raw = whole + ("" if fraction == "0" else fraction)
    digits = raw.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(raw) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    power = f"e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + digits[0] + ("." + digits[1:] if count > 1 else "") + power
