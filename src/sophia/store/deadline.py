"""A bound on what one statement may take: checked by the engine itself as it runs."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

import apsw

from sophia.core.waiter import PATIENT, Waiter

STEPS = 4_000
"""Virtual machine instructions between two looks at the time: well under a millisecond."""


class Deadline:
    """The deadline of one connection, open-ended until one is set."""

    def __init__(self, db: apsw.Connection, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._until: float | None = None
        self._waiter = PATIENT
        db.set_progress_handler(self._passed, STEPS)

    @contextmanager
    def within(self, seconds: float) -> Generator[None]:
        """Interrupt whatever still runs on the connection after `seconds`."""
        self.set(seconds, PATIENT)
        try:
            yield
        finally:
            self.clear()

    def set(self, seconds: float, waiter: Waiter) -> None:
        """Interrupt whatever still runs after `seconds`, or once nobody waits for it, until `clear`."""
        self._until = self._now() + seconds
        self._waiter = waiter

    def clear(self) -> None:
        """Let run what will."""
        self._until = None

    def _passed(self) -> bool:
        return self._until is not None and (self._waiter.left or self._now() > self._until)
