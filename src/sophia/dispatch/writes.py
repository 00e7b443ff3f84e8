"""Running a write: once for each key, previewed without a trace, journaled with its reason."""

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from sophia.access.secrets import Secrets
from sophia.capabilities.documents.roots import GrantedRoots
from sophia.catalog.call import WriteCall
from sophia.catalog.tool import Tool
from sophia.core.caller import Caller
from sophia.core.clock import Clock
from sophia.core.errors import IdempotencyMismatch, PreviewChanged, SophiaError, TooLarge
from sophia.core.ids import Ids
from sophia.core.secrets.masking import Masking
from sophia.dispatch.cursor import Cursors
from sophia.dispatch.envelope import Question, enveloped, warned
from sophia.dispatch.preview import Preview, previewed
from sophia.store.journal import Entry
from sophia.store.once import Done
from sophia.store.state import State, Unit

_log = logging.getLogger("sophia.writes")
CALLED = "call:"
"""Before a caller's own idempotency key, so that it never names anything but a call."""
APPROVED = "approval:"
"""Before an approval's id: the key under which its write ran, if it ran."""
GIVES_WORK = frozenset({"chunk", "folder_scan"})
"""Derived tables that are written where there is something to do behind the calls: a text, or a folder."""
TOO_LONG = b'{"warning":"This was done; its result is too long to repeat; read it back."}'
"""In place of a result beyond the bound: what is too long to tell is no reason to undo it."""


@dataclass(frozen=True, slots=True)
class Order:
    """One write as it is to run."""

    caller: Caller
    tool: Tool
    arguments: msgspec.Struct
    call_id: str
    approval_id: str | None = None
    """The approval that it runs by."""
    expected: str | None = None
    """The digest of the preview that the owner approved."""
    import_session_id: str | None = None
    """The import session by whose approval it runs, which has to be open still when it does."""

    @property
    def keys(self) -> tuple[str, ...]:
        """What it runs once under: the caller's own idempotency key, and its approval."""
        own: str | None = getattr(self.arguments, "idempotency_key", None)
        named = (
            None if own is None else CALLED + own,
            None if self.approval_id is None else APPROVED + self.approval_id,
        )
        return tuple(key for key in named if key is not None)

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
    roots: GrantedRoots
    secrets: Secrets
    joined: Callable[[Caller, list[str]], None]
    """Told of the entities that a list-scoped connection made, which join its scope."""
    wake: Callable[[], None]
    """Called after a write that gives the chores work."""

    def run(self, order: Order) -> bytes:
        """The answer of the write, committed; of an earlier one, where its key was used before for the same."""
        now, masking = self.clock.now(), self.secrets.masking()
        with self.state.writing(order.caller, self._entry(order, now)) as unit:
            for key in order.keys:
                if done := unit.done(key):
                    return _repeated(order, done)
            body = warned(self._handled(order, unit, now, masking), masking.warning)
            changes = unit.changes()
            if order.expected is not None and previewed(changes).digest != order.expected:
                raise PreviewChanged
            seq = unit.seq if changes else None
            if seq is not None:
                body = b'{"mutation_seq":' + str(seq).encode() + (b"," if len(body) > 2 else b"") + body[1:]
            for key in order.keys:
                unit.keep(key, Done(order.tool.name, order.sha256, body.decode(), seq, order.caller.epoch))
        self._joined(order, unit.tx.joined)
        self.secrets.keep(masking.hits, order.caller.connection_id, order.tool.name)
        if unit.tx.derived & GIVES_WORK:
            self.wake()
        return body

    def earlier(self, order: Order) -> bytes | None:
        """The answer of the same write, where its key was used for it before; `IdempotencyMismatch` for another."""
        for key in order.keys:
            if done := self.state.done(order.caller.connection_id, key):
                return _repeated(order, done)
        return None

    def preview(self, order: Order) -> Preview:
        """What the write would change, were it run now. It raises what the write would raise, and leaves nothing."""
        now = self.clock.now()
        try:
            with self.state.writing(order.caller, self._entry(order, now)) as unit:
                self._handled(order, unit, now, self.secrets.masking())
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

    def _handled(self, order: Order, unit: Unit, now: int, masking: Masking) -> bytes:
        roots = self.roots.within(order.caller.scope)
        call = WriteCall(unit.tx, order.caller, now, self.ids.new, roots, masking, self.clock)
        result = order.tool.run(call, **order.tool.given(order.arguments))
        try:
            return enveloped(self.cursors, Question(order.tool, order.caller, order.arguments), result)
        except TooLarge:
            return TOO_LONG

    def _entry(self, order: Order, now: int) -> Entry:
        caller = order.caller
        reason: Any = getattr(order.arguments, "reason", None)
        return Entry(
            caller.user_id, caller.connection_id, caller.name, order.tool.name, order.call_id, now, reason,
            order.import_session_id,
        )  # fmt: skip


def kept(result: str, *, since: int, caller: Caller) -> bytes:
    """A result that was kept, as this caller may see it: once its rights have changed, only that it was done."""
    if since == caller.epoch:
        return result.encode()
    told = {"warning": "This was done before the rights of this connection changed; its result is not shown again."}
    seq = msgspec.json.decode(result, type=dict[str, Any]).get("mutation_seq")
    return msgspec.json.encode(told if seq is None else {"mutation_seq": seq, **told})


def _repeated(order: Order, done: Done) -> bytes:
    if done.arguments_sha256 != order.sha256:
        raise IdempotencyMismatch(argument="idempotency_key")
    return kept(done.result, since=done.epoch, caller=order.caller)
