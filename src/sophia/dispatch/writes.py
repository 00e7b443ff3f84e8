"""Running a write: once for each key, previewed without a trace, journaled with its reason."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from sophia.catalog.call import WriteCall
from sophia.catalog.house import Roots
from sophia.catalog.tool import Tool
from sophia.core.caller import Caller
from sophia.core.clock import Clock
from sophia.core.errors import IdempotencyMismatch, PreviewChanged, SophiaError
from sophia.core.ids import Ids
from sophia.dispatch.cursor import Cursors
from sophia.dispatch.envelope import Question, enveloped
from sophia.dispatch.preview import Preview, previewed
from sophia.store.journal import Entry
from sophia.store.once import Done
from sophia.store.state import State, Unit

_log = logging.getLogger("sophia.writes")
CALLED = "call:"
"""Before a caller's own idempotency key, so that it never names anything but a call."""


@dataclass(frozen=True, slots=True)
class Order:
    """One write as it is to run."""

    caller: Caller
    tool: Tool
    arguments: msgspec.Struct
    call_id: str
    key: str | None = None
    """Under which it runs once: the caller's own idempotency key, or its approval's."""
    expected: str | None = None
    """The digest of the preview that the owner approved."""

    @property
    def sha256(self) -> str:
        """The digest of the tool and its exact arguments, the key itself aside."""
        told = {name: getattr(self.arguments, name) for name in self.arguments.__struct_fields__}
        told.pop("idempotency_key", None)
        return hashlib.sha256(msgspec.json.encode([self.tool.name, told], order="deterministic")).hexdigest()


class Undone(Exception):
    """Has a previewed write rolled back, and carries what was seen of it."""

    def __init__(self, preview: Preview) -> None:
        super().__init__()
        self.preview = preview


@dataclass(frozen=True)
class Writes:
    """Runs writes against the state."""

    state: State
    clock: Clock
    ids: Ids
    cursors: Cursors
    roots: Roots
    joined: Callable[[Caller, list[str]], None]
    """Told of the entities that a list-scoped connection made, which join its scope."""

    def run(self, order: Order) -> bytes:
        """The answer of the write, committed; of an earlier one, where its key was used before for the same."""
        now = self.clock.now()
        with self.state.writing(order.caller, self._entry(order, now)) as unit:
            if order.key is not None and (done := unit.done(order.key)):
                return _repeated(order, done)
            body = self._handled(order, unit, now)
            changes = unit.changes()
            if order.expected is not None and previewed(changes).digest != order.expected:
                raise PreviewChanged
            seq = unit.seq if changes else None
            if seq is not None:
                body = b'{"mutation_seq":' + str(seq).encode() + (b"," if len(body) > 2 else b"") + body[1:]
            if order.key is not None:
                unit.keep(order.key, Done(order.tool.name, order.sha256, body.decode(), seq))
        self._joined(order, unit.tx.joined)
        return body

    def preview(self, order: Order) -> Preview:
        """What the write would change, were it run now. It raises what the write would raise, and leaves nothing."""
        now = self.clock.now()
        try:
            with self.state.writing(order.caller, self._entry(order, now)) as unit:
                self._handled(order, unit, now)
                unit.tx.settle()
                raise Undone(previewed(unit.changes()))
        except Undone as undone:
            return undone.preview

    def _joined(self, order: Order, entity_ids: list[str]) -> None:
        if not entity_ids or order.caller.scope.is_all:
            return
        try:
            self.joined(order.caller, entity_ids)
        except SophiaError:
            # The write stands, and the state knows what joined: the next start makes it whole.
            _log.exception("a scope could not be widened", extra={"call_id": order.call_id})

    def _handled(self, order: Order, unit: Unit, now: int) -> bytes:
        call = WriteCall(unit.tx, order.caller, now, self.ids.new, self.roots)
        result = order.tool.run(call, **{name: getattr(order.arguments, name) for name in order.tool.own})
        return enveloped(self.cursors, Question(order.tool, order.caller, order.arguments), result)

    def _entry(self, order: Order, now: int) -> Entry:
        caller = order.caller
        reason: Any = getattr(order.arguments, "reason", None)
        return Entry(caller.user_id, caller.connection_id, caller.name, order.tool.name, order.call_id, now, reason)


def _repeated(order: Order, done: Done) -> bytes:
    if done.arguments_sha256 != order.sha256:
        raise IdempotencyMismatch(argument="idempotency_key")
    return done.result.encode()
