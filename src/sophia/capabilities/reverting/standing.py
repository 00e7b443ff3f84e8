"""Which mutations were taken back, and by which, as things stand: what reverts a revert brings back the first."""

import json
from collections.abc import Collection
from dataclasses import dataclass

from sophia.catalog.call import Reader

_CHAIN = """
    WITH RECURSIVE chain (first, seq, depth) AS (
      SELECT s.value, s.value, 0 FROM json_each(:seqs) s
       UNION ALL
      SELECT c.first, (SELECT max(r.mutation_seq) FROM mutation_revert r WHERE r.reverts_seq = c.seq AND r.whole),
             c.depth + 1
        FROM chain c WHERE c.seq IS NOT NULL
    )
    SELECT c.first, min(CASE c.depth WHEN 1 THEN c.seq END) AS by FROM chain c
     WHERE c.seq IS NOT NULL GROUP BY c.first HAVING max(c.depth) % 2 = 1
"""


@dataclass(frozen=True, slots=True)
class Pair:
    """A mutation that is reverted, and all the mutations that it reverts; each as a whole."""

    by: int
    targets: frozenset[int]


def reverted(db: Reader, seqs: Collection[int]) -> dict[int, int]:
    """Those of the mutations that are reverted as a whole, each with the mutation that reverts it."""
    if not seqs:
        return {}
    return {row["first"]: row["by"] for row in db.rows(_CHAIN, seqs=json.dumps(sorted(seqs)))}


def pairs(db: Reader, seqs: Collection[int]) -> list[Pair]:
    """The reverts among these mutations, and of these mutations, that stand: with what they revert they cancel out."""
    given = json.dumps(sorted(seqs))
    rows = db.rows(
        "SELECT r.mutation_seq, r.reverts_seq, r.whole FROM mutation_revert r WHERE r.mutation_seq IN ("
        " SELECT o.mutation_seq FROM mutation_revert o WHERE o.mutation_seq IN (SELECT value FROM json_each(:seqs))"
        " OR o.reverts_seq IN (SELECT value FROM json_each(:seqs)))",
        seqs=given,
    )
    targets: dict[int, set[int]] = {}
    partial = {row["mutation_seq"] for row in rows if not row["whole"]}
    for row in rows:
        targets.setdefault(row["mutation_seq"], set()).add(row["reverts_seq"])
    undone = reverted(db, targets)
    now = reverted(db, {one for some in targets.values() for one in some})
    return [
        Pair(by, frozenset(some))
        for by, some in sorted(targets.items())
        if by not in partial and by not in undone and all(now.get(one) == by for one in some)
    ]
