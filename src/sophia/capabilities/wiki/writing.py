"""Pages as they are written: each revision whole, and in the same transaction what is derived from the last one."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sophia.capabilities.wiki import titles
from sophia.capabilities.wiki.links import Link, links
from sophia.catalog.call import WriteCall, Writer
from sophia.core.errors import TooLarge
from sophia.core.source_text import stored
from sophia.search import page_words
from sophia.search.chunks import chunks

MAX_CHARS = 200_000
"""The longest text of a page, in code points."""
MAX_LINKS = 1000
"""How many different things a page names at most."""


@dataclass(frozen=True, slots=True)
class Text:
    """A page's text as it is kept, and what it names."""

    body: str
    named: Sequence[Link]

    @classmethod
    def of(cls, body: str) -> "Text":
        """The text made ready; `TooLarge` beyond MAX_CHARS, and for more than MAX_LINKS links."""
        kept = stored(body)
        if len(kept) > MAX_CHARS:
            raise TooLarge(
                f"A page has at most {MAX_CHARS:,} characters; this would be {len(kept):,}.",
                argument="body",
                hint="Begin another page, and link it as [[Title]].",
            )
        named = links(kept)
        if len(named) > MAX_LINKS:
            raise TooLarge(f"A page links to at most {MAX_LINKS:,} pages, facts and documents.", argument="body")
        return cls(kept, named)


def create(call: WriteCall, title: str, text: Text, entity_ids: Iterable[str], reason: str | None) -> str:
    """A new page and its first revision; `NotFound` for an entity that the caller cannot see."""
    page_id = call.new_id("page")
    call.db.insert(
        "page", id=page_id, title=title, title_key=titles.key(title), revision=1, status="active", created_at=call.now,
        updated_at=call.now,
    )  # fmt: skip
    _keep(call, page_id, 1, text.body, reason)
    link(call, page_id, entity_ids)
    derive(call.db, page_id, text.named)
    return page_id


def revise(call: WriteCall, page_id: str, revision: int, text: Text, reason: str | None) -> None:
    """A page's next revision, of this number."""
    _keep(call, page_id, revision, text.body, reason)
    call.db.update("page", page_id, revision=revision, updated_at=call.now)
    derive(call.db, page_id, text.named)


def rename(call: WriteCall, page_id: str, title: str) -> None:
    """Call the page so; the title that it had still leads to it."""
    held = call.db.row("SELECT p.title, p.title_key FROM page p WHERE p.id = :id", id=page_id)
    new_key = titles.key(title)
    if held is not None and held["title_key"] != new_key:
        _redirect(call, page_id, held["title"], new_key)
    if call.db.update("page", page_id, title=title, title_key=new_key, updated_at=call.now):
        derive(call.db, page_id)


def link(call: WriteCall, page_id: str, entity_ids: Iterable[str]) -> bool:
    """Link the page to these entities too; whether one is new. `NotFound` for one that the caller cannot see."""
    linked, changed = set(entities_of(call.db, page_id)), False
    for entity_id in dict.fromkeys(entity_ids):
        call.db.require("entity", entity_id)
        if entity_id not in linked:
            call.db.insert("page_entity", id=call.new_id("link"), page_id=page_id, entity_id=entity_id)
            changed = True
    return changed


def unlink(db: Writer, page_id: str, entity_ids: Iterable[str]) -> bool:
    """Link the page to these entities no more; whether it was. `NotFound` for one that the caller cannot see."""
    changed = False
    for entity_id in dict.fromkeys(entity_ids):
        db.require("entity", entity_id)
        row = db.row(
            "SELECT l.id FROM page_entity l WHERE l.page_id = :id AND l.entity_id = :entity_id",
            id=page_id, entity_id=entity_id,
        )  # fmt: skip
        if row is not None:
            db.delete("page_entity", row["id"])
            changed = True
    return changed


def touch(call: WriteCall, page_id: str) -> None:
    """Have the page count as changed, and as linked to what it is linked to now."""
    call.db.update("page", page_id, updated_at=call.now)
    derive(call.db, page_id)


def entities_of(db: Writer, page_id: str) -> list[str]:
    """The ids of the linked entities, sorted."""
    rows = db.rows("SELECT l.entity_id FROM page_entity l WHERE l.page_id = :id ORDER BY l.entity_id", id=page_id)
    return [row["entity_id"] for row in rows]


def derive(db: Writer, page_id: str, named: Sequence[Link] | None = None) -> None:
    """Have the page found by its title and text as they are now, and as naming what it names: nothing if archived.

    Written last: a journaled row behind it would have the engine flush the index to disk.
    """
    row = db.row(
        "SELECT p.title, p.status, r.body FROM page p JOIN page_revision r ON r.page_id = p.id AND"
        " r.number = p.revision WHERE p.id = :id",
        id=page_id,
    )
    shown = row is not None and row["status"] == "active"
    body = row["body"] if row else ""
    named = links(body) if named is None else named
    db.index("DELETE FROM main.page_link WHERE page_id = :id", id=page_id)
    db.index(
        "INSERT INTO main.page_link (user_id, page_id, kind, target, written)"
        " SELECT :user_id, :id, value ->> 0, value ->> 1, value ->> 2 FROM json_each(:named)",
        user_id=db.user_id, id=page_id,
        named=json.dumps([[each.kind, each.target, each.written] for each in named]),
    )  # fmt: skip
    made = chunks(row["title"], body) if row and shown else ()
    page_words.put(db, db.user_id, page_id, made, entities_of(db, page_id))


def _keep(call: WriteCall, page_id: str, number: int, body: str, reason: str | None) -> None:
    call.db.insert(
        "page_revision", id=call.new_id("rev"), page_id=page_id, number=number, body=body, chars=len(body),
        author_connection_id=call.caller.connection_id, author_name=call.caller.name, reason=reason,
        created_at=call.now,
    )  # fmt: skip


def _redirect(call: WriteCall, page_id: str, title: str, new_key: str) -> None:
    """Have the title lead to the page, and not the one that it has from now on."""
    had = call.db.rows("SELECT a.id, a.title_key FROM page_redirect a WHERE a.page_id = :id", id=page_id)
    for row in had:
        if row["title_key"] == new_key:
            call.db.delete("page_redirect", row["id"])
    key = titles.key(title)
    if key not in {row["title_key"] for row in had}:
        call.db.insert(
            "page_redirect", id=call.new_id("redir"), page_id=page_id, title=title, title_key=key, created_at=call.now
        )
