"""A small house behind the door: a few tools, static bearers kept as hashes, nothing else."""

import asyncio
import dataclasses
import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.caller import Agent
from sophia.core.scope import EVERYTHING
from sophia.dispatch.answer import Answer

BEARER = "sophia_" + "A" * 43
OTHER_BEARER = "sophia_" + "B" * 43
REVOKED_BEARER = "sophia_" + "R" * 43

TOOLS = {
    "sophia.echo": "Answers with its arguments.",
    "sophia.whoami": "Answers with the connection that asks.",
    "sophia.always_fails": "Answers with an error.",
    "sophia.breaks": "Raises what no tool should raise.",
    "sophia.read_slowly": "Reads for as long as it is told.",
    "sophia.write_slowly": "Writes for as long as it is told, whatever becomes of its caller.",
}
CORE = ("sophia.echo", "sophia.whoami")


def agent(name: str) -> Agent:
    """A connection of that name that may do everything."""
    return Agent(
        connection_id=hashlib.sha256(name.encode()).hexdigest()[:32],
        user_id="u-1",
        name=name,
        profile=Profile.FULL,
        mode=Mode.PRE_APPROVED,
        scope=EVERYTHING,
        can_delegate=False,
        can_post=True,
        surface=SurfaceSize.FULL,
        name_style=NameStyle.DOTTED,
        epoch=1,
        expires_at=None,
    )


@dataclass
class FixtureDoor:
    """Implements `sophia.agent.door.Door` over a handful of tools."""

    tools: dict[str, str] = field(default_factory=lambda: dict(TOOLS))
    schemas: dict[str, dict[str, Any]] = field(default_factory=dict)
    refusals: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    server_info: dict[str, Any] = field(default_factory=lambda: {"name": "sophia-fixture", "version": "1.0"})
    instructions: str = "A fixture."

    def __post_init__(self) -> None:
        self._bearers = [(_digest(BEARER.encode()), agent("first")), (_digest(OTHER_BEARER.encode()), agent("second"))]
        self._canonical = {spelling: name for name in self.tools for spelling in _spellings(name)}

    def authenticate(self, token: bytes) -> Agent | None:
        digest = _digest(token)
        for known, caller in self._bearers:
            if hmac.compare_digest(known, digest):
                return caller
        return None

    def revoke(self, bearer: str) -> None:
        digest = _digest(bearer.encode())
        self._bearers = [entry for entry in self._bearers if not hmac.compare_digest(entry[0], digest)]

    def listing(self, caller: Agent, surface: SurfaceSize, names: NameStyle) -> bytes:
        shown: Iterable[str] = CORE if surface is SurfaceSize.CORE else self.tools
        return msgspec.json.encode([self._definition(name, names) for name in shown])

    def canonical(self, name: str) -> str | None:
        return self._canonical.get(name)

    async def call(self, caller: Agent, name: str, arguments: dict[str, Any]) -> Answer:
        self.calls.append((caller.name, name))
        match name:
            case "sophia.whoami":
                return _said({"name": caller.name, "connection_id": caller.connection_id})
            case "sophia.always_fails":
                return _said({"error": {"code": "not_found", "message": "No.", "error_id": "er-1"}}, is_error=True)
            case "sophia.breaks":
                raise RuntimeError("canary-in-an-exception")
            case "sophia.read_slowly":
                return await self._read(float(arguments.get("seconds", 30)))
            case "sophia.write_slowly":
                await asyncio.shield(asyncio.ensure_future(self._write(float(arguments.get("seconds", 0.3)))))
                return _said({"written": True})
            case _:
                return _said({"echo": arguments})

    def refused(self, what: str, detail: dict[str, Any]) -> None:
        self.refusals.append((what, detail))

    async def _read(self, seconds: float) -> Answer:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise
        self.ended.append("sophia.read_slowly")
        return _said({"read": True})

    async def _write(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        self.ended.append("sophia.write_slowly")

    def _definition(self, name: str, names: NameStyle) -> dict[str, Any]:
        return {
            "name": name if names is NameStyle.DOTTED else name.replace(".", "_"),
            "description": self.tools[name],
            "inputSchema": self.schemas.get(name, {"type": "object", "properties": {}}),
        }


def styled(caller: Agent, names: NameStyle, surface: SurfaceSize) -> Agent:
    """The same connection, minted with another name style and surface."""
    return dataclasses.replace(caller, name_style=names, surface=surface)


def _spellings(name: str) -> tuple[str, ...]:
    bare = name.removeprefix("sophia.")
    first, *rest = bare.split("_")
    return name, name.replace(".", "_"), bare, first + "".join(part.title() for part in rest)


def _said(told: dict[str, Any], *, is_error: bool = False) -> Answer:
    return Answer(msgspec.json.encode({**told, "_inbox_unread": 0}), is_error=is_error)


def _digest(token: bytes) -> bytes:
    return hashlib.sha256(token).hexdigest().encode()
