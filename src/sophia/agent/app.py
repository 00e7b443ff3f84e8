"""The raw ASGI application of the agent plane: routes, limits, and nothing of MCP itself."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qsl

from sophia.agent import bearer
from sophia.agent.door import Door, Extras
from sophia.agent.envelope import encode
from sophia.agent.guard import Guard, Turned, gathered
from sophia.agent.protocol import Asked, Protocol
from sophia.agent.stream import Stream
from sophia.core.access import NameStyle, SurfaceSize
from sophia.core.caller import Agent

MAX_BODY: Final = 4 * 1024 * 1024

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PLAIN: Final = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)
CLOSE: Final = (b"connection", b"close")
NOT_FOUND: Final = b'{"error":"not_found","message":"There is nothing here; MCP is served at POST /mcp."}'
TOO_LARGE: Final = b'{"error":"too_large","message":"A request body may have up to 4194304 bytes."}'
OWNER_ONLY: Final = b'{"error":"owner_only","message":"Only the owner may do this, and no bearer is the owner\'s."}'
NOT_ALLOWED: Final = b'{"error":"method_not_allowed","message":"Only the methods in the Allow header are served here."}'


class _Left(Exception):
    """The client went away before its request was whole."""


class _TooLarge(Exception):
    """The body is larger than is taken."""


def application(door: Door, guard: Guard, *, extras: Extras | None = None, ready: Callable[[], bool] = lambda: True) -> App:
    """The ASGI application that serves `door`. Under `sophia.agent.http` a client that leaves cancels its call."""
    protocol = Protocol(door, extras)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                await serve(scope, receive, send)
            except (_Left, asyncio.CancelledError):
                return
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        headers, repeated = gathered(scope["headers"])
        turned = guard.turned(headers, repeated)
        if turned is not None:
            door.refused(turned.code, {"path": scope["path"], "host": _shown(headers.get(b"host"))})
            return await _reply(send, turned.status, _told(turned), CLOSE)
        path, method = scope["path"], scope["method"]
        if path == "/mcp":
            if method != "POST":
                return await _reply(send, 405, NOT_ALLOWED, (b"allow", b"POST"))
            return await mcp(scope, receive, send, headers, repeated)
        if path in ("/healthz", "/readyz"):
            if method not in ("GET", "HEAD"):
                return await _reply(send, 405, NOT_ALLOWED, (b"allow", b"GET, HEAD"))
            well = path == "/healthz" or ready()
            return await _reply(send, 200 if well else 503, b'{"status":"ok"}' if well else b'{"status":"starting"}')
        if path == "/mcp/connections":
            if method != "POST":
                return await _reply(send, 405, NOT_ALLOWED, (b"allow", b"POST"))
            return await connections(scope, send, headers, repeated)
        await _reply(send, 404, NOT_FOUND)

    async def mcp(
        scope: Scope, receive: Receive, send: Send, headers: dict[bytes, bytes], repeated: frozenset[bytes]
    ) -> None:
        caller = known(headers, repeated)
        if caller is None:
            door.refused("invalid_or_revoked_bearer", {"path": "/mcp", "sent": b"authorization" in headers})
            return await _reply(send, 401, bearer.REFUSAL, bearer.CHALLENGE)
        try:
            body = await _body(receive, headers)
        except _TooLarge:
            return await _refuse_body(receive, send)
        surface, names = caller.surface, caller.name_style
        if scope["query_string"]:
            try:
                surface, names = _asked_for(scope["query_string"], surface, names)
            except ValueError:
                return await _reply(send, 400, _BAD_QUERY)
        stream = Stream(send)
        reply = await protocol.answer(Asked(caller, headers, repeated, surface, names, stream.emit), body)
        if stream.begun:
            await stream.end(reply.body)
        else:
            await _reply(send, reply.status, reply.body)

    async def connections(scope: Scope, send: Send, headers: dict[bytes, bytes], repeated: frozenset[bytes]) -> None:
        # Whether the caller is the owner comes from the context alone: over HTTP nobody can be, whatever is sent.
        caller = known(headers, repeated)
        if caller is None:
            door.refused("invalid_or_revoked_bearer", {"path": scope["path"], "sent": b"authorization" in headers})
            return await _reply(send, 401, bearer.REST_REFUSAL, bearer.CHALLENGE)
        door.refused("owner_only", {"path": scope["path"], "connection_id": caller.connection_id})
        await _reply(send, 403, OWNER_ONLY)

    def known(headers: dict[bytes, bytes], repeated: frozenset[bytes]) -> Agent | None:
        token = bearer.presented(headers, repeated)
        return None if token is None else door.authenticate(token)

    return app


async def _body(receive: Receive, headers: dict[bytes, bytes]) -> bytes:
    length = headers.get(b"content-length")
    if length is not None and int(length) > MAX_BODY:
        raise _TooLarge
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body"):
        if message["type"] == "http.disconnect":
            raise _Left
        return body
    parts, size = [body], len(body)
    while message.get("more_body"):
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Left
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BODY:
            raise _TooLarge
    return b"".join(parts)


async def _refuse_body(receive: Receive, send: Send) -> None:
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


async def _reply(send: Send, status: int, body: bytes, *more: tuple[bytes, bytes]) -> None:
    head = [*PLAIN, (b"content-length", b"%d" % len(body)), *more]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


_BAD_QUERY: Final = (
    b'{"error":"bad_arguments","message":"surface is full or core, names is dotted or underscore; each at most once."}'
)


def _asked_for(query: bytes, surface: SurfaceSize, names: NameStyle) -> tuple[SurfaceSize, NameStyle]:
    """The surface and name style that a URL asks for, the connection's own where it says nothing."""
    pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, max_num_fields=20)
    told = dict(pairs)
    if len(told) != len(pairs):
        raise ValueError("repeated")
    return (
        SurfaceSize(told["surface"]) if "surface" in told else surface,
        NameStyle(told["names"]) if "names" in told else names,
    )


def _told(turned: Turned) -> bytes:
    return encode({"error": turned.code, "message": turned.message})


def _shown(value: bytes | None) -> str | None:
    return None if value is None else value[:100].decode("ascii", "backslashreplace")
