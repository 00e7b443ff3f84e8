"""Which facts each connection was shown since the daemon started, and which of those lost their quotes meanwhile."""

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock

from sophia.core.caller import Agent, Caller

_FACT = re.compile(rb'"fact_id":"(f-[0-9a-z]{26})"')
REMEMBERED = 2_000
"""Of so many facts it is remembered that a connection was shown them, the latest."""
CONNECTIONS = 500
TOLD = 20
"""So many are told in one answer; the others ride on the next ones."""


@dataclass
class _Shown:
    epoch: int
    facts: OrderedDict[bytes, None] = field(default_factory=OrderedDict)
    lost: dict[str, None] = field(default_factory=dict)


@dataclass
class Served:
    """In memory alone: what is told is a courtesy, and `explain_fact` is always right."""

    _shown: OrderedDict[str, _Shown] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def note(self, caller: Caller, body: bytes) -> None:
        """Remember the facts of an answer."""
        if not isinstance(caller, Agent) or caller.by_owner or b'"fact_id":"f-' not in body:
            return
        found = _FACT.findall(body)
        with self._lock:
            shown = self._of(caller)
            for fact_id in found:
                shown.facts[fact_id] = None
                shown.facts.move_to_end(fact_id)
            while len(shown.facts) > REMEMBERED:
                shown.facts.popitem(last=False)

    def lose(self, fact_ids: Iterable[str]) -> None:
        """Have the connections that were shown these facts told that their quotes are gone."""
        gone = list(fact_ids)
        with self._lock:
            for shown in self._shown.values():
                shown.lost.update(dict.fromkeys(one for one in gone if one.encode() in shown.facts))

    def lost(self, caller: Caller) -> list[str]:
        """The next facts to tell the caller of; each is told once."""
        with self._lock:
            shown = self._shown.get(caller.connection_id)
            if shown is None or not shown.lost or shown.epoch != caller.epoch:
                return []
            told = list(shown.lost)[:TOLD]
            for fact_id in told:
                del shown.lost[fact_id]
            return told

    def _of(self, caller: Agent) -> _Shown:
        """What was shown under the rights that the connection has now: with others, it starts anew."""
        shown = self._shown.get(caller.connection_id)
        if shown is None or shown.epoch != caller.epoch:
            shown = self._shown[caller.connection_id] = _Shown(caller.epoch)
        self._shown.move_to_end(caller.connection_id)
        while len(self._shown) > CONNECTIONS:
            self._shown.popitem(last=False)
        return shown
