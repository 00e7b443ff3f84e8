"""What a revert comes to: which mutations go together, and what stands in its way."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sophia.capabilities.reverting import clashes, standing
from sophia.capabilities.reverting.standing import Pair
from sophia.capabilities.reverting.undone import Place, Touch, Undone, later, of_mutations
from sophia.catalog.call import Reader
from sophia.core.errors import Conflict, NotFound
from sophia.core.page import Row

MOST_TOLD = 100
"""How many conflicts are told one by one."""
_COMMIT = "sophia.commit_import_session"


class Conflicting(Row, frozen=True):
    """A row that stands in the way, and the mutation that left it so, where the caller sees that."""

    table: str
    row_id: str
    mutation_seq: int | None = None


@dataclass(frozen=True)
class Plan:
    """Mutations to be taken back as one."""

    undone: Undone
    seqs: frozenset[int]
    conflicts: Sequence[Conflicting]

    def require_possible(self) -> None:
        """`Conflict`, with what stands in the way, unless nothing does."""
        if self.conflicts:
            raise Conflict(
                "Later changes stand in the way; the details name them.",
                argument="mutation_seq",
                hint="cascade: true takes them back too, the newest first.",
                conflicts=told(self.conflicts),
                total=len(self.conflicts),
            )


def told(conflicts: Sequence[Conflicting]) -> list[dict[str, object]]:
    """The first conflicts as details of an error."""
    return [
        {"mutation_seq": one.mutation_seq, "table": one.table, "row_id": one.row_id} for one in conflicts[:MOST_TOLD]
    ]


def of_one(db: Reader, seq: int) -> list[int]:
    """The mutations that go with this one: all of an import session, where it is what committed that."""
    rows = db.rows(
        "SELECT o.seq FROM mutation m JOIN mutation o ON o.import_session_id = m.import_session_id"
        " WHERE m.seq = :seq AND m.tool = :commit",
        seq=seq, commit=_COMMIT,
    )  # fmt: skip
    return sorted({seq, *(row["seq"] for row in rows)})


def plan(db: Reader, seqs: Iterable[int], *, cascade: bool = False) -> Plan:
    """These mutations, all of them or none, with those that come after them where `cascade` is asked for.

    `NotFound` where the caller does not see one of them whole, `Conflict` where all of them are reverted already.
    Those that are reverted already are left out.
    """
    asked = set(seqs)
    _require_seen(db, asked)
    before = standing.reverted(db, asked)
    chosen = asked - before.keys()
    if not chosen:
        raise Conflict(
            "This was reverted already.",
            argument="mutation_seq",
            hint="Revert the mutation that did, and it stands again.",
            reverted_by=before[max(before)],
        )
    while True:
        undone = of_mutations(db, chosen)
        found = _in_the_way(db, undone, chosen)
        wider = {one.mutation_seq for one in found if one.mutation_seq is not None}
        if not found or not cascade or wider <= chosen or any(one.mutation_seq is None for one in found):
            return Plan(undone, frozenset(chosen), found)
        _require_seen(db, wider)
        chosen |= wider


def _require_seen(db: Reader, seqs: Collection[int]) -> None:
    rows = db.rows(
        "SELECT m.seq FROM mutation m WHERE m.seq IN (SELECT value FROM json_each(:seqs))", seqs=json.dumps([*seqs])
    )
    if len(rows) != len(seqs):
        raise NotFound(argument="mutation_seq")


def _in_the_way(db: Reader, undone: Undone, chosen: set[int]) -> list[Conflicting]:
    found: dict[tuple[int | None, Place], None] = {}
    for place, touch in _after(db, undone, chosen):
        found[touch.seq, place] = None
    there = list(clashes.clashes(db, undone))
    made = clashes.made(db, there)
    for clash in there:
        seq = made.get(clash)
        found[None if seq in chosen else seq, clash.other] = None
    return [Conflicting(mutation_seq=seq, table=place[0], row_id=place[1]) for seq, place in found]


def _after(db: Reader, undone: Undone, chosen: set[int]) -> list[tuple[Place, Touch]]:
    """What others did later to the same rows, and what was not taken back since."""
    first = min(chosen)
    seen = [(place, touch) for place, touch in later(db, list(undone.touches), first) if touch.seq not in chosen]
    passed = cancelled(standing.pairs(db, {touch.seq for _, touch in seen}), first, chosen)
    return [
        (place, touch)
        for place, touch in seen
        if touch.seq not in passed and touch.n > undone.touches[place][-1].n
    ]  # fmt: skip


def cancelled(pairs: Iterable[Pair], after: int, besides: Collection[int]) -> set[int]:
    """The mutations after this one that come to nothing: each was reverted, or reverted just these."""
    found: set[int] = set()
    for pair in pairs:
        if pair.by not in besides and all(one > after and one not in besides for one in pair.targets):
            found |= {pair.by, *pair.targets}
    return found
