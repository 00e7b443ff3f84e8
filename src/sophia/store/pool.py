"""Connections that are lent to one thread at a time."""

from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import Generic, TypeVar

from sophia.core.errors import Unavailable
from sophia.core.refusals import Refusal

C = TypeVar("C")


class Pool(Generic[C]):
    """At most `size` of what `make` makes, made when they are first needed. The last one given back is lent first."""

    def __init__(self, make: Callable[[], C], size: int, patience_s: float = 10.0) -> None:
        self._make = make
        self._idle: deque[C] = deque()
        self._left = size
        self._given = Condition()
        self._waiting = 0
        self._patience_s = patience_s
        self.made: list[C] = []

    def take(self) -> C:
        """One of them, to be given back; `Unavailable` where none is for too long."""
        one = self._next()
        return self._made_or_awaited() if one is None else one

    def give(self, one: C) -> None:
        """Let the next thread have it."""
        self._idle.append(one)
        # Whoever waits was counted before it looked: it is seen here, or has seen what was appended.
        if self._waiting:
            with self._given:
                self._given.notify()

    def _next(self) -> C | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _made_or_awaited(self) -> C:
        with self._given:
            if self._left:
                try:
                    one = self._make()
                except Refusal as error:  # at the start it would be one; here it is one call that cannot be served
                    raise Unavailable("The state could not be opened once more; try again.", retry_after_s=1) from error
                self._left -= 1
                self.made.append(one)
                return one
            self._waiting += 1
            try:
                awaited = self._given.wait_for(self._next, self._patience_s)
            finally:
                self._waiting -= 1
        if awaited is None:
            raise Unavailable("Too many calls are reading at once; try again.", retry_after_s=1)
        return awaited
