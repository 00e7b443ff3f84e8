"""What is known, counted."""

from typing import Any

from sophia.capabilities.knowledge import contradictions
from sophia.catalog.call import Reader
from sophia.core.page import Row

MOST_PREDICATES = 20


class Stats(Row, frozen=True):
    """How much is known, as far as the caller sees it: facts by status, current ones by ground, and what is open."""

    facts: int
    by_status: dict[str, int]
    by_trust_tier: dict[str, int]
    by_source_kind: dict[str, int]
    predicates: int
    by_predicate: dict[str, int]
    """Current facts of the predicates that most of them have."""
    contradictions: int
    rejected_values: int


_BY_GROUND = """
    SELECT f.status, f.trust_tier, f.source_kind, count(f.id) AS facts FROM fact f
     GROUP BY f.status, f.trust_tier, f.source_kind ORDER BY facts DESC, f.trust_tier
"""
_BY_PREDICATE = """
    SELECT f.predicate, count(*) AS facts FROM fact f WHERE f.status = 'current'
     GROUP BY f.predicate ORDER BY facts DESC, f.predicate
"""


def counted(db: Reader) -> Stats:
    """The facts, predicates, contradictions and rejections within the caller's scope."""
    rows, by_predicate = db.rows(_BY_GROUND), db.rows(_BY_PREDICATE)
    current = [row for row in rows if row["status"] == "current"]
    return Stats(
        facts=sum(row["facts"] for row in rows), by_status=_summed(rows, "status"),
        by_trust_tier=_summed(current, "trust_tier"), by_source_kind=_summed(current, "source_kind"),
        predicates=len(by_predicate),
        by_predicate={row["predicate"]: row["facts"] for row in by_predicate[:MOST_PREDICATES]},
        contradictions=contradictions.counted(db),
        rejected_values=db.value("SELECT count(r.id) FROM rejected_value r WHERE r.lifted_at IS NULL"),
    )  # fmt: skip


def _summed(rows: list[dict[str, Any]], column: str) -> dict[str, int]:
    summed: dict[str, int] = {}
    for row in rows:
        summed[row[column]] = summed.get(row[column], 0) + row["facts"]
    return summed
