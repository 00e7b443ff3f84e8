"""The chore that gives every passage its vector, and brings what is in memory up to what was committed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module

from sophia.core.caller import Owner
from sophia.search import vectors
from sophia.search.dense import Dense
from sophia.search.ports import Index, Rows
from sophia.search.provider import Provider
from sophia.store.journal import Entry
from sophia.store.state import State

TOGETHER = 16
"""Passages of one step: some tenths of a second for the packaged model."""
LOOKED_AT = 2_000
"""Passages of which one step asks whether they have a vector."""
FORGOTTEN = 500
IDLE_S = 1.0


@dataclass
class Embedding:
    """A chore (core/chore.py): goes through the passages behind the writes. What waits is told by the database."""

    state: State
    dense: Dense
    owner: Owner
    name: str = "embedding"
    _seen: int = -1
    """The mutation up to which every passage has its vector."""
    _next: int = 1
    """The first passage of which it is not known that it has."""
    _gone: int = 0

    def step(self) -> float | None:
        """Embed a few passages; seconds until it is worth looking again, `None` where there is no model to do it."""
        if self.state.read_only is not None or not self.dense.told.dense:
            return None
        self.dense.measure()
        head = self.state.head.seq
        if head == self._seen:
            return IDLE_S
        with self.state.reading(self.owner) as db:
            self._returned(db)
            last = vectors.last_passage(db)
            start, end = self._next, min(self._next + LOOKED_AT, last + 1)
            model_id = self.dense.chosen_id
            waiting = vectors.waiting(db, model_id, start, end, TOGETHER) if start < end else []
            self.dense.catch_up(db)
        if waiting:
            return self._embed(waiting)
        self._next = max(start, end)
        return 0 if end <= last else self._complete(model_id, head)

    def close(self) -> None:
        """End the threads of what it fills."""
        self.dense.close()

    def _embed(self, waiting: list[vectors.Waiting]) -> float:
        made_by = self.dense.loaded()
        if made_by is None:
            return IDLE_S
        scales, whole = _quantized(made_by, [each.whole for each in waiting])
        # The vectors were made while nothing was held: what a passage is by now is compared as they are written.
        with self._writing() as tx:
            for passage, scale, vector in zip(waiting, scales, whole, strict=True):
                vectors.put(tx, self.owner.user_id, made_by.model_id, passage, scale, vector)
        with self.state.reading(self.owner) as db:
            self.dense.catch_up(db)
        # Not behind them: one that changed meanwhile waits again, maybe under the same id.
        self._next = waiting[0].chunk_id
        return 0

    def _complete(self, model_id: str, head: int) -> float:
        """Every passage has its vector: answer by them, and let go, bit by bit, of those of other models."""
        self.dense.serve(model_id)
        with self.state.reading(self.owner) as db:
            mark = self.dense.catch_up(db)
            others = set(vectors.models(db)) - {model_id}
            notes = vectors.gone(db, 0)[:FORGOTTEN]
        known = [n for n, _, _ in notes if n <= self._gone and (mark is None or n <= mark)]
        if others or len(known) == FORGOTTEN:
            with self._writing() as tx:
                if known:
                    vectors.forget_gone(tx, known[-1])
                vectors.forget_models(tx, [model_id], FORGOTTEN)
            return 0
        self._seen = head
        return IDLE_S

    @contextmanager
    def _writing(self) -> Iterator[Index]:
        """A transaction of which nothing is journaled: what is derived can be made anew."""
        owner = self.owner
        entry = Entry(owner.user_id, owner.connection_id, owner.name, "sophia.embedding", "call-embedding", 0)
        with self.state.writing(owner, entry) as unit:
            yield unit.tx

    def _returned(self, db: Rows) -> None:
        """Look again at passages whose vectors went: their ids may be those of others by now."""
        for n, _, chunk_id in vectors.gone(db, self._gone):
            self._next, self._gone = min(self._next, chunk_id), n


def _quantized(made_by: Provider, texts: list[str]) -> tuple[list[float], list[bytes]]:
    """The texts' vectors as they are kept."""
    scales, whole = import_module("sophia.search.nearest").quantized(made_by.embedded(texts))
    return [float(scale) for scale in scales], [row.tobytes() for row in whole]
