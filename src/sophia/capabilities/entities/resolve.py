"""What a name means: the entity of that id, exact name or alias, or those that it might be. Never a guess."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sophia.capabilities.entities import names
from sophia.catalog.call import Reader
from sophia.core.errors import Ambiguous, NotFound
from sophia.core.page import Row
from sophia.search import entity_names

SHOWN = 10
"""How many candidates are told."""
_COMPARED = 100
_WORTH_SHOWING = 0.6


class Candidate(Row, frozen=True):
    """An entity that a name may mean, how likely, and why."""

    entity_id: str
    name: str
    kind: str
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a text names exactly: by `id`, `name` or `alias`."""

    entity_id: str
    name: str
    kind: str
    status: str
    why: str

    @property
    def candidate(self) -> Candidate:
        return Candidate(entity_id=self.entity_id, name=self.name, kind=self.kind, score=1.0, why=self.why)


_EXACT = """
    SELECT CAST(w.key AS INTEGER) AS n, e.id AS entity_id, e.name, e.kind, e.status, 'id' AS why, 0 AS nearness
      FROM json_each(:texts) w CROSS JOIN entity e ON e.id = w.value
    UNION ALL
    SELECT CAST(w.key AS INTEGER), e.id, e.name, e.kind, e.status, 'name', 1
      FROM json_each(:keys) w CROSS JOIN entity e ON e.name_key = w.value
    UNION ALL
    SELECT CAST(w.key AS INTEGER), e.id, e.name, e.kind, e.status, 'alias', 2
      FROM json_each(:keys) w CROSS JOIN entity_alias a ON a.alias_key = w.value
           CROSS JOIN entity e ON e.id = a.entity_id
     ORDER BY nearness, entity_id
"""


def exact(db: Reader, texts: Iterable[str]) -> dict[str, list[Named]]:
    """Every entity that each text names exactly: the one of that id, else those of that name or alias.

    The archived ones only where there is no other.
    """
    asked = list(dict.fromkeys(texts))
    found: dict[str, dict[str, Named]] = {text: {} for text in asked}
    if not asked:
        return {}
    values = {"texts": json.dumps(asked), "keys": json.dumps([names.key(text) for text in asked])}
    for row in db.rows(_EXACT, **values):
        named = Named(row["entity_id"], row["name"], row["kind"], row["status"], row["why"])
        found[asked[row["n"]]].setdefault(named.entity_id, named)
    return {text: _meant(list(each.values())) for text, each in found.items()}


def _meant(found: list[Named]) -> list[Named]:
    by_id = [each for each in found if each.why == "id"]
    return by_id or [each for each in found if each.status == "active"] or found


def named(db: Reader, text: str, argument: str = "entity") -> Named:
    """The entity that a read's argument names; `NotFound` for none, `Ambiguous` with candidates for several."""
    found = exact(db, [text])[text]
    if not found:
        raise NotFound(argument=argument, hint="resolve_entity tells what a name might mean.")
    if len(found) > 1:
        raise Ambiguous(argument=argument, candidates=[each.candidate for each in found[:SHOWN]])
    return found[0]


def candidates(db: Reader, name: str, kind: str | None) -> list[Candidate]:
    """The entities that `name` may mean, likeliest first: those that it names exactly, then those of like names."""
    told = {each.entity_id: each.candidate for each in exact(db, [name])[name] if kind in (None, each.kind)}
    for row in entity_names.near(db, names.key(name), kind, _COMPARED):
        if row["id"] not in told and (like := _weighed(row, [name])).score >= _WORTH_SHOWING:
            told[like.entity_id] = like
    return sorted(told.values(), key=lambda each: (-each.score, each.name, each.entity_id))[:SHOWN]


def duplicates(db: Reader, given: list[str], kind: str) -> list[Candidate]:
    """The entities of this kind that something called by the `given` names is likely to be already."""
    told: dict[str, Candidate] = {}
    for found in exact(db, given).values():
        told.update({each.entity_id: each.candidate for each in found if each.kind == kind and each.why != "id"})
    for name in given:
        for row in entity_names.near(db, names.key(name), kind, _COMPARED):
            if row["id"] not in told and (like := _weighed(row, given)).score >= names.LIKELY:
                told[like.entity_id] = like
    return sorted(told.values(), key=lambda each: (-each.score, each.name, each.entity_id))[:SHOWN]


def _weighed(row: dict[str, Any], given: list[str]) -> Candidate:
    likeness = names.best(given, [row["name"], *json.loads(row["aliases"])])
    return Candidate(
        entity_id=row["id"], name=row["name"], kind=row["kind"], score=round(likeness.score, 2), why=likeness.why
    )
