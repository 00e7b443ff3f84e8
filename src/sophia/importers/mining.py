"""The chore that mines what is searchable: a few documents at a time, each time in one mutation."""

import logging
from dataclasses import dataclass, field, replace

from sophia.access.secrets import Secrets
from sophia.capabilities.documents.roots import GrantedRoots
from sophia.capabilities.mining import records
from sophia.capabilities.mining.recorded import mine
from sophia.catalog.call import WriteCall
from sophia.core.caller import Owner
from sophia.core.clock import Clock
from sophia.core.errors import SophiaError
from sophia.core.ids import Ids
from sophia.store.journal import Entry
from sophia.store.state import State

AT_ONCE = 8
LOOK_EVERY_S = 2.0
_log = logging.getLogger("sophia.mining")


@dataclass(frozen=True)
class Mining:
    """A chore (core/chore.py). A document that cannot be mined is passed over until the next start."""

    state: State
    owner: Owner
    clock: Clock
    ids: Ids
    roots: GrantedRoots
    secrets: Secrets
    passed_over: set[str] = field(default_factory=set)
    name: str = "mining"

    def step(self) -> float | None:
        """Mine the oldest that wait, together; where one of them makes that fail, each by itself."""
        if self.state.read_only is not None:
            return None
        with self.state.reading(self.owner) as db:
            found = records.waiting(db, AT_ONCE + len(self.passed_over))
        waiting = [document_id for document_id in found if document_id not in self.passed_over][:AT_ONCE]
        if not waiting:
            return LOOK_EVERY_S
        try:
            self._mined(waiting)
        except SophiaError as error:
            if error.code not in _ITS_OWN:
                raise
            for document_id in waiting:
                self._alone(document_id)
        return 0

    def close(self) -> None:
        """It holds nothing."""

    def _alone(self, document_id: str) -> None:
        try:
            self._mined([document_id])
        except SophiaError as error:
            if error.code not in _ITS_OWN:
                raise
            self.passed_over.add(document_id)
            _log.exception("a document could not be mined", extra={"document": document_id})

    def _mined(self, document_ids: list[str]) -> None:
        miner, now = replace(self.owner, name="sophia"), self.clock.now()
        entry = Entry(miner.user_id, miner.connection_id, miner.name, "sophia mine", self.ids.new("call"), now)
        with self.state.writing(miner, entry) as unit:
            roots = self.roots.within(miner.scope)
            call = WriteCall(unit.tx, miner, now, self.ids.new, roots, self.secrets.masking(), self.clock)
            for document_id in document_ids:
                mine(call, document_id)


_ITS_OWN = frozenset({"bad_arguments", "not_found", "conflict", "too_large", "limit_reached", "internal"})
"""Refusals that come of what a document holds, and not of the state that it is kept in."""
