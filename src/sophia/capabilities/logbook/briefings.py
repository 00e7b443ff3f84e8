"""Briefings: what the next one needs to know, written up."""

from typing import ClassVar

from sophia.capabilities.logbook.entries import Author, Evidence, Kind, Told, common
from sophia.core.page import Listed, Row


class Briefing(Row, frozen=True):
    """A text for whoever comes next, and the goal that it is about."""

    COMPACT: ClassVar[tuple[str, ...]] = ("briefing_id", "title", "goal_id", "created_at")
    LISTED: ClassVar[Listed] = Listed("created_at", "briefing_id")

    briefing_id: str
    title: str
    body: str
    evidence: Evidence
    author: Author
    created_at: str
    goal_id: str | None = None
    entity_ids: list[str] = []


def _told(row: Told) -> Briefing:
    return Briefing(
        briefing_id=row["briefing_id"], title=row["title"], body=row["body"], goal_id=row["goal_id"], **common(row)
    )


BRIEFINGS = Kind("briefing", "brief", Briefing.LISTED, _told)
