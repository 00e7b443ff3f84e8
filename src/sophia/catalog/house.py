"""What tools may know of the daemon around them, beside the data: never more than they need."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sophia.catalog.catalog import Catalog
from sophia.catalog.tool import Tool
from sophia.core.access import ApprovalStatus
from sophia.core.caller import Agent, Caller
from sophia.core.model import Model
from sophia.core.page import Page, Window
from sophia.core.quote_standing import QuoteStandings

Condition = Literal["ok", "degraded", "failing"]
Columns = list[tuple[str, str, str | None]]
"""Name, type, and the table whose id the column holds."""


@dataclass(frozen=True, slots=True)
class Health:
    """How the daemon is."""

    status: Condition
    reasons: list[str]
    uptime_s: int
    write_ok: bool
    model: Model


@dataclass(frozen=True, slots=True)
class Foresight:
    """What a call would meet, without running it for good."""

    allowed: bool
    needs_approval: bool
    in_scope: bool
    conflicts: list[Any]
    code: str | None = None
    reason: str | None = None


class DenseQuestion(Protocol):
    """A question as the model of the dense signal has it. Its index knows of no rights."""

    @property
    def known(self) -> bool:
        """Whether the model knows any of its words."""

    def best(self, limit: int, among: Collection[str] | None) -> Sequence[Any]: ...
    def cosines(self, document_ids: Iterable[str]) -> dict[str, float]: ...
    def likeness(self, texts: Sequence[str], budget_s: float) -> list[float] | None: ...


class Dense(Protocol):
    """The dense signal."""

    def ask(self, query: str, first: int) -> Callable[[], DenseQuestion | None]:
        """Begin to ask, also for the `first` nearest of all; what comes back waits for the end.

        `None` is at the end where there is no such signal, or it cannot be asked this.
        """

    def like(self, document_id: str) -> DenseQuestion | None:
        """A document as the question; `None` where there is no such signal, or it has no vectors yet."""


class Requests(Protocol):
    """A connection's own requests to the owner."""

    def find(self, caller: Caller, approval_id: str) -> dict[str, Any] | None: ...
    def of(self, caller: Caller, status: ApprovalStatus | None, window: Window) -> Page[dict[str, Any]]: ...


class History(Protocol):
    """What agents touched and called, as far as the caller may know it."""

    def of_entity(self, caller: Caller, entity_id: str, window: Window) -> Page[dict[str, Any]]: ...
    def of_connection(self, caller: Caller, connection_id: str | None, window: Window) -> Page[dict[str, Any]]: ...
    def calls(self, caller: Caller, since: int | None) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that was read below a granted root."""

    location: str
    """Its real path, for the owner."""
    name: str
    content: bytes


class Roots(Protocol):
    """The folders that the owner granted, and the files below them."""

    def read(self, path: str) -> Opened:
        """The file at a path below a granted root; `NotPermitted`, always in the same words, for any other."""

    def below(self, path: str) -> str:
        """The location of the folder at a path at or below a granted root; `NotPermitted`, in those words, else."""


class House(Protocol):
    """The daemon, as its tools see it."""

    @property
    def catalog(self) -> Catalog: ...
    @property
    def version(self) -> str: ...
    @property
    def presence(self) -> str: ...
    @property
    def requests(self) -> Requests: ...
    @property
    def history(self) -> History: ...
    @property
    def dense(self) -> Dense: ...
    @property
    def quotes(self) -> QuoteStandings: ...

    def callable_tools(self, caller: Caller) -> Sequence[Tool]: ...
    def health(self) -> Health: ...
    def tables(self) -> dict[str, Columns]: ...
    def last_mutation(self) -> int: ...
    def foresee(self, caller: Caller, tool: str, arguments: dict[str, Any]) -> Foresight: ...
    def request_count(self, caller: Agent) -> int: ...
