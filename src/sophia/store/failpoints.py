"""Named places where a test has the process die or fail, as a crash there would."""

import os
import signal
from dataclasses import dataclass

from sophia.core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Failpoints:
    """`name:kill` or `name:fail` from `SOPHIA_FAILPOINT`; nothing at all in ordinary life."""

    spec: str = ""

    def reach(self, name: str) -> None:
        """Die by SIGKILL, or raise, where this name is the one that was asked for."""
        if not self.spec:
            return
        wanted, _, act = self.spec.partition(":")
        if wanted != name:
            return
        if act == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise Unavailable(f"failpoint {name}")
