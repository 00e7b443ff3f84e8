"""What the tools read of the access log and of the counts of calls, as far as their caller may know it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sophia.access import calls, trail
from sophia.access.trail import Wanted
from sophia.core.caller import Agent, Caller
from sophia.core.errors import NotFound, SophiaError
from sophia.core.page import Page, Window
from sophia.dispatch.trail import Trail
from sophia.dispatch.usage import Usage
from sophia.store.ops import Ops
from sophia.store.reader import Reader


@dataclass(frozen=True)
class History:
    """A connection with a listed scope finds its own line: itself, those it was minted by, and those minted under it.

    One that sees every entity, and the owner, find every connection.
    """

    ops: Ops
    trail: Trail
    usage: Usage

    def of_entity(self, caller: Caller, entity_id: str, window: Window) -> Page[dict[str, Any]]:
        """Who touched an entity that the caller sees; and how often it was touched at all, by whomever."""
        _tried(self.trail.flush)
        with self.ops.reading() as rows:
            part = trail.listed(rows, Wanted(caller.scope, entity_id, among=_line(rows, caller)), window)
            extra: dict[str, object] = {"accesses": trail.counted(rows, entity_id)}
        return Page(part.rows, part.total, part.keys, part.more, extra)

    def of_connection(self, caller: Caller, connection_id: str | None, window: Window) -> Page[dict[str, Any]]:
        """What a connection touched of what the caller sees; for the owner also what all of them did.

        `NotFound` for a connection that the caller may know nothing of, as for none.
        """
        _tried(self.trail.flush)
        with self.ops.reading() as rows:
            line = _line(rows, caller)
            if connection_id is not None and not (
                trail.known(rows, connection_id) if line is None else connection_id in line
            ):
                raise NotFound("There is no such connection.", argument="connection_id")
            part = trail.listed(rows, Wanted(caller.scope, connection_id=connection_id, among=line), window)
        return part.page(part.rows)

    def calls(self, caller: Caller, since: int | None) -> dict[str, Any]:
        """How often which tool was called, by which connection, from the hour of `since` on."""
        _tried(self.usage.flush)
        with self.ops.reading() as rows:
            return calls.told(rows, since, _line(rows, caller))


def _tried(flush: Callable[[], None]) -> None:
    """Have what was counted until now be found; where it cannot be written now, what was before is."""
    with suppress(SophiaError):
        flush()


def _line(rows: Reader, caller: Caller) -> frozenset[str] | None:
    """The connections that the caller may know of; `None` for all."""
    return trail.line(rows, caller.connection_id) if isinstance(caller, Agent) and not caller.scope.is_all else None
