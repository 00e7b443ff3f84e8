"""Connections that are lent to one thread at a time."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from queue import Empty, LifoQueue
from threading import Lock
from typing import Generic, TypeVar

from sophia.core.errors import Unavailable

C = TypeVar("C")


class Pool(Generic[C]):
    """At most `size` of what `make` makes, made when they are first needed."""

    def __init__(self, make: Callable[[], C], size: int, patience_s: float = 10.0) -> None:
        self._make = make
        self._idle: LifoQueue[C] = LifoQueue()
        self._left = size
        self._lock = Lock()
        self._patience_s = patience_s
        self.made: list[C] = []

    @contextmanager
    def lent(self) -> Generator[C]:
        """One of them, for the block."""
        one = self._take()
        try:
            yield one
        finally:
            self._idle.put(one)

    def _take(self) -> C:
        try:
            return self._idle.get_nowait()
        except Empty:
            pass
        with self._lock:
            if self._left:
                made = self._make()
                self._left -= 1
                self.made.append(made)
                return made
        try:
            return self._idle.get(timeout=self._patience_s)
        except Empty:
            raise Unavailable("Too many calls are reading at once; try again.", retry_after_s=1) from None
