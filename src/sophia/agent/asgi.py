"""The shapes of ASGI, and the one way in which a whole response leaves."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from sophia.agent.envelope import encode

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Header = tuple[bytes, bytes]

GUARDED: Final[tuple[Header, ...]] = ((b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff"))
PLAIN: Final[tuple[Header, ...]] = ((b"content-type", b"application/json"), *GUARDED)
CLOSE: Final[Header] = (b"connection", b"close")


async def reply(send: Send, status: int, body: bytes, *more: Header) -> None:
    """Send a whole response; JSON, where it has a body."""
    head = [*PLAIN, (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


def told(code: str, message: str) -> bytes:
    """The body of a refusal that is none of MCP's own."""
    return encode({"error": code, "message": message})
