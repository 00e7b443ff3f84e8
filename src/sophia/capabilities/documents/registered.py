"""Folders that are registered: each is an entity, to which the documents of its files are linked."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sophia.capabilities.documents import globs, waiting
from sophia.capabilities.documents.links import NewId
from sophia.capabilities.entities import names, records as entities
from sophia.catalog.call import Reader, Writer
from sophia.core.errors import Conflict, NotFound

LEFT_OUT = ("node_modules", "__pycache__")
"""Folders that hold copies of what others wrote. What is hidden is left out anyway."""


@dataclass(frozen=True, slots=True)
class Registered:
    """One registered folder."""

    entity_id: str
    name: str
    location: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    watch: bool
    connection_id: str


@dataclass(frozen=True, slots=True)
class Terms:
    """How a folder is to be registered. `None` keeps what holds, or takes what holds without being said."""

    location: str
    name: str | None = None
    include: Sequence[str] | None = None
    exclude: Sequence[str] | None = None
    watch: bool = True


_SELECT = (
    "SELECT f.id, f.location, f.include, f.exclude, f.watch, f.connection_id, e.name FROM folder f"
    " JOIN entity e ON e.id = f.id WHERE e.status = 'active'"
)


def listed(db: Reader) -> list[Registered]:
    """The folders that are registered, by location. One whose entity was archived is registered no more."""
    return [_filled(row) for row in db.rows(f"{_SELECT} ORDER BY f.location")]


def among(db: Reader, entity_ids: Iterable[str]) -> set[str]:
    """Which of the entities are folders, registered still or once."""
    rows = db.rows("SELECT f.id FROM folder f WHERE f.id IN (SELECT value FROM json_each(:ids))",
                   ids=json.dumps(list(entity_ids)))  # fmt: skip
    return {row["id"] for row in rows}


def found(db: Reader, entity_id: str) -> Registered:
    """The registered folder that is this entity; `NotFound` where it is none."""
    row = db.row(f"{_SELECT} AND f.id = :id", id=entity_id)
    if row is None:
        raise NotFound("No registered folder has that entity_id.", argument="entity_id")
    return _filled(row)


def nearest(folders: Iterable[Registered], location: str) -> Registered | None:
    """The innermost of these folders that this file lies in, or `None`."""
    around = [folder for folder in folders if location.startswith(folder.location.rstrip("/") + "/")]
    return max(around, key=lambda folder: len(folder.location), default=None)


def within(folders: Iterable[Registered], folder: Registered) -> list[str]:
    """The paths, relative to the folder, of the others that lie in it."""
    start = folder.location.rstrip("/") + "/"
    return [one.location.removeprefix(start) for one in folders if one.location.startswith(start)]


def register(db: Writer, terms: Terms, connection_id: str, now: int, new_id: NewId) -> tuple[Registered, bool]:
    """The folder registered on these terms, and whether its entity was made for it. Its files are waited for."""
    for patterns, argument in ((terms.include, "include"), (terms.exclude, "exclude")):
        globs.compiled(patterns or (), argument)
    row = db.row(
        "SELECT f.id, e.status FROM folder f JOIN entity e ON e.id = f.id WHERE f.location = :location",
        location=terms.location,
    )
    if row is not None:
        return _again(db, row, terms, now), False
    entity_id = _entity(db, terms.location)
    made = entity_id is None
    if entity_id is None:
        entity_id = new_id("e")
        name = entities.shown(terms.name or _name(terms.location), "name")
        attributes = json.dumps({"location": terms.location}, ensure_ascii=False)
        entities.insert(db, entity_id, now, kind="folder", name=name, attributes=attributes)
    db.insert(
        "folder", id=entity_id, location=terms.location, include=json.dumps(list(terms.include or ())),
        exclude=json.dumps(list(LEFT_OUT if terms.exclude is None else terms.exclude)), watch=int(terms.watch),
        connection_id=connection_id, created_at=now, updated_at=now,
    )  # fmt: skip
    waiting.ask(db, entity_id)
    return found(db, entity_id), made


def _again(db: Writer, row: dict[str, Any], terms: Terms, now: int) -> Registered:
    """The folder that was registered before, on the terms of now; what they do not say stays."""
    if row["status"] == "merged":
        raise Conflict("The entity of this folder was merged into another; unmerge it first.", argument="path")
    if row["status"] == "archived":
        db.update("entity", row["id"], status="active", updated_at=now)
    held = found(db, row["id"])
    changes: dict[str, Any] = {} if terms.watch == held.watch else {"watch": int(terms.watch)}
    for name, said, holds in (("include", terms.include, held.include), ("exclude", terms.exclude, held.exclude)):
        if said is not None and tuple(said) != holds:
            changes[name] = json.dumps(list(said))
    if changes:
        db.update("folder", held.entity_id, updated_at=now, **changes)
    name = held.name if terms.name is None else entities.shown(terms.name, "name")
    if name != held.name:
        db.update("entity", held.entity_id, name=name, name_key=names.key(name), updated_at=now)
        entities.index(db, held.entity_id)
    waiting.ask(db, held.entity_id)
    return found(db, held.entity_id)


def _entity(db: Reader, location: str) -> str | None:
    """The entity that stands for a folder already, from before it was registered; `None` where there is none."""
    there = db.value(
        "SELECT e.id FROM entity e WHERE e.kind = 'folder' AND e.status = 'active'"
        " AND json_extract(e.attributes, '$.location') = :location ORDER BY e.id",
        location=location,
    )
    return None if there is None else str(there)


def _name(location: str) -> str:
    return location.rstrip("/").rpartition("/")[2] or location


def _filled(row: dict[str, Any]) -> Registered:
    return Registered(
        row["id"], row["name"], row["location"], tuple(json.loads(row["include"])), tuple(json.loads(row["exclude"])),
        bool(row["watch"]), row["connection_id"],
    )  # fmt: skip
