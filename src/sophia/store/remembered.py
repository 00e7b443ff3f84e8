"""What the ops database said, remembered until something is written to it."""

from collections.abc import Callable
from typing import Generic, TypeVar

from sophia.store.ops import Ops

T = TypeVar("T")


class Remembered(Generic[T]):
    """One thing that is known of the ops database, found out anew after each write of it.

    This process alone writes that database, so that nothing can change there unseen.
    """

    def __init__(self, ops: Ops, find: Callable[[], T]) -> None:
        self._ops = ops
        self._find = find
        self._known: tuple[int, T] | None = None

    def now(self) -> T:
        """What holds now."""
        known = self._known
        version = self._ops.version  # before it is found out: a write in between makes it stale, not wrong
        if known is None or known[0] != version:
            known = self._known = (version, self._find())
        return known[1]
