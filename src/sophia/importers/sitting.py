"""One import of the owner's as it is written: in pieces that are bounded, and as one session that a revert undoes."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from sophia.capabilities.meta import import_sessions
from sophia.capabilities.meta.import_sessions import Kept, Terms
from sophia.importers.house import Intake
from sophia.store.state import Unit


@dataclass
class Sitting:
    """The session of an import: written down with the first piece that changes something, ended with the last."""

    house: Intake
    session_id: str
    terms: Terms
    begun: bool = False
    mutation_seq: int | None = None

    @classmethod
    def of(cls, house: Intake, source: str, kind: str) -> "Sitting":
        """The session of an import of this source: the one that a crash left open, else a new one."""
        with house.databases.state.reading(house.owner) as db:
            left = import_sessions.left_open(db, house.owner.connection_id, source, kind)
        return cls(house, left or house.ids.new("imp"), Terms(source, kind, None, None), begun=left is not None)

    @contextmanager
    def writing(self, *, last: bool) -> Generator[Unit]:
        """One piece. Where the `last` is the first too, it is the whole import, in one mutation."""
        house = self.house
        with house.databases.state.writing(house.owner, house.entry("sophia import", self.session_id)) as unit:
            yield unit
            changed = unit.changed()
            first = changed and not self.begun
            if first:
                status: Kept = "committed" if last else "begun"
                import_sessions.begin(unit.tx, self.session_id, house.owner, self.terms, house.clock, status=status)
        if changed:
            self.mutation_seq = unit.seq
            self.begun = not (first and last)

    def end(self) -> None:
        """End what was begun in several pieces: its last mutation stands for all of them."""
        if not self.begun:
            return
        house = self.house
        with house.databases.state.writing(house.owner, house.entry(COMMIT)) as unit:
            import_sessions.end(unit.tx, self.session_id, "committed", house.clock.now())
        self.mutation_seq = unit.seq


COMMIT = "sophia.commit_import_session"
"""What the mutation that ends an import is called: its revert takes the whole import back."""
