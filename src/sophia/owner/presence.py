"""Whether the owner is there: asked of a terminal, by a typed confirmation or the passphrase, before power is given."""

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.core.clock import MINUTE, SECOND, Clock
from sophia.core.errors import SophiaError
from sophia.owner import records
from sophia.owner.grants import Grants
from sophia.owner.office import OWNER
from sophia.owner.records import Tries
from sophia.owner.terminal import Terminal, TerminalOf
from sophia.store.ops import Ops

GOOD_US = 5 * MINUTE
LOCKED_US = 5 * MINUTE
MOST_TRIES = 5


class PresenceRequired(SophiaError):
    """This needs the owner's presence; the details say what is confirmed, and how."""

    code = "presence_required"


class PresenceRefused(SophiaError):
    """This needs the owner's presence, which was not shown."""

    code = "presence_refused"


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a command brings to show that the owner is there."""

    typed: Annotated[str, Meta(max_length=1000)] | None = None
    passphrase: Annotated[str, Meta(max_length=10_000)] | None = None
    grant: Annotated[str, Meta(max_length=100)] | None = None


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What the owner is asked to confirm: a sentence that names it, and what to type."""

    sentence: str
    phrase: str


@dataclass(frozen=True, slots=True)
class Act:
    """An act that gives power, as it is about to be done by a process."""

    command: str
    parameters_sha256: str
    confirmation: Confirmation
    pid: int


@dataclass
class Presence:
    """The owner's presence, in the one mode that this run started with."""

    mode: str
    ops: Ops
    clock: Clock
    grants: Grants
    holds: Callable[[str], bool]
    """Whether a text is the owner's passphrase."""
    terminal_of: TerminalOf
    _proven: dict[Terminal, int] = field(default_factory=dict)
    _one_at_a_time: Lock = field(default_factory=Lock)

    def require(self, act: Act, proof: Proof) -> None:
        """Return where the owner is there; `PresenceRequired` says what to bring, `PresenceRefused` why not."""
        if self.mode == "unattended":
            return
        if proof.grant is not None:
            self.grants.redeem(proof.grant, act.command, act.parameters_sha256)
            return
        terminal = self.terminal_of(act.pid)
        if terminal is None:
            raise self._refused(
                act, "no terminal", f"`sophia {act.command}` needs the owner at a terminal, and this process has none."
            )
        if self.mode == "passphrase":
            self._by_passphrase(act, proof, terminal)
        else:
            self._by_typing(act, proof)

    def _by_typing(self, act: Act, proof: Proof) -> None:
        if proof.typed is None:
            raise self._required(act)
        if " ".join(proof.typed.split()) != " ".join(act.confirmation.phrase.split()):
            raise self._refused(act, "other words", "That is not what was to be typed; nothing was done.")

    def _by_passphrase(self, act: Act, proof: Proof, terminal: Terminal) -> None:
        with self._one_at_a_time:
            if self.clock.awake() < self._proven.get(terminal, 0):
                return
            with self.ops.reading() as rows:
                tries = records.tries(rows)
            if left := tries.locked_for(self.clock):
                raise self._refused(
                    act,
                    "locked",
                    "The passphrase was wrong too often; none is taken for a while.",
                    retry_after_s=left / SECOND,
                )
            if proof.passphrase is None:
                raise self._required(act)
            if not self.holds(proof.passphrase):
                raise self._wrong(act, tries)
            with self.ops.writing() as tx:
                records.keep_tries(tx, Tries())
                tx.log("presence_shown", OWNER, act.command, mode=self.mode)
            self._proven[terminal] = self.clock.awake() + GOOD_US

    def _wrong(self, act: Act, tries: Tries) -> PresenceRefused:
        wrong = tries.wrong + 1
        locked = wrong >= MOST_TRIES
        until = self.clock.awake() + LOCKED_US
        with self.ops.writing() as tx:
            records.keep_tries(tx, Tries(0, self.clock.boot_id(), until) if locked else Tries(wrong))
        return self._refused(
            act, "wrong passphrase", "That is not the passphrase.", wrong=wrong, tries_left=MOST_TRIES - wrong
        )

    def _required(self, act: Act) -> PresenceRequired:
        return PresenceRequired(
            presence=self.mode, sentence=act.confirmation.sentence, type=act.confirmation.phrase, command=act.command
        )

    def _refused(
        self, act: Act, why: str, message: str, *, retry_after_s: float | None = None, **told: Any
    ) -> PresenceRefused:
        with self.ops.writing() as tx:
            tx.log("presence_refused", OWNER, act.command, why=why, pid=act.pid, **told)
        return PresenceRefused(message, retry_after_s=retry_after_s, presence=self.mode, reason=why, **told)
