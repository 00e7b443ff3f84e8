"""The end of access entries: thirty days after they were made, by a clock that has proven itself."""

import logging
from dataclasses import dataclass

from sophia.core.clock import MINUTE, SECOND, Clock
from sophia.store.ops import Ops, OpsTx

DAY = 24 * 60 * MINUTE
KEPT = 30 * DAY
"""How long an entry is kept. The counters of the entities are never rotated."""
LOOK_S = 900.0
"""How often it is looked."""
ASKEW = 60 * MINUTE
"""By how much the wall clock may part from the time that passed: more is a jump."""
OFF = 7 * DAY
"""How long a machine may have been off without its clock being doubted."""
PROOF = DAY
"""How long the clock has to go evenly after a jump before anything is deleted by it."""
BATCH = 500
_TABLES = (("subscriber_agent_entity_access_log", "at"), ("tool_usage", "hour"))
_log = logging.getLogger("sophia.rotation")


@dataclass
class Rotation:
    """The chore that deletes what is older than thirty days, a small batch at a time.

    The wall clock alone deletes nothing: where it jumps, by somebody's hand or a flat battery, what it says is believed
    once it has kept pace with the clock that nobody sets for a day.
    """

    ops: Ops
    clock: Clock
    name: str = "access log rotation"
    _next: int = 0
    _boot: str = ""

    def step(self) -> float:
        """Delete one batch of what is due; in how many seconds to look again."""
        awake = self.clock.awake()
        if self._boot == self.clock.boot_id() and awake < self._next:
            return (self._next - awake) / SECOND
        with self.ops.writing() as tx:
            doubted = self._looked(tx)
            more = False if doubted else self._rotated(tx)
        if more:
            return 0
        self._next, self._boot = awake + int(LOOK_S * SECOND), self.clock.boot_id()
        return LOOK_S

    def close(self) -> None:
        """There is nothing to give back."""

    def _looked(self, tx: OpsTx) -> int:
        """For how much longer the wall clock is doubted, in microseconds of time that passes."""
        now, awake, boot = self.clock.now(), self.clock.awake(), self.clock.boot_id()
        (last,) = tx.rows("SELECT looked_at, looked_awake, looked_boot, doubted_us FROM access_log_state")
        doubted = last["doubted_us"]
        if last["looked_at"] is not None:
            by_wall = now - last["looked_at"]
            passed = awake - last["looked_awake"] if boot == last["looked_boot"] else min(max(by_wall, 0), OFF)
            jumped = abs(by_wall - passed) > ASKEW
            if jumped and not doubted:
                _log.warning("the clock jumped; no access entries are deleted until it has gone evenly for a day")
            doubted = PROOF if jumped else max(0, doubted - passed)
        tx.run(
            "UPDATE access_log_state SET looked_at = :now, looked_awake = :awake, looked_boot = :boot,"
            " doubted_us = :doubted",
            now=now, awake=awake, boot=boot, doubted=doubted,
        )  # fmt: skip
        return int(doubted)

    def _rotated(self, tx: OpsTx) -> bool:
        """Whether there is more to delete."""
        before = self.clock.now() - KEPT
        tx.run("UPDATE access_log_state SET kept_from = max(kept_from, :before)", before=before)
        gone = [
            tx.run(
                f"DELETE FROM {table} WHERE rowid IN"
                f" (SELECT rowid FROM {table} WHERE {column} < :before ORDER BY {column} LIMIT {BATCH})",
                before=before,
            )
            for table, column in _TABLES
        ]
        return max(gone) == BATCH
