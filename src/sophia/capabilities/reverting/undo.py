"""Undoing what some connections did since a time, as if they had not: what others changed later is left to them."""

import json
from collections.abc import Collection
from dataclasses import dataclass, field

from sophia.capabilities.reverting import clashes, standing
from sophia.capabilities.reverting.undone import Place, Touch, Undone, later, of_mutations
from sophia.catalog.call import Reader
from sophia.core.page import Row

FOLLOWS = ("sophia mine",)
"""What Sophia does by itself with what was written: nobody's own, and undone with what it follows from."""
_SOURCE = ("source_id",)
CHANGED, HELD, TOGETHER = "changed later", "others depend on it", "made together with what stays"


class Kept(Row, frozen=True):
    """A row that is left as it is, why, and where that is one, the mutation because of which it is."""

    table: str
    row_id: str
    why: str
    mutation_seq: int | None = None


@dataclass(frozen=True)
class Undo:
    """What is taken back, and what is not."""

    undone: Undone
    whole: frozenset[int]
    """The mutations that are taken back as a whole."""
    part: frozenset[int]
    """Those of which some rows are, and others are kept."""
    kept: tuple[Kept, ...]


def undo(db: Reader, connection_ids: Collection[str], since: int) -> Undo:
    """What these connections did at this time or later, taken back wherever nobody else has changed it since."""
    rows = db.rows(
        "SELECT m.seq FROM json_each(:connections) s CROSS JOIN mutation m ON m.connection_id = s.value"
        " WHERE m.at >= :since",
        connections=json.dumps(sorted(connection_ids)), since=since,
    )  # fmt: skip
    theirs = {row["seq"] for row in rows}
    if not theirs:
        return Undo(Undone(), frozenset(), frozenset(), ())
    did = of_mutations(db, theirs)
    made = _Undoing(db, theirs, _following(db, min(theirs)))
    made.begin(list(later(db, list(did.touches), min(theirs) - 1)))
    made.settle()
    taken = {(place, touch) for place, some in made.undone.touches.items() for touch in some}
    left = {touch.seq for place, some in did.touches.items() for touch in some if (place, touch) not in taken}
    seqs = frozenset(made.undone.seqs)
    return Undo(made.undone, seqs - left, seqs & left, tuple(made.kept.values()))


def _following(db: Reader, after: int) -> set[int]:
    rows = db.rows(
        "SELECT m.seq FROM mutation m WHERE m.seq > :after AND m.tool IN (SELECT value FROM json_each(:tools))",
        after=after, tools=json.dumps(FOLLOWS),
    )  # fmt: skip
    return {row["seq"] for row in rows}


@dataclass
class _Undoing:
    """The rows as they are being told apart."""

    db: Reader
    theirs: set[int]
    follows: set[int]
    undone: Undone = field(default_factory=Undone)
    kept: dict[Place, Kept] = field(default_factory=dict)
    _made: dict[Place, int] = field(default_factory=dict)
    """The rows that they made and that are kept, each with the mutation that made it."""
    _of: dict[Place, list[Place]] = field(default_factory=dict)
    """The rows that are one thing, such as a document and its text, by each of them."""
    _stays: set[Place] = field(default_factory=set)
    """The rows that were kept once: they are not taken along after that."""

    def begin(self, history: list[tuple[Place, Touch]]) -> None:
        """Take of each thing what they did to it after everybody else."""
        passed = self._passed({touch.seq for _, touch in history})
        owner = {child: parent for child, column, parent in clashes.parts(self.db) if column == "id"}
        things: dict[Place, list[tuple[Place, Touch]]] = {}
        for place, touch in history:
            if touch.seq not in passed:
                table = place[0]
                while table in owner:
                    table = owner[table]
                things.setdefault((table, place[1]), []).append((place, touch))
        ours = self.theirs | self.follows
        for some in things.values():
            places = list(dict.fromkeys(place for place, _ in some))
            self._of |= {place: places for place in places}  # noqa: C420 (they share it)
            others = max((touch.seq for _, touch in some if touch.seq not in ours), default=0)
            first = min((touch.seq for _, touch in some if touch.seq in self.theirs and touch.seq > others), default=0)
            for place, touch in reversed(some):
                if first and touch.seq >= first:
                    self.undone.touches.setdefault(place, []).append(touch)
                elif touch.seq in self.theirs:
                    self._keep(place, [touch], CHANGED, others)

    def _passed(self, seqs: set[int]) -> set[int]:
        """The mutations that were taken back since, and those that did so: without them it all comes to the same."""
        found, first = set[int](), min(self.theirs)
        for pair in standing.pairs(self.db, seqs):
            if min(pair.targets) >= first and (pair.by not in self.theirs or pair.targets <= self.theirs):
                found |= {pair.by, *pair.targets}
        return found

    def settle(self) -> None:
        """Keep what what is kept depends on, until nothing that is left names anything that goes."""
        while True:
            found = [clash for clash in clashes.clashes(self.db, self.undone) if clash.row in self.undone.touches]
            if self._taken_along({clash.other for clash in found if clash.columns == _SOURCE}):
                continue
            made = clashes.made(self.db, found)
            for clash in found:
                self._leave(clash.row, HELD, made.get(clash))
            together = self._together()
            for place, seq in together.items():
                self._leave(place, TOGETHER, seq)
            if not found and not together:
                return

    def _taken_along(self, places: set[Place]) -> bool:
        """Undo also those of these rows that only followed from what is undone; whether there are any."""
        found: dict[Place, list[Touch]] = {}
        for place, touch in later(self.db, sorted(places - self._stays), min(self.theirs)):
            found.setdefault(place, []).insert(0, touch)
        alone = {place: some for place, some in found.items() if self._follows(some)}
        entities = of_mutations(self.db, {touch.seq for some in alone.values() for touch in some}).touches
        known = self._stays | self.undone.touches.keys()
        # What was mined is said of an entity that was made for it.
        alone |= {
            place: some for place, some in entities.items()
            if place[0] == "entity" and place not in known and self._follows(some)
        }  # fmt: skip
        self.undone.touches |= alone
        self._of |= {place: [place] for place in alone}
        return bool(alone)

    def _follows(self, touches: list[Touch]) -> bool:
        return touches[-1].op == "insert" and all(touch.seq in self.follows for touch in touches)

    def _together(self) -> dict[Place, int]:
        """What would go of things that stay, though they were made with it in one."""
        found: dict[Place, int] = {}
        for child, column, parent in clashes.parts(self.db):
            made = {row_id: seq for (table, row_id), seq in self._made.items() if table == parent}
            if made and self.undone.going(child):
                for row_id, named in clashes.hanging(self.db, (child, column, parent), made):
                    place = (child, row_id)
                    if self.undone.goes(place) and self.undone.touches[place][-1].seq == made[named]:
                        found[place] = made[named]
        return found

    def _leave(self, place: Place, why: str, seq: int | None) -> None:
        """Leave the thing that the row is of as it is."""
        for one in self._of[place]:
            self._keep(one, self.undone.touches.pop(one, []), why, seq)

    def _keep(self, place: Place, touches: list[Touch], why: str, seq: int | None) -> None:
        self._stays.add(place)
        if any(touch.seq in self.theirs for touch in touches):
            self.kept.setdefault(place, Kept(table=place[0], row_id=place[1], why=why, mutation_seq=seq))
        for touch in touches:
            if touch.op == "insert":
                self._made[place] = touch.seq
