"""The shortest way from one entity to another over facts: a search in breadth, of bounded cost."""

import json
from dataclasses import dataclass, field

from sophia.capabilities.entities import merging
from sophia.capabilities.knowledge import registry, relations
from sophia.capabilities.knowledge.relations import Direction
from sophia.catalog.call import Reader
from sophia.core.page import Row

MOST_HOPS = 8
MOST_ENTITIES = 5_000
"""How many entities are looked at."""
MOST_FACTS = 20_000
"""How many facts are followed in one step."""


class Hop(Row, frozen=True):
    """One step of a way: what the entity that it leads to is, as read from the one before."""

    fact_id: str
    from_id: str
    from_name: str
    relation: str
    direction: Direction
    to_id: str
    to_name: str


class Way(Row, frozen=True):
    """A shortest way, if there is one."""

    found: bool
    hops: list[Hop]
    complete: bool
    """Whether everything within the hops was looked at: where not, that no way was found says nothing."""
    looked_at: int
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """How an entity was reached."""

    before: str
    fact_id: str
    predicate: str
    direction: Direction


@dataclass(slots=True)
class _Search:
    """What was reached so far, each entity by the id that stands for it now."""

    reached: dict[str, _Step | None]
    complete: bool = True
    frontier: list[str] = field(default_factory=list)


_FACTS = """
    SELECT f.id, f.predicate, 'out' AS direction, w.value AS near, f.object_entity_id AS far
      FROM json_each(:ids) w CROSS JOIN fact f
     WHERE f.entity_id = w.value AND f.object_entity_id IS NOT NULL AND f.status = 'current'
    UNION ALL
    SELECT f.id, f.predicate, 'in', w.value, f.entity_id
      FROM json_each(:ids) w CROSS JOIN fact f
     WHERE f.object_entity_id = w.value AND f.status = 'current'
     LIMIT :limit
"""


def shortest(db: Reader, from_id: str, to_id: str, max_hops: int) -> Way:
    """A shortest way over current facts, read in either direction, of at most so many hops."""
    search = _Search({from_id: None}, frontier=[from_id])
    for _ in range(max_hops):
        if to_id in search.reached or not search.frontier:
            break
        _widen(db, search)
    found = to_id in search.reached
    hint = None
    if not found and not search.complete:
        hint = f"There is too much within {max_hops} hops to look at all of it; start from the one that knows fewer."
    elif not found and search.frontier:
        hint = f"There is no way of up to {max_hops} hops; max_hops looks further."
    return Way(
        found=found, hops=_told(db, search, to_id) if found else [], complete=found or search.complete,
        looked_at=len(search.reached), hint=hint,
    )  # fmt: skip


def _widen(db: Reader, search: _Search) -> None:
    """Reach everything that is one hop further, with a fixed number of questions."""
    parts = merging.parts(db, search.frontier)
    whole = {part: each for each, of in parts.items() for part in of}
    rows = db.rows(_FACTS, ids=json.dumps(sorted(whole)), limit=MOST_FACTS + 1)
    search.complete = search.complete and len(rows) <= MOST_FACTS
    now = merging.standing(db, (row["far"] for row in rows[:MOST_FACTS]))
    search.frontier = []
    for row in rows[:MOST_FACTS]:
        far = now[row["far"]].entity_id
        if far in search.reached:
            continue
        if len(search.reached) >= MOST_ENTITIES:
            search.complete = False
            break
        search.reached[far] = _Step(whole[row["near"]], row["id"], row["predicate"], row["direction"])
        search.frontier.append(far)


def _told(db: Reader, search: _Search, to_id: str) -> list[Hop]:
    steps: list[tuple[_Step, str]] = []
    at = to_id
    while (step := search.reached[at]) is not None:
        steps.append((step, at))
        at = step.before
    called = merging.standing(db, [at, *(each for _, each in steps)])
    predicates = registry.predicates(db, (step.predicate for step, _ in steps))
    return [
        Hop(
            fact_id=step.fact_id, from_id=step.before, from_name=called[step.before].name,
            relation=relations.read(predicates[step.predicate].inverse, step.predicate, step.direction),
            direction=step.direction, to_id=to, to_name=called[to].name,
        )
        for step, to in reversed(steps)
    ]  # fmt: skip
