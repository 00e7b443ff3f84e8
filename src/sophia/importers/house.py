"""What taking in files needs of the house."""

from dataclasses import dataclass
from threading import Lock

from sophia.access.secrets import Secrets
from sophia.capabilities.documents.intake import Act
from sophia.capabilities.documents.roots import GrantedRoots
from sophia.core.caller import Owner
from sophia.core.clock import Clock
from sophia.core.ids import Ids
from sophia.importers.reading import Extracting
from sophia.store.databases import Databases
from sophia.store.journal import Entry


@dataclass(frozen=True)
class Intake:
    """Takes files in, in the owner's name: what the import and the work behind the calls have in common."""

    databases: Databases
    roots: GrantedRoots
    owner: Owner
    clock: Clock
    ids: Ids
    secrets: Secrets
    extracting: Extracting
    alone: Lock
    """Held by whoever takes files in: an import and the work behind the calls never do at once."""

    def entry(self, tool: str, import_session_id: str | None = None) -> Entry:
        """The journal's entry of a transaction."""
        owner = self.owner
        return Entry(
            owner.user_id, owner.connection_id, owner.name, tool, self.ids.new("call"), self.clock.now(),
            import_session_id=import_session_id,
        )  # fmt: skip

    def act(self) -> Act:
        """Who does it, and when."""
        return Act(self.owner.user_id, self.owner.connection_id, self.clock.now(), self.ids.new)
