"""What rides on every answer beside the tool's own: how much waits for the caller."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sophia.core.caller import Caller
from sophia.core.errors import SophiaError
from sophia.dispatch.served import Served

_log = logging.getLogger("sophia.signals")
Count = Callable[[Caller], int]


@dataclass(frozen=True)
class Signals:
    """The server's own keys of an answer."""

    unread: Count
    approvals_pending: Count
    served: Served = field(default_factory=Served)
    _last: dict[str, int] = field(default_factory=dict)
    degraded: set[str] = field(default_factory=set)
    """What could not be told at the last try, for `health`."""

    def of(self, caller: Caller) -> dict[str, Any]:
        """The signals of this caller now. An unread count that cannot be told is the last known one, and says so."""
        unread = self._told("inbox", self.unread, caller)
        if unread is not None:
            self._last[caller.connection_id] = unread
        waiting = self._told("approvals", self.approvals_pending, caller)
        signals: dict[str, Any] = {"_inbox_unread": self._last.get(caller.connection_id, 0)}
        if waiting:
            signals["_approvals_pending"] = waiting
        if lost := self.served.lost(caller):
            signals["_quotes_lost"] = lost
        degraded = [what for what, count in (("inbox", unread), ("approvals", waiting)) if count is None]
        if degraded:
            signals["_degraded"] = degraded
        return signals

    def _told(self, what: str, count: Count, caller: Caller) -> int | None:
        """The count, or `None` where it cannot be told: an answer is never lost for a signal."""
        try:
            told = count(caller)
        except (SophiaError, RuntimeError):
            _log.exception("a count could not be told", extra={"signal": what})
            self.degraded.add(what)
            return None
        self.degraded.discard(what)
        return told
