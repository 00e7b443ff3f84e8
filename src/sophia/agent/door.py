"""The door between the wire and the house: all that the agent plane knows of Sophia."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sophia.core.access import NameStyle, SurfaceSize
from sophia.core.caller import Agent
from sophia.dispatch.answer import Answer


class Door(Protocol):
    """The house as the wire sees it."""

    @property
    def server_info(self) -> dict[str, Any]:
        """Name and version, as MCP clients show them."""

    @property
    def instructions(self) -> str:
        """What an agent should know before its first call; under 2,000 characters."""

    def authenticate(self, token: bytes) -> Agent | None:
        """The connection that this bearer stands for right now; `None` for any other bytes."""

    def listing(self, caller: Agent, surface: SurfaceSize, names: NameStyle) -> bytes:
        """The encoded JSON array of the tools that this caller sees."""

    def canonical(self, name: str) -> str | None:
        """The `sophia.x` that any accepted spelling means; `None` for a name of no tool."""

    async def call(self, caller: Agent, name: str, arguments: dict[str, Any]) -> Answer:
        """The tool's answer, errors included. Cancelled when the client leaves, which must not end a started write."""

    def refused(self, what: str, detail: dict[str, Any]) -> None:
        """Take note of a request that was turned away before it reached the house."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request while it is answered."""

    caller: Agent
    params: dict[str, Any]
    emit: Callable[[dict[str, Any]], Awaitable[None]]
    """Sends a message ahead of the answer, which then becomes an event stream."""


class Refused(Exception):
    """A method's refusal in the protocol's own terms: a JSON-RPC code, a message, and data."""

    def __init__(self, code: int, message: str, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


Method = Callable[[Exchange], Awaitable[dict[str, Any]]]


def _nobody_asked(message: dict[str, Any]) -> None:
    """Sophia asks clients nothing, so that nothing they answer can count as the owner's word."""


@dataclass(frozen=True, slots=True)
class Extras:
    """What a server offers besides its tools: further methods, and the capabilities that announce them."""

    capabilities: Mapping[str, Any] = field(default_factory=dict)
    methods: Mapping[str, Method] = field(default_factory=dict)
    """Answered in both eras; a name that stands here takes the place of the wire's own empty list."""
    legacy: Mapping[str, Method] = field(default_factory=dict)
    """Answered in the legacy era alone."""
    legacy_capabilities: Mapping[str, Any] = field(default_factory=dict)
    tools: Mapping[str, Method] = field(default_factory=dict)
    """Tools that answer with a whole result of their own, by canonical name."""
    replied: Callable[[dict[str, Any]], None] = _nobody_asked
    """Takes what a client answers to a request that `emit` sent it."""
