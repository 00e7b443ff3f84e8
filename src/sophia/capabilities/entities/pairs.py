"""Pairs of entities that are likely one: of one name or address wherever they are, of like names among the newest.

Not every entity is compared with every other. Equal keys meet in an index; like names meet where they share a word
or a beginning, and only where few do.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from sophia.capabilities.entities import names
from sophia.capabilities.entities.contacts import contacts
from sophia.catalog.call import Reader
from sophia.core.clock import rfc3339
from sophia.core.listing import paged
from sophia.core.page import Listed, Order, Page, Row, Window

MOST_LOOKED = 5_000
"""How many of the entities, those that changed last, are compared by likeness."""
MOST_COMPARED = 5_000
"""How many pairs are."""
MOST_ALIKE = 20
"""How many may share a word, or a beginning, so that they are compared with each other for it."""
MOST_EQUAL = 1_000
"""How many names that several have are told."""
_BEGINNING = 4


class Pair(Row, frozen=True):
    """Two entities that are likely one, how likely, and why."""

    COMPACT: ClassVar[tuple[str, ...]] = ("pair", "name", "other_name", "score", "why")
    LISTED: ClassVar[Listed] = Listed("updated_at", "pair", {"relevance": Order(("unlikeness", "pair"))})
    PAGE: ClassVar[dict[str, object]] = {"looked_at": {"type": "integer"}, "complete": {"type": "boolean"}}

    pair: str
    """Both ids, the older one first: as merge_entities takes them, to keep and to merge."""
    entity_id: str
    name: str
    other_id: str
    other_name: str
    kind: str
    score: float
    why: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class _Entity:
    """An entity as it is compared."""

    entity_id: str
    name: str
    kind: str
    keys: tuple[str, ...]
    """Of all its names, as they are compared."""
    addresses: Mapping[str, tuple[float, str]]
    created_at: int
    updated_at: int


_ACTIVE = """
    SELECT e.id, e.name, e.kind, e.attributes, e.created_at, e.updated_at,
           (SELECT json_group_array(a.alias) FROM entity_alias a WHERE a.entity_id = e.id) AS aliases
      FROM entity e
"""
_MEANT = """
    e.status = 'active' AND (:kind IS NULL OR e.kind = :kind) AND NOT EXISTS (SELECT 1 FROM folder f WHERE f.id = e.id)
"""
"""A folder's entity is what its documents are seen by, and never merged."""
_NEWEST = f"{_ACTIVE} WHERE {_MEANT} ORDER BY e.updated_at DESC, e.id DESC LIMIT :limit"
_SOME = f"{_ACTIVE} WHERE e.id IN (SELECT value FROM json_each(:ids))"  # noqa: S608 (SQL of ours)
_KEYS = f"""
    SELECT e.id, e.kind, e.name_key AS key FROM entity e WHERE {_MEANT}
     UNION
    SELECT e.id, e.kind, a.alias_key FROM entity_alias a CROSS JOIN entity e ON e.id = a.entity_id WHERE {_MEANT}
"""  # noqa: S608 (SQL of ours)
_EQUAL = f"""
    SELECT min(k.id) AS first, json_group_array(k.id ORDER BY k.id) AS ids FROM ({_KEYS}) k
     GROUP BY k.kind, k.key HAVING count(*) > 1 ORDER BY first LIMIT :limit
"""  # noqa: S608 (SQL of ours)
_TOLD = """
    SELECT p.value ->> 'pair' AS pair, p.value ->> 'entity_id' AS entity_id, p.value ->> 'name' AS name,
           p.value ->> 'other_id' AS other_id, p.value ->> 'other_name' AS other_name, p.value ->> 'kind' AS kind,
           p.value ->> 'score' AS score, -(p.value ->> 'score') AS unlikeness, p.value ->> 'why' AS why,
           p.value ->> 'updated_at' AS updated_at
      FROM json_each(:pairs) p
"""


