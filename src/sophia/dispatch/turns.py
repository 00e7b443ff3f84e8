"""Whose turn it is: one connection's calls leave the others some of the threads."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class _Queue:
    """The turns of one connection, and how many calls of it have one or wait for one."""

    turns: asyncio.Semaphore
    calls: int = 0


@dataclass(frozen=True)
class Turns:
    """At most `at_once` calls of a connection run at a time; its further calls wait, in the order they came."""

    at_once: int
    _queues: dict[str, _Queue] = field(default_factory=dict)

    async def taken(self, connection_id: str) -> Callable[[], None]:
        """Wait for a turn; what is returned gives it back. Whoever is cancelled while waiting has left the queue."""
        queue = self._queues.get(connection_id)
        if queue is None:
            queue = self._queues[connection_id] = _Queue(asyncio.Semaphore(self.at_once))
        queue.calls += 1
        try:
            await queue.turns.acquire()
        except BaseException:
            self._left(connection_id, queue)
            raise

        def give_back() -> None:
            queue.turns.release()
            self._left(connection_id, queue)

        return give_back

    def _left(self, connection_id: str, queue: _Queue) -> None:
        queue.calls -= 1
        if not queue.calls:
            del self._queues[connection_id]
