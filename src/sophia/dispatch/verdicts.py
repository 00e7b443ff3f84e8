"""What a call meets before it runs: the policy, and what the owner allowed a connection for a while."""

from dataclasses import dataclass

from sophia.access import approvals
from sophia.access.policy import Verdict, judge
from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent, Caller
from sophia.core.clock import Clock
from sophia.store import import_session
from sophia.store.ops import Ops
from sophia.store.state import State


@dataclass(frozen=True)
class Verdicts:
    """The one answer to whether a call runs, for the call itself and for who asks ahead of it."""

    ops: Ops
    state: State
    clock: Clock

    def of(self, caller: Caller, tool: Tool, access: Access) -> Verdict:
        """Whether a call of the tool that does `access` runs, waits for the owner, or is refused."""
        verdict = judge(caller, access)
        if verdict is Verdict.ASK and access is not Access.ELEVATED:
            with self.ops.reading() as rows:
                if approvals.allowed(rows, caller.connection_id, tool.name, self.clock):
                    return Verdict.GO
        return verdict

    def session(self, caller: Caller, tool: Tool) -> str | None:
        """The import session under whose one approval a call of the tool runs; `None` where the owner is asked of it.

        It covers what ordinary writes do, new entities of a graph among it, and no tool that is elevated by itself.
        """
        coverable = tool.access is Access.WRITE and tool.group.startswith("mutate_")
        if not coverable or not isinstance(caller, Agent):
            return None
        with self.state.reading(caller) as db:
            found = import_session.open_of(db, caller, self.clock)
        return found.id if found else None
