"""The desk at which the owner's commands arrive, over the socket or from the command that owns the data itself."""

import difflib
import logging
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from sophia.core.errors import BadArguments, SophiaError
from sophia.dispatch.arguments import fitted
from sophia.owner.command import parameters_sha256
from sophia.owner.commands import COMMANDS, grants_of
from sophia.owner.office import OWNER, Office, Progress, unheard
from sophia.owner.presence import Act, Presence, Proof
from sophia.owner.terminal import TerminalOf, terminal_of
from sophia.store.keys import passphrase_holds

_VERBATIM = frozenset({"passphrase"})
"""Commands whose arguments are taken as they are: what is a secret by its nature is stored by none of them."""
_log = logging.getLogger("sophia.owner")


@dataclass(frozen=True)
class Desk:
    """Reads a command, asks for the owner's presence where the command gives power, runs it, answers."""

    office: Office
    presence: Presence

    @classmethod
    def of(cls, office: Office, terminal_of: TerminalOf = terminal_of) -> "Desk":
        """The desk of an office, in the mode of presence that this run started with."""
        parts = office.parts
        presence = Presence(
            office.presence, parts.databases.ops, parts.clock, grants_of(office),
            lambda text: passphrase_holds(office.ownership, text), terminal_of,
        )  # fmt: skip
        return cls(office, presence)

    def answer(self, request: dict[str, Any], pid: int, progress: Progress = unheard) -> dict[str, Any]:
        """`{"ok": …}` or `{"error": {…}}`, whatever the request is. `pid` is who asks, as the kernel says."""
        try:
            return {"ok": self._done(fitted("A request", Request, request), pid, progress)}
        except SophiaError as error:
            return {"error": error.wire(self._id())}
        except Exception:  # noqa: BLE001 - whatever a command does wrong, whoever asked gets a structured answer
            error_id = self._id()
            _log.exception("a command failed", extra={"error_id": error_id})
            return {"error": SophiaError().wire(error_id)}

    def _done(self, request: "Request", pid: int, progress: Progress) -> Any:
        name = request.command
        command = COMMANDS.get(name)
        if command is None:
            near = difflib.get_close_matches(name, COMMANDS, 1)
            raise BadArguments(f"There is no command {name[:80]!r}.", hint=f"Did you mean {near[0]}?" if near else None)
        masking = self.office.parts.secrets.masking()
        raw = request.arguments if name in _VERBATIM else masking.arguments(request.arguments)
        arguments = command.read(name, raw)
        office = replace(self.office, progress=progress)
        confirmation = command.confirmed(office, arguments) if command.confirmed else None
        if confirmation is not None and not office.fresh:
            act = Act(name, parameters_sha256(name, arguments), confirmation, pid)
            self.presence.require(act, request.presence)
        told = command.run(office, arguments)
        office.parts.secrets.keep(masking.hits, OWNER, f"sophia {name}")
        if masking.hits and isinstance(told, dict):
            told["warning"] = " ".join(filter(None, (told.get("warning"), masking.warning)))
        return told

    def _id(self) -> str:
        return self.office.parts.ids.new("err")


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One command, with what it brings to show that the owner is there."""

    command: str
    arguments: dict[str, Any] = {}
    presence: Proof = Proof()
