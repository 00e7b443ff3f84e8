"""The trail that agents leave: what their calls touched, gathered in memory and written once a second."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from sophia.access import trail
from sophia.access.trail import Touch
from sophia.catalog.call import Reader
from sophia.catalog.catalog import Catalog
from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent, Owner
from sophia.core.clock import Clock
from sophia.core.ids import Ids
from sophia.dispatch.touched import Showing, changed
from sophia.store.ops import Ops
from sophia.store.state import State

MOST = 100_000
"""Entries that are kept in memory while they cannot be written; what comes after is counted, and lost."""
AT_ONCE = 100
"""Mutations whose entries are written in one transaction."""
Read = tuple[int, str, str, Collection[str]]
"""When, by which connection, through which tool, and what it touched."""


@dataclass
class Trail:
    """Entries of the access log on their way.

    A read's entries wait in memory. Those of a write are not held anywhere: they are derived from the journal, which
    keeps them as surely as the write itself, from the mutation on up to which they are written already.
    """

    state: State
    ops: Ops
    clock: Clock
    ids: Ids
    owner: Owner
    catalog: Catalog
    lost: int = 0
    """Entries that could be neither written nor kept."""
    _waiting: list[Read] = field(default_factory=list)
    _entries: int = 0
    _lock: Lock = field(default_factory=Lock)
    _writing: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        tools = [tool for tool in self.catalog.tools if tool.logged]
        self.showing: Mapping[str, Showing] = {
            tool.name: Showing.of(tool) for tool in tools if tool.access is Access.READ
        }
        """How each reading tool of the registry tells what it touched."""
        self._writes = json.dumps([tool.name for tool in tools if tool.access is not Access.READ])
        self._referring: dict[str, list[str]] = {
            table: [column for column, _, referred in columns if referred == "entity"]
            for table, columns in self.state.tables().items()
        }
        with self.ops.reading() as rows:
            self._seen = min(trail.marked(rows), self.state.head.seq)

    def read(self, agent: Agent, tool: Tool, told: Sequence[Any], db: Reader) -> None:
        """Remember which entities the answer of a reading tool is about."""
        entity_ids = self.showing[tool.name].entities(told, db)
        if not entity_ids:
            return
        read = (self.clock.now(), agent.connection_id, tool.name, entity_ids)
        with self._lock:
            if self._entries + len(entity_ids) > MOST:
                self.lost += len(entity_ids)
            else:
                self._waiting.append(read)
                self._entries += len(entity_ids)

    def flush(self) -> None:
        """Write all that was touched until now."""
        with self._writing:
            with self._lock:
                reads, self._waiting, self._entries = self._waiting, [], 0
            try:
                self._written(reads)
            except BaseException:
                with self._lock:
                    self._waiting = reads + self._waiting
                    self._entries = sum(len(entity_ids) for *_, entity_ids in self._waiting)
                raise

    def _written(self, reads: list[Read]) -> None:
        """Write these reads, and what was written to the state since the last time, in batches."""
        head = self._seen if self.state.read_only else self.state.head.seq
        while True:
            seen = min(self._seen + AT_ONCE, head)
            touches = self._derived(seen) if seen > self._seen else []
            touches += [Touch(at, who, tool, self.ids.new("call"), ids) for at, who, tool, ids in reads]
            if touches:
                with self.ops.writing() as tx:
                    trail.keep(tx, touches)
                    trail.mark(tx, seen)
                reads.clear()
            self._seen = seen
            if seen == head:
                return

    def _derived(self, upto: int) -> list[Touch]:
        """What the mutations after those that were seen touched, where an agent made them by a tool of the registry."""
        with self.state.reading(self.owner) as db:
            mutations = db.rows(
                "SELECT m.seq, m.at, m.connection_id, m.tool, m.call_id FROM mutation m WHERE m.seq > :seen"
                " AND m.seq <= :upto AND m.connection_id <> :owner AND m.tool IN (SELECT value FROM json_each(:tools))",
                seen=self._seen, upto=upto, owner=self.owner.connection_id, tools=self._writes,
            )  # fmt: skip
            changes = db.rows(
                "SELECT c.mutation_seq, c.table_name, c.row_id, c.before, c.after FROM mutation_change c"
                " WHERE c.mutation_seq IN (SELECT value FROM json_each(:seqs))",
                seqs=json.dumps([mutation["seq"] for mutation in mutations]),
            )
        rows: dict[int, list[dict[str, object]]] = {}
        for change in changes:
            rows.setdefault(change["mutation_seq"], []).append(change)
        return [
            Touch(one["at"], one["connection_id"], one["tool"], one["call_id"], touched)
            for one in mutations
            if (touched := changed(rows.get(one["seq"], ()), self._referring))
        ]
