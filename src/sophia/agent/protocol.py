"""MCP over one request and one reply, in both eras, with no transport in it."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from sophia.agent.door import Door, Exchange, Extras, Refused
from sophia.agent.envelope import ACCEPTED, NO_ID, Message, Reply, encode, error, identity, is_reply, opened, result
from sophia.agent.eras import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    SERVER_KEY,
    check_modern,
    is_modern,
)
from sophia.agent.methods import CACHED, Call, Methods
from sophia.agent.strict_json import ParseError, decoded
from sophia.core.access import NameStyle, SurfaceSize
from sophia.core.caller import Agent

FRESH_MS: Final = 10_000
"""For how long a client may keep a list: short, since the owner may change what a connection sees."""

NO_BATCH: Final = Refused(INVALID_REQUEST, "Send one JSON-RPC message, an object; batches are not served.")

_log = logging.getLogger("sophia.agent")


@dataclass(frozen=True, slots=True)
class Asked:
    """An authenticated POST, its body aside."""

    caller: Agent
    headers: dict[bytes, bytes]
    repeated: frozenset[bytes]
    surface: SurfaceSize
    names: NameStyle
    emit: Callable[[dict[str, Any]], Awaitable[None]]


class Protocol:
    """The server side of MCP over a door."""

    def __init__(self, door: Door, extras: Extras | None = None) -> None:
        self._extras = extras or Extras()
        self._methods = Methods(door, self._extras)
        signed = b'"_meta":{"' + SERVER_KEY.encode() + b'":' + encode(door.server_info) + b"}}"
        self._signed = signed
        self._cached = b'"ttlMs":%d,"cacheScope":"private",' % FRESH_MS + signed

    async def answer(self, asked: Asked, body: bytes) -> Reply:
        """The reply to one body: strict JSON, one message, its era, then what that era demands."""
        try:
            value = decoded(body)
        except ParseError as wrong:
            return Reply(400, error(NO_ID, Refused(PARSE_ERROR, str(wrong))))
        if not isinstance(value, dict):
            return Reply(400, error(NO_ID, NO_BATCH))
        known = identity(value)
        if is_reply(value):
            self._extras.replied(value)
            return ACCEPTED
        try:
            message = opened(value, known)
        except Refused as refused:
            return Reply(400, error(known, refused))
        if message.id is None:
            return ACCEPTED
        if is_modern(asked.headers, message.params):
            return await self._modern(asked, message, known)
        return await self._legacy(asked, message, known)

    async def _modern(self, asked: Asked, message: Message, known: bytes) -> Reply:
        method = message.method
        try:
            check_modern(asked.headers, asked.repeated, method, message.params)
            members = await self._run(self._methods.modern, asked, message)
        except Refused as refused:
            status = 404 if refused.code == METHOD_NOT_FOUND else 200 if refused.code == INTERNAL_ERROR else 400
            return Reply(status, error(known, refused))
        # Only a result that asks for input names its own type, and names it first.
        start = b"{" if members.startswith(b'"resultType"') else b'{"resultType":"complete",'
        ending = self._cached if method in CACHED else self._signed
        return Reply(200, result(known, start, members, b"," if members else b"", ending))

    async def _legacy(self, asked: Asked, message: Message, known: bytes) -> Reply:
        try:
            members = await self._run(self._methods.legacy, asked, message)
        except Refused as refused:
            return Reply(200, error(known, refused))
        return Reply(200, result(known, b"{", members, b"}"))

    async def _run(self, methods: dict[str, Any], asked: Asked, message: Message) -> bytes:
        handler = methods.get(message.method)
        if handler is None:
            raise Refused(METHOD_NOT_FOUND, f"Method not found: {message.method[:100]}")
        try:
            members: bytes = await handler(
                Call(Exchange(asked.caller, message.params, asked.emit), asked.surface, asked.names)
            )
        except Refused:
            raise
        except Exception as wrong:  # noqa: BLE001 - whatever breaks inside, a client gets an answer
            # Never the text of an exception: it may hold what an agent sent.
            _log.error("%s failed inside with %s", message.method, type(wrong).__name__)
            raise Refused(INTERNAL_ERROR, "Something went wrong inside; the daemon's log names it.") from None
        return members
