"""What a name means: the entity of that id, exact name or alias, or those that it might be. Never a guess."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sophia.capabilities.entities import merging, names
from sophia.capabilities.entities.contacts import Contact, contacts
from sophia.catalog.call import Reader
from sophia.core.errors import Ambiguous, NotFound
from sophia.core.page import Row
from sophia.search import entity_names

SHOWN = 10
"""How many candidates are told."""
MERGED = "merged into"
"""Why an entity is meant by the id or a name of one that went into it."""
_COMPARED = 100
_WORTH_SHOWING = 0.6


class Candidate(Row, frozen=True):
    """An entity that a name may mean, how likely, and why."""

    entity_id: str
    name: str
    kind: str
    score: float
    why: str
    merged_id: str | None = None
    """The entity of that name, which was merged into this one."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that a text names exactly: by `id`, `name` or `alias`, its own or that of one that went into it."""

    entity_id: str
    name: str
    kind: str
    status: str
    why: str
    merged_id: str | None = None

    @property
    def candidate(self) -> Candidate:
        why = MERGED if self.merged_id else self.why
        return Candidate(
            entity_id=self.entity_id, name=self.name, kind=self.kind, score=1.0, why=why, merged_id=self.merged_id
        )


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

    What was merged stands for what it went into. The archived ones only where there is no other.
    """
    asked = list(dict.fromkeys(texts))
    found: dict[str, dict[str, Named]] = {text: {} for text in asked}
    if not asked:
        return {}
    values = {"texts": json.dumps(asked), "keys": json.dumps([names.key(text) for text in asked])}
    rows = db.rows(_EXACT, **values)
    went = _went(db, [(row["entity_id"], row["status"]) for row in rows])
    for row in sorted(rows, key=lambda row: row["entity_id"] in went):
        named = Named(row["entity_id"], row["name"], row["kind"], row["status"], row["why"])
        if into := went.get(named.entity_id):
            named = Named(into.entity_id, into.name, into.kind, into.status, row["why"], named.entity_id)
        found[asked[row["n"]]].setdefault(named.entity_id, named)
    return {text: _meant(list(each.values())) for text, each in found.items()}


def _meant(found: list[Named]) -> list[Named]:
    by_id = [each for each in found if each.why == "id"]
    return by_id or [each for each in found if each.status == "active"] or found


def _went(db: Reader, found: Sequence[tuple[str, str]]) -> dict[str, merging.Standing]:
    """Where those of these entities are now that were merged, as far as the caller sees it."""
    merged = [entity_id for entity_id, status in found if status == "merged"]
    into = merging.standing(db, merged) if merged else {}
    return {entity_id: one for entity_id, one in into.items() if one.entity_id != entity_id}


def named(db: Reader, text: str, argument: str = "entity") -> Named:
    """The entity that a read's argument names; `NotFound` for none, `Ambiguous` with candidates for several."""
    found = exact(db, [text])[text]
    if not found:
        raise NotFound(argument=argument, hint="resolve_entity tells what a name might mean.")
    if len(found) > 1:
        raise Ambiguous(argument=argument, candidates=[each.candidate for each in found[:SHOWN]])
    return found[0]


def meant(db: Reader, text: str, argument: str = "entity") -> str:
    """The ids, as `merging.about` gives them, of the entity that a read's argument names."""
    return merging.about(db, named(db, text, argument).entity_id)


def candidates(db: Reader, name: str, kind: str | None) -> list[Candidate]:
    """The entities that `name` may mean, likeliest first: those that it names exactly, then those of like names."""
    told = {each.entity_id: each.candidate for each in exact(db, [name])[name] if kind in (None, each.kind)}
    near = entity_names.near(db, names.key(name), kind, _COMPARED)
    for row in followed(db, near, kind):
        _tell(told, _weighed(row, [name]), _WORTH_SHOWING)
    return sorted(told.values(), key=lambda each: (-each.score, each.name, each.entity_id))[:SHOWN]


def duplicates(db: Reader, given: list[str], kind: str, attributes: dict[str, Any] | None = None) -> list[Candidate]:
    """The entities of this kind that something of the `given` names and attributes is likely to be already."""
    told: dict[str, Candidate] = {}
    for found in exact(db, given).values():
        told.update({each.entity_id: each.candidate for each in found if each.kind == kind and each.why != "id"})
    addresses = {each.text: each for each in contacts(attributes or {})}
    for row in followed(db, entity_names.holding(db, list(addresses), kind, _COMPARED), kind):
        shared = [addresses[each.text] for each in contacts(json.loads(row["attributes"])) if each.text in addresses]
        if shared:
            _tell(told, _sharing(row, max(shared, key=lambda each: each.score)), names.LIKELY)
    for name in given:
        for row in followed(db, entity_names.near(db, names.key(name), kind, _COMPARED), kind):
            _tell(told, _weighed(row, given), names.LIKELY)
    return sorted(told.values(), key=lambda each: (-each.score, each.name, each.entity_id))[:SHOWN]


def followed(db: Reader, rows: list[dict[str, Any]], kind: str | None) -> list[dict[str, Any]]:
    """The rows of the index, those that were merged as what they went into: `id` and `kind` are its own then.

    `shown` is what it is called, `merged_id` what went; `name` and `aliases` stay what was found.
    """
    went = _went(db, [(row["id"], row["status"]) for row in rows])
    told = []
    for row in rows:
        into = went.get(row["id"])
        if into is None:
            told.append({**row, "shown": row["name"], "merged_id": None})
        elif into.status != "archived":
            now = {"id": into.entity_id, "kind": into.kind, "shown": into.name, "merged_id": row["id"]}
            told.append({**row, **now})
    return [row for row in told if kind in (None, row["kind"])]


def _tell(told: dict[str, Candidate], like: Candidate, least: float) -> None:
    """Add the candidate where it is likely enough, and likelier than what is told of it."""
    before = told.get(like.entity_id)
    if like.score >= least and (before is None or like.score > before.score):
        told[like.entity_id] = like


def _sharing(row: dict[str, Any], shared: Contact) -> Candidate:
    return Candidate(
        entity_id=row["id"], name=row["shown"], kind=row["kind"], score=shared.score, why=shared.why,
        merged_id=row["merged_id"],
    )  # fmt: skip


def _weighed(row: dict[str, Any], given: list[str]) -> Candidate:
    likeness = names.best(given, [row["name"], *json.loads(row["aliases"])])
    return Candidate(
        entity_id=row["id"], name=row["shown"], kind=row["kind"], score=round(likeness.score, 2), why=likeness.why,
        merged_id=row["merged_id"],
    )  # fmt: skip
