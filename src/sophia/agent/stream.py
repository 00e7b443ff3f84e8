"""An answer that becomes an event stream, for methods that say something before they end."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from sophia.agent.envelope import encode

HEAD = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
]


class Stream:
    """The event stream of one response; it begins with the first message."""

    def __init__(self, send: Callable[[MutableMapping[str, Any]], Awaitable[None]]) -> None:
        self._send = send
        self.begun = False

    async def emit(self, message: dict[str, Any]) -> None:
        """Send one JSON-RPC message ahead of the answer."""
        await self._begin()
        await self._event(encode(message), more=True)

    async def end(self, body: bytes) -> None:
        """Send the answer as the last event."""
        await self._event(body, more=False)

    async def _begin(self) -> None:
        if not self.begun:
            self.begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": HEAD})

    async def _event(self, data: bytes, *, more: bool) -> None:
        body = b"event: message\ndata: " + data + b"\n\n"
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
