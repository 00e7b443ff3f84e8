"""The daemon as its tools see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sophia.access.policy import Verdict, reaches
from sophia.catalog.catalog import Catalog
from sophia.catalog.house import Columns, Dense, Foresight, Health
from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent, Caller
from sophia.core.errors import NotFound, SophiaError
from sophia.core.quote_standing import QuoteStandings
from sophia.dispatch.arguments import validated
from sophia.dispatch.history import History
from sophia.dispatch.requests import Requests
from sophia.dispatch.usage import Usage
from sophia.dispatch.verdicts import Verdicts
from sophia.dispatch.writes import Order, Writes


@dataclass(frozen=True)
class Interior:
    """What the read tools are handed of the daemon."""

    catalog: Catalog
    requests: Requests
    verdicts: Verdicts
    writes: Writes
    usage: Usage
    version: str
    presence: str
    condition: Callable[[], Health]
    dense: Dense
    quotes: QuoteStandings
    history: History

    def callable_tools(self, caller: Caller) -> Sequence[Tool]:
        """The tools within the caller's reach: the one set behind listing, catalog, permissions and advice."""
        return tuple(tool for tool in self.catalog.tools if reaches(caller, tool.access))

    def health(self) -> Health:
        """How the daemon is now."""
        return self.condition()

    def tables(self) -> dict[str, Columns]:
        """The tables that an agent's connection can read."""
        return self.writes.state.tables()

    def last_mutation(self) -> int:
        """The number of the last mutation, whoever may see it."""
        return self.writes.state.head.seq

    def request_count(self, caller: Agent) -> int:
        """How many requests the connection has made."""
        return self.usage.of(caller)

    def foresee(self, caller: Caller, tool: str, arguments: dict[str, Any]) -> Foresight:
        """What a write would meet now, with nothing written."""
        found = self.catalog.find(tool)
        if found is None:
            raise NotFound(f"There is no tool {tool[:80]!r}.", argument="tool")
        if not reaches(caller, found.access):
            return Foresight(False, False, False, [], "write_not_permitted", "The profile of this connection.")
        asked = found.access
        try:
            given = validated(found, arguments)
            asked = found.access_of(given)
            if asked is not Access.READ:
                self.writes.preview(Order(caller, found, given, "preview"))
        except SophiaError as error:
            in_scope = error.code != "not_found"
            conflicts = error.candidates or ([error.details] if error.code == "conflict" and error.details else [])
            asks = self._asks(caller, found, asked)
            return Foresight(False, asks, in_scope, conflicts, error.code, error.message)
        verdict = self.verdicts.of(caller, found, asked)
        return Foresight(verdict is not Verdict.REFUSE, self._asks(caller, found, asked), True, [])

    def _asks(self, caller: Caller, tool: Tool, access: Access) -> bool:
        """Whether the owner is asked about such a call by itself."""
        asks = self.verdicts.of(caller, tool, access) is Verdict.ASK
        return asks and self.verdicts.session(caller, tool) is None
