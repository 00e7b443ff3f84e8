"""What each method answers: the members of its result, encoded, the same for both eras."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from sophia.agent.door import Door, Exchange, Extras, Method, Refused
from sophia.agent.envelope import encode
from sophia.agent.eras import INVALID_PARAMS, SUPPORTED, negotiated
from sophia.core.access import NameStyle, SurfaceSize
from sophia.dispatch.answer import Answer

CACHED: Final = frozenset(
    {"server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)
"""The methods whose results say for how long they hold."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request as its method sees it."""

    exchange: Exchange
    surface: SurfaceSize
    names: NameStyle


Handler = Callable[[Call], Awaitable[bytes]]


class Methods:
    """The methods of a server, by era: each gives its result's members, `"tools":[…]`, without the braces."""

    def __init__(self, door: Door, extras: Extras) -> None:
        self._door = door
        self._extras = extras
        self._capabilities = {"tools": {"listChanged": False}, "prompts": {}, "resources": {}, **extras.capabilities}
        shared: dict[str, Handler] = {
            "tools/list": self._tools_list,
            "tools/call": self._tools_call,
            "prompts/list": _empty("prompts"),
            "resources/list": _empty("resources"),
            "resources/templates/list": _empty("resourceTemplates"),
            **{name: _extra(method) for name, method in extras.methods.items()},
        }
        self.modern: dict[str, Handler] = {**shared, "server/discover": self._discover}
        self.legacy: dict[str, Handler] = {
            **shared,
            "initialize": self._initialize,
            "ping": _nothing,
            **{name: _extra(method) for name, method in extras.legacy.items()},
        }

    async def _discover(self, _: Call) -> bytes:
        return _members(
            supportedVersions=SUPPORTED, capabilities=self._capabilities, instructions=self._door.instructions
        )

    async def _initialize(self, call: Call) -> bytes:
        return _members(
            protocolVersion=negotiated(call.exchange.params.get("protocolVersion")),
            capabilities={**self._capabilities, **self._extras.legacy_capabilities},
            serverInfo=self._door.server_info,
            instructions=self._door.instructions,
        )

    async def _tools_list(self, call: Call) -> bytes:
        _one_page(call)
        return b'"tools":' + self._door.listing(call.exchange.caller, call.surface, call.names)

    async def _tools_call(self, call: Call) -> bytes:
        params = call.exchange.params
        name, arguments = params.get("name"), params.get("arguments")
        if arguments is None:
            arguments = {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise Refused(INVALID_PARAMS, "tools/call takes a name and an object of arguments.")
        canonical = self._door.canonical(name)
        if canonical is None:
            raise Refused(INVALID_PARAMS, "unknown tool")
        whole = self._extras.tools.get(canonical)
        if whole is not None:
            return encode(await whole(call.exchange))[1:-1]
        return _answered(await self._door.call(call.exchange.caller, canonical, arguments))


def _answered(answer: Answer) -> bytes:
    """The payload twice: as text and as structured content, byte for byte the same."""
    ending = b',"isError":true' if answer.is_error else b',"isError":false'
    if answer.content is not None:
        return b'"content":' + encode(answer.content) + ending
    text = encode(answer.payload.decode())
    return b'"content":[{"type":"text","text":' + text + b'}],"structuredContent":' + answer.payload + ending


def _empty(name: str) -> Handler:
    body = b'"' + name.encode() + b'":[]'

    async def answer(call: Call) -> bytes:
        _one_page(call)
        return body

    return answer


def _extra(method: Method) -> Handler:
    async def answer(call: Call) -> bytes:
        return encode(await method(call.exchange))[1:-1]

    return answer


async def _nothing(_: Call) -> bytes:
    return b""


def _one_page(call: Call) -> None:
    if call.exchange.params.get("cursor") is not None:
        raise Refused(INVALID_PARAMS, "This list has one page; ask for it without a cursor.")


def _members(**told: Any) -> bytes:
    return encode({key: value for key, value in told.items() if value != ""})[1:-1]
