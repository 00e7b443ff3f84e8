"""What a text names: the page of that id, of that title, or that was called so before. Never a guess."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sophia.capabilities.wiki import titles
from sophia.catalog.call import Reader
from sophia.core.errors import Ambiguous, Conflict, NotFound
from sophia.core.page import Row

SHOWN = 10
"""How many candidates are told."""
_ORDER = ("title", "redirect")


class Candidate(Row, frozen=True):
    """A page that a title may mean."""

    page_id: str
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Named:
    """A page that a text names exactly: by `id`, `title`, or `redirect`, which is a title that it had before."""

    page_id: str
    title: str
    revision: int
    status: Literal["active", "archived"]
    why: str

    @property
    def candidate(self) -> Candidate:
        return Candidate(page_id=self.page_id, title=self.title, why=self.why)


_EXACT = """
    SELECT CAST(w.key AS INTEGER) AS n, p.id AS page_id, p.title, p.revision, p.status, 'id' AS why
      FROM json_each(:texts) w CROSS JOIN page p ON p.id = w.value
    UNION ALL
    SELECT CAST(w.key AS INTEGER), p.id, p.title, p.revision, p.status, 'title'
      FROM json_each(:keys) w CROSS JOIN page p ON p.title_key = w.value
    UNION ALL
    SELECT CAST(w.key AS INTEGER), p.id, p.title, p.revision, p.status, 'redirect'
      FROM json_each(:keys) w CROSS JOIN page_redirect a ON a.title_key = w.value CROSS JOIN page p ON p.id = a.page_id
     ORDER BY 1, 2
"""


def exact(db: Reader, texts: Iterable[str]) -> dict[str, list[Named]]:
    """Every page that each text names: the one of that id, else those of that title, else those called so before.

    The archived ones only where there is no other.
    """
    asked = list(dict.fromkeys(texts))
    found: dict[str, list[Named]] = {text: [] for text in asked}
    if not asked:
        return {}
    values = {"texts": json.dumps(asked), "keys": json.dumps([titles.key(text) for text in asked])}
    for row in db.rows(_EXACT, **values):
        text = asked[row.pop("n")]
        if row["page_id"] not in {each.page_id for each in found[text] if each.why == row["why"]}:
            found[text].append(Named(**row))
    return {text: _meant(each) for text, each in found.items()}


def _meant(found: list[Named]) -> list[Named]:
    by_id = [each for each in found if each.why == "id"]
    if by_id:
        return by_id
    active = [each for each in found if each.status == "active"]
    ranked = ([each for each in some if each.why == why] for some in (active, found) for why in _ORDER)
    return next((some for some in ranked if some), [])


def named(db: Reader, text: str) -> Named:
    """The page that an argument names; `NotFound` for none, `Ambiguous` with candidates for several."""
    found = exact(db, [text])[text]
    if not found:
        raise NotFound(argument="page", hint="list_wiki_pages and search_wiki tell which pages there are.")
    return _one(found)


def writable(db: Reader, text: str) -> Named | None:
    """The active page that a text is to be written to, or `None` where that is a free title.

    A title is free where no active page that the caller sees has it. `NotFound` for an id of none.
    """
    found = exact(db, [text])[text]
    if titles.ID.fullmatch(text):
        if not found:
            raise NotFound(argument="page")
        require_active(found[0])
    active = [each for each in found if each.status == "active"]
    return _one(active) if active else None


def require_active(page: Named) -> None:
    """Refuse to change the text or title of a page that is archived."""
    if page.status != "active":
        raise Conflict("This page is archived; write a new one under its title.", argument="page", page_id=page.page_id)


def _one(found: list[Named]) -> Named:
    if len(found) > 1:
        raise Ambiguous(argument="page", candidates=[each.candidate for each in found[:SHOWN]])
    return found[0]
