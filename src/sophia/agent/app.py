"""The raw ASGI application of the agent plane: its routes, and nothing of MCP itself."""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qsl

from sophia.agent import bearer
from sophia.agent.asgi import CLOSE, App, Receive, Scope, Send, reply, told
from sophia.agent.body import Left, TooLarge, refuse_body, whole_body
from sophia.agent.door import Door, Extras
from sophia.agent.guard import Guard, gathered
from sophia.agent.protocol import Asked, Protocol
from sophia.agent.stream import Stream
from sophia.core.access import NameStyle, SurfaceSize
from sophia.core.caller import Agent

ONLY_POST: Final = (b"allow", b"POST")
ONLY_GET: Final = (b"allow", b"GET, HEAD")
NOT_FOUND: Final = told("not_found", "There is nothing here; MCP is served at POST /mcp.")
NOT_ALLOWED: Final = told("method_not_allowed", "Only the methods in the Allow header are served here.")
OWNER_ONLY: Final = told("owner_only", "Only the owner may do this, and no bearer is the owner's.")
STOPPING: Final = told("stopping", "The daemon is stopping; ask again when it is back.")
BAD_QUERY: Final = told("bad_arguments", "surface is full or core, names is dotted or underscore; each at most once.")

Headers = dict[bytes, bytes]
Names = frozenset[bytes]


def application(
    door: Door, guard: Guard, *, extras: Extras | None = None, ready: Callable[[], bool] = lambda: True
) -> App:
    """The ASGI application that serves `door`. Under `sophia.agent.http` a client that leaves cancels its call."""
    return _Plane(door, guard, Protocol(door, extras), ready)


class _Plane:
    def __init__(self, door: Door, guard: Guard, protocol: Protocol, ready: Callable[[], bool]) -> None:
        self._door = door
        self._guard = guard
        self._protocol = protocol
        self._ready = ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await self._serve(scope, receive, send)
            except Left:
                return
            except asyncio.CancelledError:
                # The client is gone, and this goes nowhere; or the daemon stops, and its client is told.
                with contextlib.suppress(RuntimeError):  # an event stream has begun, and just ends
                    await reply(send, 503, STOPPING, CLOSE)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, repeated = gathered(scope["headers"])
        turned = self._guard.turned(headers, repeated)
        path, method = scope["path"], scope["method"]
        if turned is not None:
            self._door.refused(turned.code, {"path": path[:200], "host": _shown(headers.get(b"host"))})
            await reply(send, turned.status, told(turned.code, turned.message), CLOSE)
        elif path == "/mcp" and method == "POST":
            await self._mcp(scope, receive, send, headers, repeated)
        elif path in ("/healthz", "/readyz") and method in ("GET", "HEAD"):
            well = path == "/healthz" or self._ready()
            await reply(send, 200 if well else 503, b'{"status":"ok"}' if well else b'{"status":"starting"}')
        elif path == "/mcp/connections" and method == "POST":
            await self._connections(send, headers, repeated)
        elif path in ("/mcp", "/mcp/connections", "/healthz", "/readyz"):
            await reply(send, 405, NOT_ALLOWED, ONLY_POST if path.startswith("/mcp") else ONLY_GET)
        else:
            await reply(send, 404, NOT_FOUND)

    async def _mcp(self, scope: Scope, receive: Receive, send: Send, headers: Headers, repeated: Names) -> None:
        caller = self._known(headers, repeated)
        if caller is None:
            self._refuse("/mcp", headers)
            await reply(send, 401, bearer.REFUSAL, bearer.CHALLENGE)
            return
        surface, names = caller.surface, caller.name_style
        try:
            body = await whole_body(receive, headers)
            if scope["query_string"]:
                surface, names = _asked_for(scope["query_string"], surface, names)
                caller = replace(caller, surface=surface, name_style=names)
        except TooLarge:
            await refuse_body(receive, send)
            return
        except ValueError:
            await reply(send, 400, BAD_QUERY)
            return
        stream = Stream(send)
        answer = await self._protocol.answer(Asked(caller, headers, repeated, surface, names, stream.emit), body)
        if stream.begun:
            await stream.end(answer.body)
        else:
            await reply(send, answer.status, answer.body)

    async def _connections(self, send: Send, headers: Headers, repeated: Names) -> None:
        # Whether the caller is the owner comes from the context alone: over HTTP nobody can be, whatever is sent.
        caller = self._known(headers, repeated)
        if caller is None:
            self._refuse("/mcp/connections", headers)
            await reply(send, 401, bearer.REST_REFUSAL, bearer.CHALLENGE)
        else:
            detail = {"path": "/mcp/connections", "connection_id": caller.connection_id}
            self._door.refused("owner_only", detail)
            await reply(send, 403, OWNER_ONLY)

    def _known(self, headers: Headers, repeated: Names) -> Agent | None:
        token = bearer.presented(headers, repeated)
        return None if token is None else self._door.authenticate(token)

    def _refuse(self, path: str, headers: Headers) -> None:
        self._door.refused("invalid_or_revoked_bearer", {"path": path, "sent": b"authorization" in headers})


def _asked_for(query: bytes, surface: SurfaceSize, names: NameStyle) -> tuple[SurfaceSize, NameStyle]:
    """The surface and name style that a URL asks for, the connection's own where it says nothing."""
    pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=20)
    asked = dict(pairs)
    if len(asked) != len(pairs):
        raise ValueError("repeated")
    return (
        SurfaceSize(asked["surface"]) if "surface" in asked else surface,
        NameStyle(asked["names"]) if "names" in asked else names,
    )


def _shown(value: bytes | None) -> str | None:
    return None if value is None else value[:100].decode("ascii", "backslashreplace")
