"""Interrupts: what somebody has to look at before the work goes on."""

from typing import ClassVar, Literal

from sophia.capabilities.logbook.entries import Author, Evidence, Kind, Told, common, ending
from sophia.core.page import Listed, Row

Urgency = Literal["low", "normal", "high"]
RANKS: dict[Urgency, int] = {"low": 1, "normal": 2, "high": 3}
MOST_URGENT = "urgency_rank DESC, created_at DESC, id DESC"


class Interrupt(Row, frozen=True):
    """What was raised, how urgent it is, and how it ended."""

    COMPACT: ClassVar[tuple[str, ...]] = ("interrupt_id", "title", "urgency", "status", "created_at")
    LISTED: ClassVar[Listed] = Listed("created_at", "interrupt_id")

    interrupt_id: str
    title: str
    urgency: Urgency
    status: Literal["open", "resolved"]
    evidence: Evidence
    author: Author
    created_at: str
    body: str | None = None
    entity_ids: list[str] = []
    note: str | None = None
    resolved_by: Author | None = None
    resolved_at: str | None = None


def _told(row: Told) -> Interrupt:
    return Interrupt(
        interrupt_id=row["interrupt_id"], title=row["title"], urgency=row["urgency"], status=row["status"],
        body=row["body"], note=row["note"], **common(row), **ending(row, "resolved_by", "resolved_at"),
    )  # fmt: skip


INTERRUPTS = Kind("interrupt", "int", Interrupt.LISTED, _told)
