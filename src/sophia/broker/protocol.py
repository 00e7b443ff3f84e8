"""What is said over the owner's socket: frames of a length and a JSON object, from the request to its one answer."""

import json
import struct
from collections.abc import Callable
from typing import Any, Final, Protocol

MAX_FRAME: Final = 16 * 1024 * 1024
"""Bytes of one frame, beside its length."""
HEAD: Final = struct.Struct(">I")
TAKEN: Final = {"taken": True}
"""Said at once when a request was read: whoever asked can tell a slow daemon from one that is stopped."""


class TooLongFrame(Exception):
    """A frame is longer than is taken."""


class NotAFrame(Exception):
    """What was sent is no JSON object."""


class Desk(Protocol):
    """Where requests are answered. Called in a worker thread."""

    def answer(self, request: dict[str, Any], pid: int, progress: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """`{"ok": …}` or `{"error": {…}}`; `progress` may be told of the way there."""


def framed(told: dict[str, Any]) -> bytes:
    """The object as a frame; `TooLongFrame` where it does not fit in one."""
    body = json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if len(body) > MAX_FRAME:
        raise TooLongFrame
    return HEAD.pack(len(body)) + body


def length(head: bytes) -> int:
    """How long the frame behind this head is; `TooLongFrame` where that is more than is taken."""
    (size,) = HEAD.unpack(head)
    if size > MAX_FRAME:
        raise TooLongFrame
    return int(size)


def told(body: bytes) -> dict[str, Any]:
    """The object in a frame; `NotAFrame` for anything else."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise NotAFrame from None
    if not isinstance(found, dict):
        raise NotAFrame
    return found


def refused(code: str, message: str) -> dict[str, Any]:
    """The answer to what never came to the desk."""
    return {"error": {"code": code, "message": message}}
