"""A breaker: whoever just failed to answer is left alone for a while, the longer the more often."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

from sophia.core.errors import Unavailable

RESTS_S = (1.0, 2.0, 5.0, 15.0, 60.0)
"""For how long, after the first failure in a row, the second, and so on."""


class Breaker:
    """What keeps many from waiting, one after the other, for what does not come."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._lock = Lock()
        self._failed = 0
        self._until = 0.0

    @contextmanager
    def asking(self) -> Iterator[None]:
        """One attempt, in the block; `Unavailable` at once while it rests. As a rest ends, one attempt goes first."""
        with self._lock:
            if self._failed:
                if self._now() < self._until:
                    raise Unavailable("The embedding server is left alone for a while: it just failed to answer.")
                self._rest()
        try:
            yield
        except Unavailable:
            with self._lock:
                self._failed += 1
                self._rest()
            raise
        with self._lock:
            self._failed = 0

    def _rest(self) -> None:
        self._until = self._now() + RESTS_S[min(max(self._failed, 1), len(RESTS_S)) - 1]
