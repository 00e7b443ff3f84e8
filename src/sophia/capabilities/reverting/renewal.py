"""What has to be made anew when a row is restored: of each journaled table the index that is made from it."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sophia.capabilities.documents import intake, waiting
from sophia.capabilities.entities import records as entities
from sophia.capabilities.knowledge import recording
from sophia.capabilities.wiki import writing as pages
from sophia.catalog.call import Writer
from sophia.search import entity_names, fact_words, fts, page_words

Work = Callable[[Writer, str], None]
Makes = Callable[[Writer, Sequence[str]], None]


@dataclass(frozen=True)
class Index:
    """An index over one noun: how one thing leaves it, and how those of some things that there are come into it."""

    clear: Work
    make: Makes


def _passages(db: Writer, document_ids: Sequence[str]) -> None:
    sql = "SELECT d.id FROM document d WHERE d.id IN (SELECT value FROM json_each(:ids)) ORDER BY d.id"
    for row in db.rows(sql, ids=json.dumps(list(document_ids))):
        intake.settle(db, [intake.renewed(db, row["id"], db.user_id)])


def _scans(db: Writer, folder_ids: Sequence[str]) -> None:
    sql = "SELECT f.id FROM folder f WHERE f.id IN (SELECT value FROM json_each(:ids)) ORDER BY f.id"
    for row in db.rows(sql, ids=json.dumps(list(folder_ids))):
        waiting.ask(db, row["id"])


def _unpaged(db: Writer, page_id: str) -> None:
    db.index("DELETE FROM main.page_link WHERE page_id = :id", id=page_id)
    page_words.put(db, db.user_id, page_id, (), ())


def _pages(db: Writer, page_ids: Sequence[str]) -> None:
    sql = "SELECT p.id FROM page p WHERE p.id IN (SELECT value FROM json_each(:ids)) ORDER BY p.id"
    for row in db.rows(sql, ids=json.dumps(list(page_ids))):
        pages.derive(db, row["id"])


def _nothing(_db: Writer, _row_id: str) -> None:
    """The engine takes it away with its row."""


_NAMES = Index(entity_names.forget, entities.reindex)
_WORDS = Index(fact_words.forget, recording.reindex)
_PASSAGES = Index(fts.remove, _passages)
_SCANS = Index(_nothing, _scans)
_PAGES = Index(_unpaged, _pages)

RENEWED: Mapping[str, tuple[Index, str]] = MappingProxyType(
    {
        "entity": (_NAMES, "id"),
        "entity_alias": (_NAMES, "entity_id"),
        "fact": (_WORDS, "id"),
        "document": (_PASSAGES, "id"),
        "document_text": (_PASSAGES, "id"),
        "document_entity": (_PASSAGES, "document_id"),
        "folder": (_SCANS, "id"),
        "page": (_PAGES, "id"),
        "page_revision": (_PAGES, "page_id"),
        "page_redirect": (_PAGES, "page_id"),
        "page_entity": (_PAGES, "page_id"),
    }
)
"""By journaled table: the index that is made from its rows, and the column with the id of what stands in it."""

PLAIN = frozenset(
    {
        "document_tag", "predicate", "goal", "goal_entity", "decision", "decision_entity", "question",
        "question_entity", "question_fact", "interrupt", "interrupt_entity", "briefing", "briefing_entity",
        "tombstone", "forgotten_value", "fact_dispute", "rejected_value", "entity_merge", "import_session",
    }
)  # fmt: skip
"""The journaled tables that nothing is made from."""


@dataclass
class Renewal:
    """The indexes of one restoring: everything leaves them before its rows change, and comes back at the end."""

    db: Writer
    _cleared: dict[tuple[Index, str], None] = field(default_factory=dict)

    def clear(self, table: str, images: Iterable[Mapping[str, Any]]) -> None:
        """Take out of its index whatever these images of rows, from before or after, stand for."""
        if table not in RENEWED:
            return
        index, column = RENEWED[table]
        for image in images:
            one = (index, image[column])
            if one not in self._cleared:
                index.clear(self.db, image[column])
                self._cleared[one] = None

    def make(self) -> None:
        """Make the indexes anew of what there is now."""
        by_index: dict[Index, list[str]] = {}
        for index, row_id in self._cleared:
            by_index.setdefault(index, []).append(row_id)
        for index, row_ids in by_index.items():
            index.make(self.db, row_ids)
