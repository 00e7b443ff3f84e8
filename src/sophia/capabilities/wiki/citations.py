"""What a page cites, and whether that still holds."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from sophia.capabilities.wiki.links import Link
from sophia.catalog.call import Reader
from sophia.core.page import Row
from sophia.core.quote_standing import QuoteStandings, Standing

LOST: frozenset[Standing | None] = frozenset({"quote_lost", "source_gone"})
_FACTS = """
    SELECT f.id, f.status, f.superseded_by, f.predicate,
           (SELECT e.name FROM entity e WHERE e.id = f.entity_id) AS entity_name,
           (SELECT e.name FROM entity e WHERE e.id = f.object_entity_id) AS object_name,
           substr(f.object, 1, 200) AS object
      FROM fact f WHERE f.id IN (SELECT value FROM json_each(:ids))
"""
_DOCUMENTS = "SELECT d.id, d.status, d.title FROM document d WHERE d.id IN (SELECT value FROM json_each(:ids))"


class Citation(Row, frozen=True):
    """A fact or document that a page cites, as it is now: `gone` where this connection sees none of that id."""

    id: str
    kind: Literal["fact", "document"]
    standing: Literal["current", "superseded", "retracted", "active", "archived", "gone"]
    holds: bool
    says: str | None = None
    """What the fact says, or the document's title."""
    quote: Standing | None = None
    """What has become of the quote that the fact stands on."""
    superseded_by: str | None = None


def cited(db: Reader, named: Sequence[Link], quotes: QuoteStandings) -> list[Citation]:
    """The facts and documents among what is named, in order."""
    facts = _rows(db, _FACTS, [each.target for each in named if each.kind == "fact"])
    documents = _rows(db, _DOCUMENTS, [each.target for each in named if each.kind == "document"])
    standing = quotes(db, list(facts)) if facts else {}
    return [
        _fact(each.target, facts.get(each.target), standing.get(each.target))
        if each.kind == "fact"
        else _document(each.target, documents.get(each.target))
        for each in named
        if each.kind != "page"
    ]


def unseen(db: Reader, named: Sequence[Link]) -> list[str]:
    """The ids among these that the caller sees nothing of."""
    cites = [each for each in named if each.kind != "page"]
    seen = {
        *_rows(db, "SELECT f.id FROM fact f WHERE f.id IN (SELECT value FROM json_each(:ids))", [
            each.target for each in cites if each.kind == "fact"
        ]),
        *_rows(db, _DOCUMENTS, [each.target for each in cites if each.kind == "document"]),
    }  # fmt: skip
    return [each.target for each in cites if each.target not in seen]


def _rows(db: Reader, sql: str, ids: list[str]) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in db.rows(sql, ids=json.dumps(ids))} if ids else {}


def _fact(fact_id: str, row: dict[str, Any] | None, quote: Standing | None) -> Citation:
    if row is None:
        return Citation(id=fact_id, kind="fact", standing="gone", holds=False)
    return Citation(
        id=fact_id, kind="fact", standing=row["status"], holds=row["status"] == "current" and quote not in LOST,
        says=f"{row['entity_name']} {row['predicate']} {row['object_name'] or row['object']}", quote=quote,
        superseded_by=row["superseded_by"],
    )  # fmt: skip


def _document(document_id: str, row: dict[str, Any] | None) -> Citation:
    if row is None:
        return Citation(id=document_id, kind="document", standing="gone", holds=False)
    return Citation(
        id=document_id, kind="document", standing=row["status"], holds=row["status"] == "active", says=row["title"]
    )
