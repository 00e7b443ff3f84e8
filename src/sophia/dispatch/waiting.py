"""Calls that wait for the owner's decision, and the decision that wakes them."""

import asyncio
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Waiting:
    """Who waits for which approval. Decisions come from other threads; waiting happens on the loop."""

    loop: asyncio.AbstractEventLoop | None = None
    _decided: deque[str] = field(default_factory=lambda: deque(maxlen=1_000))
    """The last decisions: one may come before whoever waits for it has begun to."""
    _events: dict[str, list[asyncio.Event]] = field(default_factory=dict)

    async def decided(self, approval_id: str, seconds: float) -> bool:
        """Whether the approval was decided within the time."""
        if approval_id in self._decided:
            return True
        event = asyncio.Event()
        self._events.setdefault(approval_id, []).append(event)
        try:
            await asyncio.wait_for(event.wait(), seconds)
        except TimeoutError:
            return False
        finally:
            waiting = self._events[approval_id]
            waiting.remove(event)
            if not waiting:
                del self._events[approval_id]
        return True

    def decide(self, approval_id: str) -> None:
        """Wake whoever waits for it. Called from any thread."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._wake, approval_id)

    def _wake(self, approval_id: str) -> None:
        self._decided.append(approval_id)
        for event in self._events.get(approval_id, ()):
            event.set()
