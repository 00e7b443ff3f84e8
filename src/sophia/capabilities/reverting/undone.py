"""What is to be taken back, row by row: the changes of each, and whether it is there now and was before them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sophia.catalog.call import Reader

Place = tuple[str, str]
"""A table and the id of a row in it."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One change of one row: which, by its number and its mutation, and what it did."""

    n: int
    seq: int
    op: str


@dataclass
class Undone:
    """The changes that are taken back, of each row the newest first."""

    touches: dict[Place, list[Touch]] = field(default_factory=dict)

    def goes(self, place: Place) -> bool:
        """Whether the row is not there once its changes are taken back."""
        return place in self.touches and self.touches[place][-1].op == "insert"

    def comes(self, place: Place) -> bool:
        """Whether the row is not there before they are, and is then."""
        return place in self.touches and self.touches[place][0].op == "delete" and not self.goes(place)

    def going(self, table: str) -> list[str]:
        """The ids of the rows of a table that go."""
        return [row_id for name, row_id in self.touches if name == table and self.goes((name, row_id))]

    def staying(self) -> dict[str, dict[str, int]]:
        """Of each table the rows that are there afterwards, each with the change whose image before they become."""
        found: dict[str, dict[str, int]] = {}
        for (table, row_id), some in self.touches.items():
            if some[-1].op != "insert":
                found.setdefault(table, {})[row_id] = some[-1].n
        return found

    @property
    def seqs(self) -> set[int]:
        """The mutations of which something is taken back."""
        return {touch.seq for some in self.touches.values() for touch in some}


def of_mutations(db: Reader, seqs: Iterable[int]) -> Undone:
    """All changes of these mutations, to be taken back."""
    rows = db.rows(
        "SELECT c.n, c.mutation_seq, c.op, c.table_name, c.row_id FROM json_each(:seqs) s"
        " CROSS JOIN mutation_change c ON c.mutation_seq = s.value ORDER BY c.n DESC",
        seqs=json.dumps(sorted(seqs)),
    )
    undone = Undone()
    for row in rows:
        touch = Touch(row["n"], row["mutation_seq"], row["op"])
        undone.touches.setdefault((row["table_name"], row["row_id"]), []).append(touch)
    return undone


def later(db: Reader, places: Sequence[Place], after: int) -> Iterator[tuple[Place, Touch]]:
    """Every change of these rows by mutations after this one, the oldest first."""
    rows = db.rows(
        "SELECT c.n, c.mutation_seq, c.op, c.table_name, c.row_id FROM json_each(:places) p"
        " CROSS JOIN mutation_change c ON c.table_name = p.value ->> 0 AND c.row_id = p.value ->> 1"
        " AND c.mutation_seq > :after ORDER BY c.n",
        places=json.dumps(places), after=after,
    )  # fmt: skip
    for row in rows:
        yield (row["table_name"], row["row_id"]), Touch(row["n"], row["mutation_seq"], row["op"])
