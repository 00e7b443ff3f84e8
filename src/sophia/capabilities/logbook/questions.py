"""Questions: what somebody needs to know, and the answer once there is one."""

import json
from collections.abc import Sequence
from typing import ClassVar, Literal

from sophia.capabilities.logbook.entries import Author, Evidence, Kind, Told, common, ending
from sophia.catalog.call import WriteCall
from sophia.core.page import Listed, Row


class Question(Row, frozen=True):
    """What is asked, and what was answered; fact_ids are the facts that the answer names."""

    COMPACT: ClassVar[tuple[str, ...]] = ("question_id", "question", "status", "answer", "created_at")
    LISTED: ClassVar[Listed] = Listed("created_at", "question_id")

    question_id: str
    question: str
    status: Literal["open", "answered"]
    evidence: Evidence
    author: Author
    created_at: str
    entity_ids: list[str] = []
    answer: str | None = None
    fact_ids: list[str] = []
    answered_by: Author | None = None
    answered_at: str | None = None


def _told(row: Told) -> Question:
    return Question(
        question_id=row["question_id"], question=row["question"], status=row["status"], answer=row["answer"],
        fact_ids=json.loads(row["fact_ids"]), **common(row), **ending(row, "answered_by", "answered_at"),
    )  # fmt: skip


_FACTS = (
    ", (SELECT json_group_array(a.fact_id ORDER BY a.id) FROM question_fact a WHERE a.question_id = n.id) AS fact_ids"
)
QUESTIONS = Kind("question", "q", Question.LISTED, _told, headline="question", more=_FACTS)


def answered(call: WriteCall, question_id: str, answer: str, fact_ids: Sequence[str]) -> Question:
    """The question with its answer and the facts that this names; `NotFound` for one that the caller cannot see."""
    QUESTIONS.end(call, question_id, "answered", answer=answer)
    for fact_id in dict.fromkeys(fact_ids):
        call.db.insert("question_fact", id=call.new_id("link"), question_id=question_id, fact_id=fact_id)
    return QUESTIONS.find(call.db, question_id)
