"""How often each connection called what, and what was refused: counted in memory, written once a second."""

from collections import Counter
from dataclasses import dataclass, field
from threading import Lock

from sophia.access import calls
from sophia.catalog.tool import Tool
from sophia.core.caller import Agent, Caller
from sophia.core.clock import Clock
from sophia.dispatch.answer import Answer
from sophia.store.ops import Ops

_REFUSALS = frozenset(
    {"write_not_permitted", "not_permitted", "approval_denied", "approval_void", "limit_reached", "rate_limited"}
)
"""The refusals that the security log keeps: those of authority, not those of spelling."""


@dataclass
class Usage:
    """What is counted between two writes of it."""

    ops: Ops
    clock: Clock
    _calls: Counter[str] = field(default_factory=Counter)
    _refused: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _answers: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    _lock: Lock = field(default_factory=Lock)

    def called(self, caller: Caller) -> None:
        """Count one request of a connection."""
        if isinstance(caller, Agent):
            with self._lock:
                self._calls[caller.connection_id] += 1

    def answered(self, caller: Caller, tool: Tool, answer: Answer) -> None:
        """Count an answer, whether it was an error, and its bytes. Waiting for the owner is no error."""
        if isinstance(caller, Agent) and not caller.by_owner:
            who, what = caller.connection_id, tool.name
            with self._lock:
                self._answers[who, what, "calls"] += 1
                self._answers[who, what, "bytes"] += len(answer.payload)
                if answer.is_error and answer.pending is None:
                    self._answers[who, what, "errors"] += 1

    def refused(self, who: str, what: str, code: str) -> None:
        """Count a refusal for the security log."""
        with self._lock:
            self._refused[who, what, code] += 1

    def judged(self, caller: Caller, tool: str, code: str) -> None:
        """Count a tool's refusal where it is one of authority."""
        if code in _REFUSALS:
            self.refused(caller.connection_id, tool, code)

    def of(self, caller: Agent) -> int:
        """How many requests the connection made, this one included."""
        return caller.request_count + self._calls[caller.connection_id]

    def flush(self) -> None:
        """Write what was counted."""
        with self._lock:
            called, self._calls = self._calls, Counter()
            refused, self._refused = self._refused, Counter()
            answers, self._answers = self._answers, Counter()
        if not called and not refused and not answers:
            return
        try:
            with self.ops.writing() as tx:
                for connection_id, count in called.items():
                    tx.run(
                        "UPDATE connection SET request_count = request_count + :n, last_seen = :now, delivered = 1"
                        " WHERE id = :id",
                        id=connection_id, n=count, now=self.clock.now(),
                    )  # fmt: skip
                calls.keep(tx, self.clock.now(), answers)
                for (who, what, code), count in refused.items():
                    tx.log("refused", who, what, code=code, count=count)
        except Exception:
            with self._lock:
                self._calls.update(called)
                self._refused.update(refused)
                self._answers.update(answers)
            raise
