"""Wiki pages at rest: SQL beside the shapes it fills."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.errors import NotFound
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window

Status = Literal["active", "archived"]
_BY_TITLE = Listed("updated_at", "page_id", {"name": Order(("title_key", "page_id"))})


class WikiPage(Row, frozen=True):
    """A page as it stands in lists; get_wiki_page has its text."""

    COMPACT: ClassVar[tuple[str, ...]] = ("title", "page_id", "revision", "updated_at")
    LISTED: ClassVar[Listed] = _BY_TITLE

    title: str
    page_id: str
    revision: int
    status: Status
    chars: int
    author_name: str
    """Who wrote the present revision, by the name that they had then."""
    created_at: str
    updated_at: str
    entity_ids: list[str] = []


class Revision(Row, frozen=True):
    """A page's text as it was written once: by whom, when and why."""

    COMPACT: ClassVar[tuple[str, ...]] = ("revision", "at", "author_name", "reason")
    LISTED: ClassVar[Listed] = Listed(
        "at", "revision", {"newest": Order(("revision",), down=True), "oldest": Order(("revision",))}
    )

    revision: int
    at: str
    author_connection_id: str
    author_name: str
    chars: int
    reason: str | None = None


class Backlink(Row, frozen=True):
    """A page that links to another one, and how it names it first."""

    COMPACT: ClassVar[tuple[str, ...]] = ("title", "page_id", "updated_at")
    LISTED: ClassVar[Listed] = _BY_TITLE

    title: str
    page_id: str
    written: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Which pages are meant. `None` leaves a side open."""

    status: Status | None = "active"
    entity_id: str | None = None
    lost_quotes: list[str] | None = None
    """Only pages that cite what no longer holds, where the quotes of these facts are lost."""


_SELECT = """
    SELECT p.title, p.title_key, p.id AS page_id, p.revision, p.status, r.chars, r.author_name, p.created_at,
           p.updated_at, (SELECT json_group_array(l.entity_id ORDER BY l.entity_id) FROM page_entity l
                           WHERE l.page_id = p.id) AS entity_ids
      FROM page p JOIN page_revision r ON r.page_id = p.id AND r.number = p.revision
"""
_LOST = """
    EXISTS (SELECT 1 FROM page_link c WHERE c.page_id = p.id AND (
      c.kind = 'document'
      AND NOT EXISTS (SELECT 1 FROM document d WHERE d.id = c.target AND d.status = 'active')
      OR c.kind = 'fact'
      AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.id = c.target AND f.status = 'current'
                      AND (f.source_kind = 'word' OR EXISTS (SELECT 1 FROM document d WHERE d.id = f.source_id))
                      AND f.id NOT IN (SELECT value FROM json_each(:lost_quotes)))))
"""
_CHANGED = """
    SELECT f.id FROM page_link c CROSS JOIN fact f ON f.id = c.target CROSS JOIN document d ON d.id = f.source_id
     WHERE c.kind = 'fact' AND f.status = 'current' AND d.content_sha256 IS NOT f.source_sha256
     GROUP BY f.id ORDER BY f.id LIMIT :limit
