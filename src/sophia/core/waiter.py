"""Whoever waits for an answer, and may leave before it comes."""

from dataclasses import dataclass


@dataclass
class Waiter:
    """One caller of one call. When it has left, a read for it stops; a write that has begun runs to its end."""

    left: bool = False

    def leave(self) -> None:
        """Nobody waits any more."""
        self.left = True


PATIENT = Waiter()
"""Whoever calls from within, and never leaves."""
