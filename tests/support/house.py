"""A whole house in this process: real databases in a directory of its own, with a clock and ids that the test turns."""

import json
import random
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sophia.access.connections import Terms
from sophia.assembly import Materials, assembled
from sophia.capabilities.documents.grants import Protected
from sophia.catalog.group import Group
from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.caller import Agent, Caller
from sophia.core.scope import EVERYTHING, Scope
from sophia.dispatch.answer import Answer
from sophia.dispatch.parts import Parts
from sophia.search.provider import Embeddings
from sophia.store.databases import Databases, open_databases
from sophia.store.failpoints import Failpoints
from sophia.store.keys import Keys, unlock
from sophia.store.ownership import Ownership, acquire, release
from sophia.surface import GROUPS
from tests.support.clock import TurnableClock
from tests.support.ids import CountedIds


@dataclass
class House:
    """The parts, and short ways to use them as an agent and as the owner."""

    parts: Parts
    clock: TurnableClock
    ownership: Ownership
    keys: Keys
    directory: Path
    tokens: dict[str, str] = field(default_factory=dict)

    @property
    def databases(self) -> Databases:
        return self.parts.databases

    @property
    def owner(self) -> Caller:
        return self.parts.owner

    def agent(
        self,
        profile: str = "full",
        *,
        mode: str | None = None,
        scope: Iterable[str] | None = None,
        name: str = "agent",
        can_post: bool = False,
        can_delegate: bool = False,
        ttl_minutes: int | None = None,
        surface: SurfaceSize = SurfaceSize.FULL,
        names: NameStyle = NameStyle.DOTTED,
    ) -> Agent:
        """A freshly minted connection; `full` is pre-approved unless said otherwise, the scope all unless listed."""
        chosen = Mode(mode) if mode else Mode.PRE_APPROVED if profile == "full" else Mode.PER_CALL
        terms = Terms(
            name, Profile(profile), EVERYTHING if scope is None else Scope(frozenset(scope)), chosen, can_delegate,
            can_post, surface, names,
        )  # fmt: skip
        minted = self.parts.mint.mint(terms, "owner", ttl_minutes=ttl_minutes)
        self.tokens[minted.connection_id] = minted.bearer_token
        agent = self.again(minted.connection_id)
        assert agent is not None
        return agent

    def again(self, connection_id: str) -> Agent | None:
        """The connection as its next call would find it."""
        front = self.parts.front(None, 0)  # type: ignore[arg-type]
        return front.authenticate(self.tokens[connection_id].encode())

    def answer(self, caller: Caller, tool: str, arguments: dict[str, Any]) -> Answer:
        """One call, whole."""
        return self.parts.dispatcher.call(caller, tool, arguments)

    def call(self, caller: Caller, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """One call that must succeed, decoded."""
        answer = self.answer(caller, tool, arguments)
        told: dict[str, Any] = json.loads(answer.payload)
        assert not answer.is_error, told
        return told

    def refused(self, caller: Caller, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """One call that must be refused: its structured error."""
        answer = self.answer(caller, tool, arguments)
        told: dict[str, Any] = json.loads(answer.payload)
        assert answer.is_error, told
        error: dict[str, Any] = told["error"]
        return error

    def entity(self, name: str, kind: str = "thing") -> str:
        """A new entity of the owner's; its id."""
        made: str = self.call(self.owner, "create_entity", kind=kind, name=name, allow_duplicate=True)["entity"][
            "entity_id"
        ]
        return made

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of the tables that hold the owner's data and of the journal."""
        from sophia.store.engine import connect
        from sophia.store.rules import RULES

        db = connect(self.ownership, self.directory / "data" / "state.db", self.keys.state)
        try:
            return {name: sorted(db.execute(f"SELECT * FROM main.{name}"), key=repr) for name in RULES}
        finally:
            db.close()


@contextmanager
def house(
    groups: Iterable[Group[Any]] = GROUPS,
    *,
    failpoint: str = "",
    directory: Path | None = None,
    embeddings: Embeddings = Embeddings(),  # noqa: B008 - frozen
) -> Iterator[House]:
    """A house that stands for the block."""
    with tempfile.TemporaryDirectory(prefix="sophia-house-") as made:
        place = directory or Path(made)
        clock = TurnableClock()
        ownership = acquire(place / "data")
        keys = unlock(ownership, place / "keys", False)
        databases = open_databases(ownership, keys, clock, Failpoints(failpoint))
        try:
            given = Materials(
                databases,
                keys.seal,
                clock,
                CountedIds(),
                random.Random(7).randbytes,
                Protected((place / "data", place / "keys")),
                "0",
                "unattended",
                10,
                embeddings,
            )
            parts = assembled(groups, given)
            try:
                yield House(parts, clock, ownership, keys, place)
            finally:
                parts.chores.end()
        finally:
            databases.close()
            release(ownership)