"""


def _filled(row: dict[str, Any]) -> WikiPage:
    return WikiPage(
        title=row["title"], page_id=row["page_id"], revision=row["revision"], status=row["status"], chars=row["chars"],
        author_name=row["author_name"], created_at=rfc3339(row["created_at"]), updated_at=rfc3339(row["updated_at"]),
        entity_ids=json.loads(row["entity_ids"]),
    )  # fmt: skip


def found(db: Reader, page_id: str) -> WikiPage:
    """The page of this id; `NotFound` where the caller sees none."""
    row = db.row(f"{_SELECT} WHERE p.id = :id", id=page_id)
    if row is None:
        raise NotFound(argument="page")
    return _filled(row)


def listed(db: Reader, window: Window, wanted: Filter) -> Page[WikiPage]:
    """The pages that pass the filter."""
    linked = "EXISTS (SELECT 1 FROM page_entity l WHERE l.page_id = p.id AND l.entity_id = :entity_id)"
    conditions = {
        "p.status = :status": wanted.status,
        linked: wanted.entity_id,
        _LOST: wanted.lost_quotes,
    }
    where = " AND ".join(condition for condition, given in conditions.items() if given is not None) or "1"
    part = paged(
        db, window, WikiPage.LISTED, f"{_SELECT} WHERE {where}", status=wanted.status, entity_id=wanted.entity_id,
        lost_quotes=json.dumps(wanted.lost_quotes),
    )  # fmt: skip
    return part.page([_filled(row) for row in part.rows])


def cited_of_changed(db: Reader, limit: int) -> list[str]:
    """The current facts that pages cite and whose sources have changed since, at most `limit` of them."""
    return [row["id"] for row in db.rows(_CHANGED, limit=limit)]


def text(db: Reader, page_id: str, revision: int, argument: str = "revision") -> dict[str, Any]:
    """The `body` of a revision, with its number, author, reason and time; `NotFound`, naming the argument, for none."""
    row = db.row(
        "SELECT r.number, r.body, r.author_connection_id, r.author_name, r.reason, r.created_at FROM page_revision r"
        " WHERE r.page_id = :id AND r.number = :number",
        id=page_id, number=revision,
    )  # fmt: skip
    if row is None:
        raise NotFound("This page has no such revision; wiki_history tells which it has.", argument=argument)
    return row


def history(db: Reader, window: Window, page_id: str) -> Page[Revision]:
    """The revisions of a page."""
    part = paged(
        db, window, Revision.LISTED,
        "SELECT r.number AS revision, r.created_at AS at, r.author_connection_id, r.author_name, r.chars, r.reason"
        " FROM page_revision r WHERE r.page_id = :id",
        id=page_id,
    )  # fmt: skip
    return part.page([Revision(**{**row, "at": rfc3339(row["at"])}) for row in part.rows])


def backlinks(db: Reader, window: Window, page_id: str, targets: list[str]) -> Page[Backlink]:
    """The active pages, that one aside, that name one of the targets."""
    part = paged(
        db, window, Backlink.LISTED,
        "SELECT p.title, p.title_key, p.id AS page_id, p.updated_at, min(c.written) AS written"
        " FROM json_each(:targets) w CROSS JOIN page_link c ON c.kind = 'page' AND c.target = w.value"
        " CROSS JOIN page p ON p.id = c.page_id"
        " WHERE p.status = 'active' AND p.id <> :id GROUP BY p.id",
        id=page_id, targets=json.dumps(targets),
    )  # fmt: skip
    return part.page([
        Backlink(
            title=row["title"], page_id=row["page_id"], written=row["written"], updated_at=rfc3339(row["updated_at"])
        )
        for row in part.rows
    ])  # fmt: skip


def called(db: Reader, page_id: str) -> list[str]:
    """What links may name the page by: its id, the key of its title, and those of the titles that it had."""
    rows = db.rows(
        "SELECT p.id AS target FROM page p WHERE p.id = :id UNION SELECT p.title_key FROM page p WHERE p.id = :id"
        " UNION SELECT a.title_key FROM page_redirect a WHERE a.page_id = :id",
        id=page_id,
    )
    return [row["target"] for row in rows]


def passages(db: Reader, chunk_ids: Sequence[int]) -> list[dict[str, Any]]:
    """The passages of these ids, each with its page."""
    return db.rows(
        "SELECT c.page_id, c.starts, substr(r.body, c.starts + 1, c.ends - c.starts) AS text, p.title, p.revision,"
        " p.updated_at FROM page_chunk c JOIN page p ON p.id = c.page_id JOIN page_revision r ON r.page_id = p.id"
        " AND r.number = p.revision WHERE c.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(list(chunk_ids)),
    )


def first_passages(
    db: Reader, condition: str, values: dict[str, Any], page_ids: list[str], entity_ids: list[str], limit: int
) -> dict[str, int]:
    """The first passage of each of these active pages `d`, then of the newest `limit` that are linked to an entity."""
    rows = db.rows(
        "SELECT d.id, (SELECT min(c.id) FROM page_chunk c WHERE c.page_id = d.id) AS chunk_id FROM page d"
        " WHERE d.status = 'active' AND (d.id IN (SELECT value FROM json_each(:page_ids)) OR d.id IN"
        " (SELECT l.page_id FROM json_each(:entity_ids) e CROSS JOIN page_entity l ON l.entity_id = e.value))"
        f" AND {condition} ORDER BY d.id IN (SELECT value FROM json_each(:page_ids)) DESC, d.id DESC LIMIT :limit",
        page_ids=json.dumps(page_ids), entity_ids=json.dumps(entity_ids), limit=limit + len(page_ids), **values,
    )  # fmt: skip
    return {row["id"]: row["chunk_id"] for row in rows}
