"""JSON-RPC messages: what comes in is read field by field, what goes out is spliced from bytes."""

from dataclasses import dataclass
from typing import Any

import msgspec

from sophia.agent.door import Refused
from sophia.agent.eras import INVALID_PARAMS, INVALID_REQUEST
from sophia.core.secrets.bearer import redacted

MAX_ID = 1_024
NO_ID = b"null"

encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Message:
    """A request, or a notification where `id` is `None`; `id` is kept as it is sent back."""

    id: bytes | None
    method: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back: the HTTP status, and a JSON body (none for what is only taken note of)."""

    status: int
    body: bytes = b""


ACCEPTED = Reply(202)


def identity(value: dict[str, Any]) -> bytes:
    """The encoded id to answer under; `null` where the message has none that can be echoed."""
    told = value.get("id")
    if type(told) is int:
        return encode(told) if -(2**63) <= told < 2**63 else NO_ID
    return encode(told) if isinstance(told, str) and len(told) <= MAX_ID else NO_ID


def is_reply(value: dict[str, Any]) -> bool:
    """Whether a client answers something it was asked."""
    return "method" not in value and "id" in value and ("result" in value or "error" in value)


def opened(value: dict[str, Any], known: bytes) -> Message:
    """The message that `value` is; `Refused` for what JSON-RPC does not allow."""
    method = value.get("method")
    if value.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise Refused(INVALID_REQUEST, 'A message carries "jsonrpc": "2.0" and a method.')
    if "id" in value and known is NO_ID:
        raise Refused(INVALID_REQUEST, f"An id is a text of up to {MAX_ID} characters or a 64-bit integer.")
    params = value.get("params")
    if params is not None and not isinstance(params, dict):
        raise Refused(INVALID_PARAMS, "params must be an object.")
    return Message(known if "id" in value else None, method, params or {})


def result(known: bytes, *parts: bytes) -> bytes:
    """A response that carries the encoded result of these parts: joined once, for a list may be long."""
    return b"".join((b'{"jsonrpc":"2.0","id":', known, b',"result":', *parts, b"}"))


def error(known: bytes, refused: Refused) -> bytes:
    """A response that carries a protocol error."""
    told: dict[str, Any] = {"code": refused.code, "message": refused.message}
    if refused.data is not None:
        told["data"] = refused.data
    return b'{"jsonrpc":"2.0","id":' + known + b',"error":' + redacted(encode(told)) + b"}"
