"""What rides on every answer beside the tool's own: how much waits for the caller."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sophia.core.caller import Caller
from sophia.core.errors import SophiaError

_log = logging.getLogger("sophia.signals")
Count = Callable[[Caller], int]


@dataclass(frozen=True)
class Signals:
    """The server's own keys of an answer."""

    unread: Count
    approvals_pending: Count
    _last: dict[str, int] = field(default_factory=dict)
    degraded: set[str] = field(default_factory=set)
    """What could not be told at the last try, for `health`."""

    def of(self, caller: Caller) -> dict[str, Any]:
        """The signals of this caller now. An unread count that cannot be told is the last known one, and says so."""
        signals: dict[str, Any] = {"_inbox_unread": self._last.get(caller.connection_id, 0)}
        try:
            signals["_inbox_unread"] = self._last[caller.connection_id] = self.unread(caller)
            self.degraded.discard("inbox")
        except (SophiaError, RuntimeError):
            _log.exception("the unread count could not be told")
            self.degraded.add("inbox")
            signals["_degraded"] = ["inbox"]
        if waiting := self.approvals_pending(caller):
            signals["_approvals_pending"] = waiting
        return signals
