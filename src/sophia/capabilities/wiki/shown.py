"""A page as it is read: its text as far as the answer has room, what it links to, and what it cites."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from sophia.capabilities.wiki import citations, records, resolve
from sophia.capabilities.wiki.citations import Citation
from sophia.capabilities.wiki.links import Link, links
from sophia.capabilities.wiki.records import Status
from sophia.catalog.call import ReadCall
from sophia.core.clock import rfc3339
from sophia.core.fitting import fitting
from sophia.core.page import Row

FRAME = 40
"""Bytes that what is told last takes."""
R = TypeVar("R", bound=Row)


class PageLink(Row, frozen=True):
    """A link of the page: `page_id` and `title` are there once one page that this connection sees is meant."""

    written: str
    heading: str | None = None
    page_id: str | None = None
    title: str | None = None
    ambiguous: bool = False


class PageText(Row, frozen=True):
    """A page in a revision, the present one unless said otherwise. Offsets count code points."""

    page_id: str
    title: str
    revision: int
    head: int
    """The present revision: the one that write_wiki_page takes as base_revision."""
    status: Status
    author_name: str
    author_connection_id: str
    written_at: str
    body: str
    start: int
    total_chars: int
    next_start: int | None = None
    reason: str | None = None
    redirected_from: str | None = None
    """The title that was asked for, which the page had before."""
    entity_ids: list[str] = msgspec.field(default_factory=list)
    citations: list[Citation] = msgspec.field(default_factory=list)
    """What no longer holds comes first; else in the order of the text."""
    citations_left_out: int = 0
    links: list[PageLink] = msgspec.field(default_factory=list)
    links_left_out: int = 0


def page_text(call: ReadCall, named: resolve.Named, asked: str, revision: int | None, start: int) -> PageText:
    """The page with its text from `start`. What it cites takes half of the room at most, its links a quarter."""
    page = records.found(call.db, named.page_id)
    kept = records.text(call.db, page.page_id, page.revision if revision is None else revision)
    names = links(kept["body"])
    start = min(start, len(kept["body"]))
    told = PageText(
        page_id=page.page_id, title=page.title, revision=kept["number"], head=page.revision, status=page.status,
        author_name=kept["author_name"], author_connection_id=kept["author_connection_id"], reason=kept["reason"],
        written_at=rfc3339(kept["created_at"]), body="", start=start, total_chars=len(kept["body"]), next_start=start,
        redirected_from=asked if named.why == "redirect" else None, entity_ids=page.entity_ids,
    )  # fmt: skip
    room = call.window.room - len(msgspec.json.encode(told)) - FRAME
    cites = citations.cited(call.db, names, call.house.quotes)
    shown_cites = _first(sorted(cites, key=lambda each: each.holds), room // 2)
    leads = _led(call, [each for each in names if each.kind == "page"])
    shown_leads = _first(leads, room // 4)
    told = msgspec.structs.replace(
        told, citations=shown_cites, citations_left_out=len(cites) - len(shown_cites), links=shown_leads,
        links_left_out=len(leads) - len(shown_leads),
    )  # fmt: skip
    room = call.window.room - len(msgspec.json.encode(told)) - FRAME
    body = fitting(kept["body"][start:], room)
    end = start + len(body)
    return msgspec.structs.replace(told, body=body, next_start=end if end < len(kept["body"]) else None)


def _led(call: ReadCall, named: Sequence[Link]) -> list[PageLink]:
    """Where these links lead, for this caller, now."""
    found = resolve.exact(call.db, [each.target for each in named])
    return [
        PageLink(
            written=each.written, heading=each.heading, ambiguous=len(found[each.target]) > 1,
            page_id=found[each.target][0].page_id if len(found[each.target]) == 1 else None,
            title=found[each.target][0].title if len(found[each.target]) == 1 else None,
        )
        for each in named
    ]  # fmt: skip


def _first(rows: Sequence[R], room: int) -> list[R]:
    """The first of the rows that take at most so many bytes."""
    kept: list[R] = []
    for row in rows:
        room -= len(msgspec.json.encode(row)) + 1
        if room < 0:
            break
        kept.append(row)
    return kept
