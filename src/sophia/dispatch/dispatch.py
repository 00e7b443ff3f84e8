"""The one path of a call, for every plane: find, judge, validate, ask, run, envelope."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sophia.access.policy import Verdict, reaches
from sophia.access.secrets import Secrets
from sophia.catalog.call import ReadCall
from sophia.catalog.catalog import Catalog
from sophia.catalog.house import House
from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent, Caller
from sophia.core.clock import Clock
from sophia.core.errors import ApprovalPending, SophiaError, UnknownTool, WriteNotPermitted
from sophia.core.ids import Ids
from sophia.core.page import Window
from sophia.core.waiter import PATIENT, Waiter
from sophia.dispatch.answer import Answer
from sophia.dispatch.approval import Approvals
from sophia.dispatch.arguments import validated
from sophia.dispatch.cursor import Cursors
from sophia.dispatch.envelope import Question, fields_of, refusal, room_of, shown, signalled, warned
from sophia.dispatch.signals import Signals
from sophia.dispatch.trail import Trail
from sophia.dispatch.verdicts import Verdicts
from sophia.dispatch.window import window_of
from sophia.dispatch.writes import Order, Writes
from sophia.store.state import State

_log = logging.getLogger("sophia.dispatch")
Refused = Callable[[Caller, Tool, SophiaError], None]
Answered = Callable[[Caller, Tool, Answer], None]


@dataclass(frozen=True)
class Dispatcher:
    """Every call goes through here, whoever makes it and however it arrives."""

    catalog: Catalog
    state: State
    verdicts: Verdicts
    house: House
    writes: Writes
    approvals: Approvals
    secrets: Secrets
    signals: Signals
    cursors: Cursors
    clock: Clock
    ids: Ids
    refused: Refused
    answered: Answered
    trail: Trail

    def call(self, caller: Caller, name: str, raw: dict[str, Any], waiter: Waiter = PATIENT) -> Answer:
        """The answer to one call; `UnknownTool` where there is no such tool, which is the wire's to say."""
        tool = self.catalog.find(name)
        if tool is None:
            raise UnknownTool(name=name[:80])
        answer = self._called(caller, tool, raw, waiter)
        self.answered(caller, tool, answer)
        return answer

    def _called(self, caller: Caller, tool: Tool, raw: dict[str, Any], waiter: Waiter) -> Answer:
        try:
            body = self._run(caller, tool, raw, waiter)
        except SophiaError as error:
            self.refused(caller, tool, error)
            return self._failed(caller, error, self.ids.new("call"))
        except Exception:  # noqa: BLE001 - whatever a handler does wrong, the caller gets a structured answer
            error_id = self.ids.new("call")
            _log.exception("call failed", extra={"error_id": error_id, "tool": tool.name})
            return self._failed(caller, SophiaError(), error_id)
        signals = self.signals.of(caller)
        self.signals.served.note(caller, body)
        return Answer(signalled(body, signals))

    def _run(self, caller: Caller, tool: Tool, raw: dict[str, Any], waiter: Waiter) -> bytes:
        if not reaches(caller, tool.access):
            raise self._beyond(caller, tool)
        masking = self.secrets.masking()
        arguments = validated(tool, masking.arguments(raw))
        access = tool.access_of(arguments)
        if access is Access.READ:
            return self._read(caller, tool, arguments, waiter)
        order = Order(caller, tool, arguments, self.ids.new("call"))
        try:
            body = self._written(order, access)
        except ApprovalPending as pending:
            self.secrets.keep(masking.hits, caller.connection_id, tool.name)
            pending.hint = masking.warning
            raise
        self.secrets.keep(masking.hits, caller.connection_id, tool.name)
        return warned(body, masking.warning)

    def _written(self, order: Order, access: Access) -> bytes:
        match self.verdicts.of(order.caller, order.tool, access):
            case Verdict.GO:
                return self.writes.run(order)
            case Verdict.ASK:
                session = self.verdicts.session(order.caller, order.tool)
                if session is not None:
                    return self.writes.run(replace(order, import_session_id=session))
                return self.approvals.settle(order)
            case Verdict.REFUSE:
                raise self._beyond(order.caller, order.tool)

    def _read(self, caller: Caller, tool: Tool, arguments: Any, waiter: Waiter) -> bytes:
        window = Window(0, None, room_of(arguments))
        if tool.listed is not None:
            fields_of(tool, arguments.fields, compact=arguments.compact)
            after = self.cursors.opened(arguments.cursor, caller, tool.name, arguments) if arguments.cursor else None
            window = window_of(tool.listed, arguments, after, window.room)
        with self.state.reading(caller, waiter) as db:
            call = ReadCall(db, caller, self.clock.now(), window, self.house, self.clock)
            result = tool.run(call, **tool.given(arguments))
            body, told = shown(self.cursors, Question(tool, caller, arguments), result)
            if tool.logged and isinstance(caller, Agent) and not caller.by_owner:
                self.trail.read(caller, tool, told, db)
        return body

    def _beyond(self, caller: Caller, tool: Tool) -> WriteNotPermitted:
        profile = caller.profile.value if isinstance(caller, Agent) else "owner"
        return WriteNotPermitted(
            f"{tool.short} is a {tool.access.value} tool, which a connection of profile {profile} cannot call.",
            hint="get_permissions lists the tools that this connection can call.",
            permission_profile=profile,
        )

    def _failed(self, caller: Caller, error: SophiaError, error_id: str) -> Answer:
        pending = error.details.get("approval_id") if error.code == "approval_pending" else None
        return Answer(signalled(refusal(error, error_id), self.signals.of(caller)), is_error=True, pending=pending)
