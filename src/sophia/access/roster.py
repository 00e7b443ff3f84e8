"""Who is calling: the live connections by their bearers, remembered while nothing about them can have changed."""

from sophia.access import bearers, connections
from sophia.core.caller import Agent
from sophia.core.clock import Clock
from sophia.store.ops import Ops
from sophia.store.remembered import Remembered


class Roster:
    """The connections that called since the ops database was last written to."""

    def __init__(self, ops: Ops, clock: Clock) -> None:
        self._ops = ops
        self._clock = clock
        self._met: Remembered[dict[str, Agent]] = Remembered(ops, dict)

    def of(self, token: bytes) -> Agent | None:
        """The live connection that this bearer is of, as its row stands now; `None` for any other bytes."""
        digest = bearers.digest(token)
        if digest is None:
            return None
        met = self._met.now()
        return met.get(digest) or self._looked_up(digest, met)

    def _looked_up(self, digest: str, met: dict[str, Agent]) -> Agent | None:
        with self._ops.reading() as rows:
            found = connections.by_token(rows, digest, self._clock)
            if found is None:
                return connections.by_old_token(rows, digest, self._clock)
        # What ends by itself, as time passes, is looked up each time.
        if found.expires_at is None:
            met[digest] = found
        return found
