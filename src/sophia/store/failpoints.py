"""Named places where a test has the process die or fail, as a crash there would."""

import os
import signal
from collections import Counter
from dataclasses import dataclass, field

from sophia.core.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Failpoints:
    """`name:kill` or `name:fail` from `SOPHIA_FAILPOINT`, `name:kill:3` at the third time; nothing in ordinary life."""

    spec: str = ""
    _met: Counter[str] = field(default_factory=Counter)

    def reach(self, name: str) -> None:
        """Die by SIGKILL, or raise, where this name is the one that was asked for."""
        if not self.spec:
            return
        wanted, _, act = self.spec.partition(":")
        act, _, time = act.partition(":")
        if wanted != name:
            return
        self._met[name] += 1
        if self._met[name] < int(time or 1):
            return
        if act == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise Unavailable(f"failpoint {name}")
