"""An answer that becomes an event stream, for methods that say something before they end."""

from typing import Any, Final

from sophia.agent.asgi import GUARDED, Send
from sophia.agent.envelope import encode

HEAD: Final = [(b"content-type", b"text/event-stream"), *GUARDED]


class Stream:
    """The event stream of one response; it begins with the first message."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.begun = False

    async def emit(self, message: dict[str, Any]) -> None:
        """Send one JSON-RPC message ahead of the answer."""
        if not self.begun:
            self.begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": HEAD})
        await self._event(encode(message), more=True)

    async def end(self, body: bytes) -> None:
        """Send the answer as the last event."""
        await self._event(body, more=False)

    async def _event(self, data: bytes, *, more: bool) -> None:
        body = b"event: message\ndata: " + data + b"\n\n"
        await self._send({"type": "http.response.body", "body": body, "more_body": more})
