"""The thread in which chores are done, one step after the other."""

import logging
import time
from collections.abc import Sequence
from threading import Condition, Thread

from sophia.core.chore import Chore

RETRY_S = (1.0, 2.0, 5.0, 15.0, 60.0)
"""How long a chore rests that failed once, twice, and so on."""
_log = logging.getLogger("sophia.chores")


class Chores:
    """All chores of a house, in turns: none keeps another from its step."""

    def __init__(self, chores: Sequence[Chore] = ()) -> None:
        self.chores = tuple(chores)
        self._due = [0.0] * len(self.chores)
        self._failed = [0] * len(self.chores)
        self._told = Condition()
        self._thread: Thread | None = None
        self._ending = False

    @property
    def failing(self) -> list[str]:
        """The names of the chores whose last step failed."""
        return [chore.name for chore, failed in zip(self.chores, self._failed, strict=True) if failed]

    def begin(self) -> None:
        """Have a thread do what waits from now on."""
        self._thread = Thread(target=self._run, name="sophia-chores")
        self._thread.start()

    def wake(self) -> None:
        """Something may wait: every chore that does not rest after a failure is due at once."""
        with self._told:
            for n, failed in enumerate(self._failed):
                if not failed:
                    self._due[n] = 0.0
            self._told.notify()

    def settle(self, within_s: float) -> bool:
        """Do everything that waits, in the calling thread; whether it was all done in that time.

        For whoever has no thread of chores running: the command line without a daemon, and tests.
        """
        end = time.monotonic() + within_s
        busy = bool(self.chores)
        while busy and time.monotonic() < end:
            dues = [chore.step() for chore in self.chores]
            busy = 0 in dues  # what one chore does may give another work
        return not busy

    def end(self) -> None:
        """Let the step that runs come to its end, do no other, and have every chore give back what it holds."""
        with self._told:
            self._ending = True
            self._told.notify()
        if self._thread is not None:
            self._thread.join()
        for chore in self.chores:
            chore.close()

    def _run(self) -> None:
        while self._waited():
            for n in range(len(self.chores)):
                if not self._ending and self._due[n] <= time.monotonic():
                    self._stepped(n)

    def _waited(self) -> bool:
        """Wait until a chore is due; `False` at the end."""
        with self._told:
            while not self._ending:
                left = min(self._due, default=float("inf")) - time.monotonic()
                if left <= 0:
                    return True
                self._told.wait(left if left != float("inf") else None)
        return False

    def _stepped(self, n: int) -> None:
        with self._told:
            self._due[n] = float("inf")
        try:
            after = self.chores[n].step()
        except Exception as error:  # noqa: BLE001 - whatever one chore does wrong, it is tried again and the others go on
            if not self._failed[n]:
                what = {"chore": self.chores[n].name, "error": type(error).__name__}
                _log.error("a chore fails and will be tried again", extra=what)
            after = RETRY_S[min(self._failed[n], len(RETRY_S) - 1)]
            self._failed[n] += 1
        else:
            self._failed[n] = 0
        if after is not None:
            with self._told:
                self._due[n] = min(self._due[n], time.monotonic() + after)
