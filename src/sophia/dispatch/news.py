"""What came in for the owner, as a count: whoever waits for more of it is woken."""

import asyncio
from dataclasses import dataclass, field


@dataclass
class News:
    """Told from any thread, heard on the loop. Where no loop runs, nobody waits."""

    loop: asyncio.AbstractEventLoop | None = None
    _count: int = 0
    _waiting: list[asyncio.Event] = field(default_factory=list)

    async def after(self, count: int, seconds: float) -> int:
        """The count, as soon as it is another one than `count`, and at the latest when the time is up."""
        if self._count == count:
            event = asyncio.Event()
            self._waiting.append(event)
            try:
                async with asyncio.timeout(seconds):
                    await event.wait()
            except TimeoutError:
                pass
            finally:
                self._waiting.remove(event)
        return self._count

    def tell(self) -> None:
        """Something came in. Called from any thread."""
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._tell)

    def _tell(self) -> None:
        self._count += 1
        for event in self._waiting:
            event.set()
