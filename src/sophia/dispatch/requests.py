"""A connection's own view of what it asked of the owner."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sophia.access import approvals
from sophia.access.approvals import Wanted
from sophia.core.access import ApprovalStatus
from sophia.core.caller import Agent, Caller
from sophia.core.clock import Clock
from sophia.core.page import Page, Window
from sophia.store.ops import Ops
from sophia.store.remembered import Remembered


@dataclass(frozen=True)
class Requests:
    """Each caller finds its own requests; another's are as good as none."""

    ops: Ops
    clock: Clock

    def find(self, caller: Caller, approval_id: str) -> dict[str, Any] | None:
        """The caller's request of this id, or `None`."""
        with self.ops.reading() as rows:
            approval = approvals.find(rows, approval_id)
        if approval is None or approval.connection_id != caller.connection_id:
            return None
        return approval.told(self.clock, caller.epoch)

    def of(self, caller: Caller, status: ApprovalStatus | None, window: Window) -> Page[dict[str, Any]]:
        """The caller's requests, as far as the window shows them."""
        wanted = Wanted(caller.connection_id, status)
        with self.ops.reading() as rows:
            part = approvals.listed(rows, self.clock, wanted, window)
            return part.page([each.told(self.clock, caller.epoch) for each in approvals.whole(rows, part)])

    def waiting(self, caller: Caller) -> int:
        """How many of the caller's requests wait for the owner."""
        if not isinstance(caller, Agent) or caller.connection_id not in self._askers.now():
            return 0
        with self.ops.reading() as rows:
            return approvals.pending(rows, caller.connection_id, self.clock)

    @cached_property
    def _askers(self) -> Remembered[frozenset[str]]:
        return Remembered(self.ops, self._found_askers)

    def _found_askers(self) -> frozenset[str]:
        with self.ops.reading() as rows:
            return approvals.askers(rows)
