"""An owner's desk over a house in this process, with a terminal that the test gives or takes away."""

from dataclasses import dataclass, field
from typing import Any

from sophia.owner.desk import Desk
from sophia.owner.office import Office
from sophia.owner.terminal import Terminal
from sophia.settings import Settings
from tests.support.house import House

HERE = Terminal("136", 77, 1)
TERMS: dict[str, Any] = {
    "name": "worker", "profile": "assistant", "entity_scope": "all", "write_approval_mode": "per_call",
    "can_delegate": False, "can_post": False, "ttl_minutes": None, "surface": "full", "name_style": "dotted",
    "siblings_may_review": False,
}  # fmt: skip


@dataclass
class AtDesk:
    """Asks the desk, as a process of the owner's user."""

    house: House
    desk: Desk
    terminals: dict[int, Terminal]
    steps: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, command: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """The whole answer. `presence` and `pid` may be given."""
        pid = more.pop("pid", 1)
        request = {"command": command, "arguments": arguments or {}, **more}
        return self.desk.answer(request, pid, self.steps.append)

    def ask(self, command: str, arguments: dict[str, Any] | None = None, **more: Any) -> Any:
        """What is answered, which must be no error."""
        answer = self.answer(command, arguments, **more)
        assert "ok" in answer, answer
        return answer["ok"]

    def refused(self, command: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """The error that must come."""
        answer = self.answer(command, arguments, **more)
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    def mint(self, **terms: Any) -> dict[str, Any]:
        """A connection, minted at the desk."""
        minted: dict[str, Any] = self.ask("mint", TERMS | terms)
        self.house.tokens[minted["connection_id"]] = minted["bearer_token"]
        return minted

    def logged(self, what: str) -> list[dict[str, Any]]:
        """The security events of this kind, oldest first."""
        with self.house.databases.ops.reading() as rows:
            return rows.rows("SELECT who, about, details FROM security_event WHERE what = :what ORDER BY n", what=what)


def desk(house: House, presence: str = "unattended", *, fresh: bool = False) -> AtDesk:
    """The desk of this house. Process 1 sits at a terminal, every other one at none."""
    settings = Settings(data_dir=house.directory / "data", key_dir=house.directory / "keys")
    office = Office(
        house.parts, settings, house.ownership, house.keys, presence, "http://127.0.0.1:7342/mcp", True, fresh
    )
    terminals = {1: HERE}
    return AtDesk(house, Desk.of(office, terminals.get), terminals)
