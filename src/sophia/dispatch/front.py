"""The door that the wires knock at: who is there, what they may see listed, and their calls, off the event loop."""

import asyncio
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sophia.access.policy import reaches
from sophia.access.roster import Roster
from sophia.catalog import listing
from sophia.core.access import NameStyle, SurfaceSize
from sophia.core.caller import Agent
from sophia.core.clock import Clock
from sophia.core.waiter import Waiter
from sophia.dispatch.answer import Answer
from sophia.dispatch.dispatch import Dispatcher
from sophia.dispatch.turns import Turns
from sophia.dispatch.usage import Usage
from sophia.dispatch.waiting import Waiting
from sophia.dispatch.workers import Workers
from sophia.store.ops import Ops


@dataclass(frozen=True)
class Front:
    """The house as seen from outside."""

    dispatcher: Dispatcher
    ops: Ops
    usage: Usage
    clock: Clock
    workers: Workers
    waiting: Waiting
    approval_wait_s: float
    server_info: dict[str, str]
    instructions: str
    _listings: dict[tuple[Any, ...], bytes] = field(default_factory=dict)

    @cached_property
    def _roster(self) -> Roster:
        return Roster(self.ops, self.clock)

    @cached_property
    def _turns(self) -> Turns:
        return Turns(max(1, self.workers.count // 2))

    def authenticate(self, token: bytes) -> Agent | None:
        """The live connection that this bearer is of, as its row stands now."""
        return self._roster.of(token)

    def canonical(self, name: str) -> str | None:
        """The canonical name of any accepted spelling; `None` for no tool."""
        tool = self.dispatcher.catalog.find(name)
        return tool.name if tool else None

    def listing(self, caller: Agent, surface: SurfaceSize, names: NameStyle) -> bytes:
        """The tools that this connection is listed, as an encoded array: made once for each kind of connection."""
        catalog = self.dispatcher.catalog
        key = (caller.profile, caller.can_post, surface, names)
        found = self._listings.get(key)
        if found is None:
            within = [tool for tool in catalog.tools if reaches(caller, tool.access)]
            found = self._listings[key] = listing.encoded(catalog, listing.listed(within, surface), names)
        return found

    async def call(self, caller: Agent, name: str, arguments: dict[str, Any]) -> Answer:
        """The answer to a call: run in a worker thread, and waited for a while where the owner has to decide."""
        answer = await self._run(caller, name, arguments)
        if answer.pending is None or self.approval_wait_s <= 0:
            return answer
        if await self.waiting.decided(answer.pending, self.approval_wait_s):
            return await self._run(caller, name, arguments)
        return answer

    async def _run(self, caller: Agent, name: str, arguments: dict[str, Any]) -> Answer:
        self.usage.called(caller)
        give_back = await self._turns.taken(caller.connection_id)
        waiter = Waiter()
        running = self.workers.run(self._answered, caller, name, arguments, waiter)
        # The turn lasts as long as the thread is held, which may be longer than anybody waits.
        running.add_done_callback(lambda _: give_back())
        try:
            answer = await asyncio.shield(running)
        except asyncio.CancelledError:
            waiter.leave()
            raise
        if answer is None:
            raise asyncio.CancelledError
        return answer

    def _answered(self, caller: Agent, name: str, arguments: dict[str, Any], waiter: Waiter) -> Answer | None:
        """The answer; `None`, with nothing done, where nobody waits any more when the call begins."""
        return None if waiter.left else self.dispatcher.call(caller, name, arguments, waiter)

    def refused(self, what: str, detail: dict[str, Any]) -> None:
        """Keep a refusal that never became a call."""
        self.usage.refused("unknown", what, str(detail.get("code", what)))
