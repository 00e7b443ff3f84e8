"""The one decoder at the edge: JSON as the RFC has it, with nothing left to interpretation."""

from typing import Any

import msgspec

MAX_DEPTH = 64
MAX_STRUCTURE = 100_000
"""Commas, colons and brackets in one body: bounds the time that decoding holds the loop."""

_KEPT = b'"[]{},:'
_DROPPED = bytes(byte for byte in range(256) if byte not in _KEPT)
_decode = msgspec.json.Decoder().decode


class ParseError(ValueError):
    """The body is not one strict JSON text."""


def decoded(body: bytes) -> Any:
    """The value that `body` holds; `ParseError` for anything that two parsers could read differently.

    msgspec refuses what is no JSON: other encodings than UTF-8, a byte order mark, lone surrogates, NaN, numbers
    that overflow a float or have more than 4,300 digits. It keeps the last of two equal keys, so keys are counted.
    """
    structure = _structure(body)
    if len(structure) > MAX_STRUCTURE:
        raise ParseError("The body holds too many values.")
    try:
        value = _decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ParseError(_told(error)) from None
    if isinstance(value, (dict, list)) and _keys(value, MAX_DEPTH) != structure.count(b":"):
        raise ParseError("An object names the same key twice.")
    return value


def _structure(body: bytes) -> bytes:
    """The commas, colons and brackets of `body` that stand outside its strings."""
    if b"\\" in body:
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(body.translate(None, _DROPPED).split(b'"')[::2])


def _keys(value: dict[str, Any] | list[Any], depth: int) -> int:
    """How many keys the objects in `value` have together."""
    if not depth:
        raise ParseError(f"The body is nested deeper than {MAX_DEPTH} levels.")
    if isinstance(value, dict):
        found, inner = len(value), list(value.values())
    else:
        found, inner = 0, value
    for item in inner:
        kind = type(item)
        if kind is dict or kind is list:
            found += _keys(item, depth - 1)
    return found


def _told(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return f"The body is nested deeper than {MAX_DEPTH} levels."
    if isinstance(error, UnicodeDecodeError):
        return "The body is not UTF-8."
    return f"The body is not strict JSON: {str(error).removeprefix('JSON is malformed: ')}."
