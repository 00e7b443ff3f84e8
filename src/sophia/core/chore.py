"""Work that nobody waits for: done behind the calls, a step at a time."""

from typing import Protocol


class Chore(Protocol):
    """One kind of such work."""

    @property
    def name(self) -> str:
        """What it is called where it is told that it fails."""

    def step(self) -> float | None:
        """Do one bounded piece of what waits, in a transaction of its own that holds nobody up for long.

        What comes back is in how many seconds the next step is due: 0 while more is waiting; `None` where the chore
        waits to be woken. A step may be ended by SIGKILL at any point and must go on from what the database says.
        """

    def close(self) -> None:
        """Give back what it holds: threads, children, descriptors."""
