"""Requests that last as long as whoever made them: to hear of news, and to hold a connection. They take no thread."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

LONGEST_S: Final = 50.0
"""How long a wait for news may be."""


class News(Protocol):
    """What came in, as a count."""

    async def after(self, count: int, seconds: float) -> int:
        """The count, as soon as it is another one, and at the latest when the time is up."""


@dataclass(frozen=True)
class Standing:
    """Answers what no desk could without giving a thread to it."""

    news: News
    revoked: Callable[[str], Awaitable[Any]]
    """Ends the connection of this id."""

    def takes(self, request: dict[str, Any]) -> bool:
        """Whether this is such a request."""
        return request.get("command") in ("news", "hold")

    async def answer(self, request: dict[str, Any], reader: asyncio.StreamReader) -> dict[str, Any] | None:
        """The answer; `None` where whoever asked has left."""
        arguments = request.get("arguments")
        match request.get("command"), arguments:
            case "news", {"after": int(after), "seconds": int() | float() as seconds}:
                return {"ok": {"count": await self.news.after(after, min(max(float(seconds), 0.0), LONGEST_S))}}
            case "hold", {"connection_id": str(connection_id)}:
                await _left(reader)
                await self.revoked(connection_id)
                return None
            case _:
                return {"error": {"code": "bad_arguments", "message": "That is not how this is asked."}}


async def _left(reader: asyncio.StreamReader) -> None:
    """Return when the other side has gone: it ended, or was ended."""
    try:
        while await reader.read(4096):
            pass
    except OSError:
        pass
