"""One search over every family there is, each by its own signals, in one ranking."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Literal

from sophia.capabilities.documents import candidates, hits
from sophia.capabilities.documents.candidates import Search
from sophia.capabilities.documents.records import Filter
from sophia.capabilities.entities import found as entities, records as entity_records
from sophia.capabilities.knowledge import records as knowledge
from sophia.capabilities.wiki import searched as pages
from sophia.catalog.call import ReadCall
from sophia.core.listing import Part
from sophia.core.page import Key, Listed, Order, Page, Row, Window
from sophia.search.fusion import Fused, K
from sophia.search.ranking import Ranking
from sophia.search.told import PAGE, Explanation

MOST = 100
"""How many facts are ranked at most."""
Family = Literal["documents", "wiki", "entities", "knowledge"]
FAMILIES: tuple[Family, ...] = ("documents", "wiki", "entities", "knowledge")


class Hit(Row, frozen=True):
    """Something that fits: `id` is one of its family's, `passage` what there is to read of it here."""

    COMPACT: ClassVar[tuple[str, ...]] = ("family", "id", "title", "passage")
    LISTED: ClassVar[Listed] = Listed("at", "id", {"relevance": Order(("rank", "id"))})
    PAGE: ClassVar[dict[str, object]] = PAGE

    family: Family
    id: str
    title: str
    score: float
    at: str
    """When a document, page or entity was last changed, or a fact recorded."""
    passage: str | None = None
    start: int | None = None
    end: int | None = None
    explain: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for in which families."""

    query: str
    families: Sequence[Family] = FAMILIES
    rerank: bool = True
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """What one family found, best first: ids, how to show some of them, and what leads the whole."""

    ids: list[str]
    shown: Callable[[Sequence[Fused]], list[Hit]]
    leading: Sequence[str] = ()


def searched(call: ReadCall, asked: Asked) -> Page[Hit]:
    """What fits, of all families, best first or by time: the best of each family stand beside each other."""
    told: dict[str, object] = {"fusion": {"method": "rrf", "k": K, "signals": ["bm25"]}, "reranked": False}
    gathered = {family: _GATHER[family](call, asked, told) for family in dict.fromkeys(asked.families)}
    ranking = Ranking.of({family: each.ids for family, each in gathered.items()})
    ranking = ranking.led_by([one for each in gathered.values() for one in each.leading])
    family_of = {one: family for family, each in gathered.items() for one in each.ids}

    def shown(some: Sequence[Fused]) -> list[Hit]:
        made = {
            hit.id: hit
            for family, each in gathered.items()
            for hit in each.shown([one for one in some if family_of[one.id] == family])
        }
        return [made[one.id] for one in some]

    if call.window.order == "relevance":
        part = ranking.part(call.window, "id")
        by_id = {one.id: one for one in ranking.found}
        items = shown([by_id[row["id"]] for row in part.rows])
    else:
        part, items = _by_time(shown(ranking.found), call.window)
    extra = told if ranking.found else {**told, "no_match": True}
    return Page(items, part.total, part.keys, part.more, extra)


def _by_time(whole: list[Hit], window: Window) -> tuple[Part, list[Hit]]:
    """The part of the window of everything that was found, by time."""
    down = window.order == "newest"
    ordered = sorted(whole, key=lambda hit: (hit.at, hit.id), reverse=down)
    if window.after is not None:
        after = (str(window.after[0]), str(window.after[1]))
        ordered = [hit for hit in ordered if ((hit.at, hit.id) < after if down else (hit.at, hit.id) > after)]
    kept = ordered[: window.limit]
    keys: list[Key] = [(hit.at, hit.id) for hit in kept]
    return Part([], keys, len(whole), more=len(ordered) > len(kept)), kept


def _documents(call: ReadCall, asked: Asked, told: dict[str, object]) -> Gathered:
    search = Search(
        asked.query, Filter(), call.window, call.caller.scope, call.house.dense, asked.rerank, asked.explain
    )
    found = candidates.found(call.db, search)
    told["fusion"] = {"method": "rrf", "k": K, "signals": found.signals}
    told["reranked"] = found.reranked
    if found.capped:
        told["total_is_capped"] = True
    why = {one.id: one for one in found.ranking.found}

    def shown(some: Sequence[Fused]) -> list[Hit]:
        ranked = [replace(one, ranks={**why[one.id].ranks, **one.ranks}) for one in some]
        return [
            Hit(
                family="documents", id=hit.document_id, title=hit.title, score=hit.score, at=hit.updated_at,
                passage=hit.passage, start=hit.start, end=hit.end, explain=hit.explain,
            )
            for hit in hits.shown(call.db, ranked, found, search)
        ]  # fmt: skip

    return Gathered(found.ranking.ids, shown)


def _wiki(call: ReadCall, asked: Asked, told: dict[str, object]) -> Gathered:
    search = pages.Search(asked.query, call.window, call.caller.scope, asked.explain)
    found = pages.found(call.db, search)
    if found.capped:
        told["total_is_capped"] = True
    why = {one.id: one for one in found.ranking.found}

    def shown(some: Sequence[Fused]) -> list[Hit]:
        ranked = [replace(one, ranks={**why[one.id].ranks, **one.ranks}) for one in some]
        return [
            Hit(
                family="wiki", id=hit.page_id, title=hit.title, score=hit.score, at=hit.updated_at,
                passage=hit.passage, start=hit.start, end=hit.end, explain=hit.explain,
            )
            for hit in pages.shown(call.db, ranked, found, search)
        ]  # fmt: skip

    return Gathered(found.ranking.ids, shown)


def _entities(call: ReadCall, asked: Asked, _: dict[str, object]) -> Gathered:
    likeness = entities.ranked(call.db, asked.query)
    ids = entity_records.within_times(call.db, call.window, list(likeness))

    def shown(some: Sequence[Fused]) -> list[Hit]:
        held = {hit.entity_id: hit for hit in entities.shown(call.db, [one.id for one in some], likeness)}
        return [
            Hit(
                family="entities", id=one.id, title=held[one.id].name, score=round(one.score, 6),
                at=held[one.id].updated_at, passage=held[one.id].summary,
                explain=Explanation(ranks=one.ranks, scores={"name": held[one.id].score}) if asked.explain else None,
            )
            for one in some
        ]  # fmt: skip

    return Gathered(ids, shown, [each for each in ids if likeness[each][0] == 1.0])


def _knowledge(call: ReadCall, asked: Asked, _: dict[str, object]) -> Gathered:
    ids = knowledge.worded(call.db, call.window, asked.query, call.caller.scope, MOST, call.now)

    def shown(some: Sequence[Fused]) -> list[Hit]:
        facts = knowledge.several(call.db, [one.id for one in some])
        return [
            Hit(
                family="knowledge", id=one.id, score=round(one.score, 6), at=facts[one.id].recorded_at,
                title=f"{facts[one.id].entity_name} {facts[one.id].predicate} {facts[one.id].object}",
                passage=facts[one.id].quote, explain=Explanation(ranks=one.ranks) if asked.explain else None,
            )
            for one in some
        ]  # fmt: skip

    return Gathered(ids, shown)


_GATHER: Mapping[Family, Callable[[ReadCall, Asked, dict[str, object]], Gathered]] = MappingProxyType(
    {"documents": _documents, "wiki": _wiki, "entities": _entities, "knowledge": _knowledge}
)