def listed(db: Reader, window: Window, kind: str | None) -> Page[Pair]:
    """The pairs of a kind, the likeliest first. `complete` says whether every name was compared for likeness."""
    newest = [_entity(row) for row in db.rows(_NEWEST, kind=kind, limit=MOST_LOOKED + 1)]
    looked = newest[:MOST_LOOKED]
    alike, complete = _alike(looked)
    pairs = {frozenset((one.entity_id, other.entity_id)): (one, other, *why) for one, other, why in alike}
    groups = [json.loads(row["ids"]) for row in db.rows(_EQUAL, kind=kind, limit=MOST_EQUAL)]
    complete = complete and len(newest) <= MOST_LOOKED and len(groups) < MOST_EQUAL
    for one, other in _equal(db, groups, {each.entity_id: each for each in looked}):
        pairs[frozenset((one.entity_id, other.entity_id))] = (one, other, 1.0, "same name")
    rows = [_row(*each) for each in pairs.values()]
    part = paged(db, window, Pair.LISTED, _TOLD, pairs=json.dumps(rows))
    shown = part.page([
        Pair(**{**{name: value for name, value in row.items() if name != "unlikeness"},
                "updated_at": rfc3339(row["updated_at"])})
        for row in part.rows
    ])  # fmt: skip
    shown.extra.update(looked_at=len(looked), complete=complete)
    return shown


def _equal(db: Reader, groups: list[list[str]], held: dict[str, _Entity]) -> Iterator[tuple[_Entity, _Entity]]:
    """Of the entities that are of one name the oldest with the others."""
    groups = [group[: MOST_ALIKE + 1] for group in groups]
    missing = sorted({each for group in groups for each in group} - held.keys())
    more = {row["id"]: _entity(row) for row in db.rows(_SOME, ids=json.dumps(missing))} if missing else {}
    for group in groups:
        first, *others = (held.get(each) or more[each] for each in group)
        for other in others:
            yield first, other


def _alike(looked: list[_Entity]) -> tuple[list[tuple[_Entity, _Entity, tuple[float, str]]], bool]:
    """The pairs of like names or one address, and whether all that meet were compared."""
    told: list[tuple[_Entity, _Entity, tuple[float, str]]] = []
    compared: set[frozenset[str]] = set()
    for one, other in _meeting(looked):
        pair = frozenset((one.entity_id, other.entity_id))
        if pair in compared:
            continue
        if len(compared) >= MOST_COMPARED:
            return told, False
        compared.add(pair)
        likeness = names.best_of_keys(one.keys, other.keys)
        shared = [one.addresses[each] for each in one.addresses.keys() & other.addresses.keys()]
        best = max([(likeness.score, likeness.why), *shared])
        if best[0] >= names.LIKELY:
            told.append((one, other, best))
    return told, True


def _meeting(looked: list[_Entity]) -> Iterator[tuple[_Entity, _Entity]]:
    """The entities of a kind that share an address, a word of a name or its beginning, where few share it."""
    blocks: dict[tuple[str, str], dict[str, _Entity]] = defaultdict(dict)
    for each in looked:
        for mark in _marks(each):
            blocks[each.kind, mark][each.entity_id] = each
    for block in sorted(blocks.values(), key=len):
        if len(block) <= MOST_ALIKE:
            yield from combinations(block.values(), 2)


def _marks(each: _Entity) -> set[str]:
    keys = [names.bare(key) for key in each.keys]
    words = {word for key in keys for word in key.split() if len(word) > 1}
    return words | {f"^{key.replace(' ', '')[:_BEGINNING]}" for key in keys} | {f"@{one}" for one in each.addresses}


def _entity(row: dict[str, Any]) -> _Entity:
    addresses = {each.text: (each.score, each.why) for each in contacts(json.loads(row["attributes"]))}
    keys = tuple(names.key(name) for name in (row["name"], *json.loads(row["aliases"])))
    return _Entity(row["id"], row["name"], row["kind"], keys, addresses, row["created_at"], row["updated_at"])


def _row(one: _Entity, other: _Entity, score: float, why: str) -> dict[str, Any]:
    first, second = sorted((one, other), key=lambda each: (each.created_at, each.entity_id))
    return {
        "pair": f"{first.entity_id} {second.entity_id}", "entity_id": first.entity_id, "name": first.name,
        "other_id": second.entity_id, "other_name": second.name, "kind": first.kind, "score": round(score, 4),
        "why": why, "updated_at": max(one.updated_at, other.updated_at),
    }  # fmt: skip
