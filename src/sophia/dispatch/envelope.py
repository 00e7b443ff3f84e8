"""The shape of every answer: projection, bounds, and the signals that ride on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sophia.catalog.tool import Tool
from sophia.core.caller import Caller
from sophia.core.errors import SophiaError, TooLarge, UnknownFields
from sophia.core.page import Page
from sophia.core.secrets.bearer import redacted
from sophia.dispatch.cursor import Cursors

HARD_CAP = 40_000
"""Bytes of any answer: clients move or cut what has more characters."""
# Everything is counted in bytes of the encoded JSON, as `max_bytes` says: never fewer than the characters of the cap.
_ROOM = 600
"""Left for the envelope's own keys and the signals."""
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, as far as the envelope needs it."""

    tool: Tool
    caller: Caller
    arguments: msgspec.Struct


def enveloped(cursors: Cursors, question: Question, result: Any) -> bytes:
    """The tool's own result as a JSON object, within its bounds."""
    return shown(cursors, question, result)[0]


def shown(cursors: Cursors, question: Question, result: Any) -> tuple[bytes, Sequence[Any]]:
    """The same, and what of the result is in it: of a list the rows that fit."""
    if isinstance(result, Page):
        body, fits = _list(cursors, question, result)
        return body, result.items[:fits]
    return _whole(question, result), [result]


def _whole(question: Question, result: Any) -> bytes:
    if isinstance(result, dict):
        result = {key: value for key, value in result.items() if not key.startswith("_")}
    body = _encode(result)
    bound = getattr(question.arguments, "max_bytes", None) or HARD_CAP
    if len(body) + _ROOM > bound:
        raise TooLarge(
            f"The answer has {len(body)} bytes, more than {bound}.", hint="Ask for less, or raise max_bytes."
        )
    return body


def warned(body: bytes, warning: str | None) -> bytes:
    """The answer with one more warning; as it is for none."""
    if warning is None:
        return body
    told: dict[str, Any] = msgspec.json.decode(body)
    told["warning"] = " ".join(filter(None, (told.get("warning"), warning)))
    return _encode(told)


def room_of(arguments: msgspec.Struct) -> int:
    """How many bytes of a tool's own content an answer to these arguments has room for."""
    return (getattr(arguments, "max_bytes", None) or HARD_CAP) - _ROOM


def signalled(body: bytes, signals: dict[str, Any]) -> bytes:
    """The answer with the server's own keys behind the tool's: nothing that a tool says can stand in for them."""
    spliced = _encode(signals)[1:]
    return body[:-1] + (b"," if len(body) > 2 else b"") + spliced


def refusal(error: SophiaError, error_id: str) -> bytes:
    """A structured error as a JSON object."""
    return redacted(_encode({"error": error.wire(error_id)}))


def fields_of(tool: Tool, fields: list[str] | None, *, compact: bool) -> tuple[str, ...] | None:
    """The keys that a row is to keep, `None` for all; `UnknownFields` lists the valid ones."""
    if fields is None:
        return tool.compact if compact else None
    unknown = [name[:80] for name in fields if name not in tool.fields]
    if unknown or not fields:
        raise UnknownFields(
            f"{tool.short} has no such row keys." if unknown else "fields must name at least one key.",
            argument="fields",
            valid=list(tool.fields),
            unknown=unknown[:20],
        )
    return tuple(dict.fromkeys(fields))


def _list(cursors: Cursors, question: Question, page: Page[Any]) -> tuple[bytes, int]:
    arguments: Any = question.arguments
    kept = fields_of(question.tool, arguments.fields, compact=arguments.compact)
    extra = _encode(page.extra)
    room = (arguments.max_bytes or HARD_CAP) - _ROOM - len(extra)
    whole = [_encode(_projected(item, kept)) for item in page.items]
    rows = [
        row if len(row) < room else _shortened(question.tool, item, room)
        for row, item in zip(whole, page.items, strict=True)
    ]
    fits = _fitting(rows, room)
    if fits == 0 and rows:
        raise TooLarge("Not even the id of one row fits.", hint="Raise max_bytes.")
    cut = fits < len(rows)
    shortened = any(row is not other for row, other in zip(rows[:fits], whole, strict=False))
    parts = [b'{"items":[', b",".join(rows[:fits]), b'],"total":', str(page.total).encode()]
    if cut or page.more:
        cursor = cursors.sealed(page.keys[fits - 1], question.caller, question.tool.name, arguments)
        parts += [b',"cursor":', _encode(cursor)]
    if cut or shortened:
        parts.append(b',"truncated":true')
    if len(extra) > 2:
        parts += [b",", extra[1:-1]]
    parts.append(b"}")
    return b"".join(parts), fits


def _projected(item: Any, kept: tuple[str, ...] | None) -> Any:
    if kept is None:
        return item
    return {name: value for name in kept if (value := getattr(item, name)) is not None}


def _shortened(tool: Tool, item: Any, room: int) -> bytes:
    """A row that would not fit by itself, by its compact keys, or by its id alone: the list has to go on."""
    compact = _encode(_projected(item, tool.compact))
    return compact if len(compact) < room else _encode(_projected(item, tool.fields[:1]))


def _fitting(rows: list[bytes], bound: int) -> int:
    used = 0
    for index, row in enumerate(rows):
        used += len(row) + 1
        if used > bound:
            return index
    return len(rows)
