"""Decisions: what was chosen, why, and over what."""

import json
from typing import ClassVar

from sophia.capabilities.logbook.entries import Author, Evidence, Kind, Told, common
from sophia.core.page import Listed, Row


class Decision(Row, frozen=True):
    """What was decided, and the alternatives that were not taken."""

    COMPACT: ClassVar[tuple[str, ...]] = ("decision_id", "title", "created_at")
    LISTED: ClassVar[Listed] = Listed("created_at", "decision_id")

    decision_id: str
    title: str
    body: str
    evidence: Evidence
    author: Author
    created_at: str
    alternatives: list[str] = []
    entity_ids: list[str] = []


def _told(row: Told) -> Decision:
    return Decision(
        decision_id=row["decision_id"], title=row["title"], body=row["body"],
        alternatives=json.loads(row["alternatives"]), **common(row),
    )  # fmt: skip


DECISIONS = Kind("decision", "dec", Decision.LISTED, _told)
