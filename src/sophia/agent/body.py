"""A request's body, up to what is taken."""

from typing import Final

from sophia.agent.asgi import CLOSE, PLAIN, Receive, Send, told

MAX_BODY: Final = 4 * 1024 * 1024
TOO_LARGE: Final = told("too_large", f"A request body may have up to {MAX_BODY} bytes.")


class Left(Exception):
    """The client went away before its request was whole."""


class TooLarge(Exception):
    """The body is larger than is taken."""


async def whole_body(receive: Receive, headers: dict[bytes, bytes]) -> bytes:
    """The body, once it is whole; `TooLarge` as soon as it is known to be, `Left` where it never becomes whole."""
    length = headers.get(b"content-length")
    if length is not None and int(length) > MAX_BODY:
        raise TooLarge
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Left
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY:
            raise TooLarge
        if not message.get("more_body"):
            return b"".join([*parts, part]) if parts else part
        parts.append(part)


async def refuse_body(receive: Receive, send: Send) -> None:
    """Answer 413, then take in a little of what still comes, so that the client gets to read the answer."""
    head = [*PLAIN, (b"content-length", b"%d" % len(TOO_LARGE)), CLOSE]
    await send({"type": "http.response.start", "status": 413, "headers": head})
    await send({"type": "http.response.body", "body": TOO_LARGE, "more_body": True})
    left = MAX_BODY
    while left > 0:
        message = await receive()
        if not message.get("more_body"):
            break
        left -= len(message.get("body", b""))
    await send({"type": "http.response.body", "body": b""})
