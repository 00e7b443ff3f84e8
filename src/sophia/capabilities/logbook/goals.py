"""Goals: what is to be reached, from when it is set to what came of it."""

from typing import ClassVar, Literal

from sophia.capabilities.logbook.entries import Author, Evidence, Kind, Told, common, ending
from sophia.catalog.call import Reader
from sophia.core.page import Listed, Row

Status = Literal["open", "closed"]


class Goal(Row, frozen=True):
    """What somebody set out to reach."""

    COMPACT: ClassVar[tuple[str, ...]] = ("goal_id", "title", "status", "parent_id", "created_at")
    LISTED: ClassVar[Listed] = Listed("created_at", "goal_id")

    goal_id: str
    title: str
    status: Status
    evidence: Evidence
    author: Author
    created_at: str
    body: str | None = None
    parent_id: str | None = None
    """The goal that it is a part of."""
    entity_ids: list[str] = []
    outcome: str | None = None
    closed_by: Author | None = None
    closed_at: str | None = None


def _told(row: Told) -> Goal:
    return Goal(
        goal_id=row["goal_id"], title=row["title"], status=row["status"], body=row["body"], parent_id=row["parent_id"],
        outcome=row["outcome"], **common(row), **ending(row, "closed_by", "closed_at"),
    )  # fmt: skip


GOALS = Kind("goal", "goal", Goal.LISTED, _told)


def open_parts(db: Reader, goal_id: str) -> int:
    """How many goals that are parts of this one are open."""
    found: int = db.value(
        "SELECT count(n.id) FROM goal n WHERE n.parent_id = :goal_id AND n.status = 'open'", goal_id=goal_id
    )
    return found
