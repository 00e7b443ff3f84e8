"""All that is known of one entity, in one bounded answer: the newest of each family, and how much there is."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from sophia.capabilities.documents import records as documents
from sophia.capabilities.documents.records import Document, Filter
from sophia.capabilities.entities import merging, records as entities
from sophia.capabilities.entities.records import Entity
from sophia.capabilities.knowledge import contradictions, records as knowledge, relations
from sophia.capabilities.knowledge.contradictions import Contradiction
from sophia.capabilities.knowledge.records import Fact, Wanted
from sophia.capabilities.knowledge.relations import Relation
from sophia.capabilities.profile import timeline
from sophia.capabilities.profile.timeline import Moment
from sophia.catalog.call import ReadCall
from sophia.core.page import Page, Row, Window

SHOWN = 10
"""How many of each family are shown at most."""
_LEFT = 400
"""Bytes for the keys around the sections."""


class Facts(Row, frozen=True):
    """The newest current facts, and how many there are."""

    total: int
    items: list[Fact]


class Relations(Row, frozen=True):
    """The newest relations, and how many there are."""

    total: int
    items: list[Relation]


class Documents(Row, frozen=True):
    """The documents that are linked to it, those first that changed last, and how many there are."""

    total: int
    items: list[Document]


class Moments(Row, frozen=True):
    """What happened last, and how much did."""

    total: int
    items: list[Moment]


class Contradictions(Row, frozen=True):
    """What contradicts itself, the latest first, and of how many predicates."""

    total: int
    items: list[Contradiction]


class Elsewhere(Row, frozen=True):
    """A family that nothing is kept of so far."""

    total: int
    items: list[str]


class Profile(Row, frozen=True):
    """An entity with the newest of all that is known of it."""

    entity: Entity
    facts: Facts
    relations: Relations
    documents: Documents
    pages: Elsewhere
    events: Elsewhere
    timeline: Moments
    contradictions: Contradictions
    left_out: list[str] = []  # noqa: RUF012 (a struct copies it)
    """What is shorter than it would be, for want of room: max_bytes, or the tool of that family, gives more."""


def composed(call: ReadCall, entity_id: str) -> Profile:
    """The entity of this id, as far as the answer has room."""
    db, about = call.db, merging.about(call.db, entity_id)
    window = Window(SHOWN, None)
    wanted = Wanted()
    wanted.where("f.status = 'current'")
    condition, ids = merging.one_of("f.entity_id", about)
    wanted.where(condition, **ids)
    disputed = contradictions.listed(db, window, entity_id)
    entity, room = entities.find(db, entity_id), _Room(call.window.room - _LEFT)
    if not room.takes(entity):
        entity = msgspec.structs.replace(entity, attributes={}, summary=None)
        room.left_out.append("entity")
    return Profile(
        entity=entity,
        contradictions=room.page(Contradictions, "contradictions", disputed),
        facts=room.page(Facts, "facts", knowledge.listed(db, window, wanted)),
        relations=room.page(Relations, "relations", relations.listed(db, window, about)),
        documents=room.page(Documents, "documents", documents.listed(db, window, Filter(about=about))),
        timeline=room.page(Moments, "timeline", timeline.listed(db, window, about)),
        pages=Elsewhere(total=0, items=[]), events=Elsewhere(total=0, items=[]), left_out=room.left_out,
    )  # fmt: skip


class _Room:
    """What is left of the answer's bytes; each section takes its own, what stands first goes first."""

    def __init__(self, left: int) -> None:
        self._left = left
        self.left_out: list[str] = []

    def takes(self, row: Row) -> bool:
        """Whether there was room for the row; it is taken then."""
        size = len(msgspec.json.encode(row)) + 1
        if size > self._left:
            return False
        self._left -= size
        return True

    def page(self, section: Callable[..., Any], name: str, page: Page[Any]) -> Any:
        """The section with as many rows of the page as there is room for."""
        return self.section(section, name, page.items, page.total)

    def section(self, section: Callable[..., Any], name: str, items: Sequence[Row], total: int) -> Any:
        """The section with as many of the rows as there is room for."""
        kept = []
        for item in items:
            if not self.takes(item):
                self.left_out.append(name)
                break
            kept.append(item)
        return section(total=total, items=kept)
