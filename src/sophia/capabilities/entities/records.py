"""Entities at rest: SQL beside the shapes it fills."""

import json
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from sophia.capabilities.entities import names
from sophia.capabilities.entities.contacts import contacts
from sophia.catalog.call import Reader, Writer
from sophia.core.clock import rfc3339
from sophia.core.errors import BadArguments, NotFound
from sophia.core.listing import paged, within
from sophia.core.page import Listed, Order, Page, Row, Window
from sophia.search import entity_names

MAX_ALIASES = 50
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class Entity(Row, frozen=True):
    """Something that facts are about."""

    COMPACT: ClassVar[tuple[str, ...]] = ("entity_id", "kind", "name", "status")
    LISTED: ClassVar[Listed] = Listed("updated_at", "entity_id", {"name": Order(("name_key", "entity_id"))})

    entity_id: str
    kind: str
    name: str
    status: str
    created_at: str
    updated_at: str
    aliases: list[str] = []
    summary: str | None = None
    attributes: dict[str, Any] = {}
    merged_ids: list[str] = []
    """What went into this one: each of these ids stands for it."""
    merged_into: str | None = None


_SELECT = """
    SELECT e.id AS entity_id, e.kind, e.name, e.name_key, e.summary, e.attributes, e.status, e.created_at, e.updated_at,
           (SELECT json_group_array(a.alias) FROM entity_alias a WHERE a.entity_id = e.id) AS aliases,
           (SELECT m.into_id FROM entity_merge m WHERE m.id = e.id) AS merged_into,
           (WITH RECURSIVE part (id) AS (
              SELECT m.id FROM entity_merge m WHERE m.into_id = e.id
              UNION SELECT m.id FROM part CROSS JOIN entity_merge m ON m.into_id = part.id)
            SELECT json_group_array(p.id ORDER BY p.id) FROM part p) AS merged_ids
      FROM entity e
"""


def _filled(row: dict[str, Any]) -> Entity:
    return Entity(
        entity_id=row["entity_id"], kind=row["kind"], name=row["name"], status=row["status"], summary=row["summary"],
        attributes=json.loads(row["attributes"]), aliases=sorted(json.loads(row["aliases"])),
        created_at=rfc3339(row["created_at"]), updated_at=rfc3339(row["updated_at"]),
        merged_ids=json.loads(row["merged_ids"]), merged_into=row["merged_into"],
    )  # fmt: skip


def find(db: Reader, entity_id: str) -> Entity:
    """The entity of this id; `NotFound` where the caller sees none."""
    row = db.row(_SELECT + " WHERE e.id = :id", id=entity_id)
    if row is None:
        raise NotFound(argument="entity_id")
    return _filled(row)


def listed(db: Reader, window: Window, *, kind: str | None, status: str) -> Page[Entity]:
    """The entities of a kind and status."""
    where = " WHERE e.status = :status" + ("" if kind is None else " AND e.kind = :kind")
    part = paged(db, window, Entity.LISTED, _SELECT + where, status=status, kind=kind)
    return part.page([_filled(row) for row in part.rows])


def within_times(db: Reader, window: Window, ids: Sequence[str]) -> list[str]:
    """Those that were changed within the window's times, in the same order."""
    rows = db.rows(
        "SELECT e.id FROM entity e WHERE e.id IN (SELECT value FROM json_each(:ids))"
        f" AND {within(window, 'e.updated_at')}",
        ids=json.dumps(list(ids)), since=window.since, until=window.until,
    )  # fmt: skip
    kept = {row["id"] for row in rows}
    return [each for each in ids if each in kept]


def shown(text: str, argument: str) -> str:
    """A name as it is kept: NFC, white space single; `BadArguments` where nothing of it can be seen or looked up."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not names.key(name) or any(unicodedata.category(character) == "Cc" for character in name):
        raise BadArguments(f"{argument} must hold letters, digits or signs that can be seen.", argument=argument)
    return name


def kind_of(text: str) -> str:
    """A kind as it is kept: case-folded, so that `Person` and `person` are one."""
    return shown(text, "kind").casefold()


def insert(tx: Writer, entity_id: str, now: int, **row: Any) -> None:
    """Make an entity of `kind`, `name` and what else is given, and have it found by its name."""
    tx.insert("entity", id=entity_id, name_key=names.key(row["name"]), created_at=now, updated_at=now, **row)
    index(tx, entity_id)


def add_alias(tx: Writer, alias_id: str, entity_id: str, alias: str, now: int) -> None:
    """Let the entity be called `alias`, too."""
    tx.insert("entity_alias", id=alias_id, entity_id=entity_id, alias=alias, alias_key=names.key(alias), created_at=now)


def forgotten(tx: Writer, wanted: Iterable[str]) -> set[str]:
    """Which of these names no entity may have, since the owner had them forgotten."""
    keys = {name: names.key(name) for name in wanted}
    rows = tx.rows(
        "SELECT w.value AS key FROM json_each(:keys) w"
        " WHERE EXISTS (SELECT 1 FROM forgotten_value v WHERE v.keyed = forgotten_hash('name', w.value))",
        keys=json.dumps(sorted(set(keys.values()))),
    )
    barred = {row["key"] for row in rows}
    return {name for name, key in keys.items() if key in barred}


def alias_id(db: Reader, entity_id: str, alias: str) -> str | None:
    """The row of the entity's alias, however it is spelled; `None` where it has none such."""
    found: str | None = db.value(
        "SELECT a.id FROM entity_alias a WHERE a.entity_id = :entity_id AND a.alias_key = :key",
        entity_id=entity_id, key=names.key(alias),
    )  # fmt: skip
    return found


def index(tx: Writer, entity_id: str) -> None:
    """Have the entity found by all its names and addresses as they are now."""
    reindex(tx, [entity_id])


def reindex(tx: Writer, entity_ids: Sequence[str]) -> None:
    """Have those of the entities that there are found by all their names and addresses as they are now."""
    rows = tx.rows(
        "SELECT e.id, e.name, e.attributes, (SELECT json_group_array(a.alias ORDER BY a.alias) FROM entity_alias a"
        " WHERE a.entity_id = e.id) AS aliases FROM entity e WHERE e.id IN (SELECT value FROM json_each(:ids))",
        ids=json.dumps(list(entity_ids)),
    )
    for row in rows:
        called = [names.key(name) for name in (row["name"], *json.loads(row["aliases"]))]
        addresses = [each.text for each in contacts(json.loads(row["attributes"]))]
        entity_names.index(tx, row["id"], called + addresses)
