"""The entities that a source speaks of: those that are known, and those that are made for it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from sophia.capabilities.documents import intake
from sophia.capabilities.entities import names, records as entities, resolve
from sophia.capabilities.mining import recorded
from sophia.capabilities.mining.mined import Subject
from sophia.catalog.call import Reader, WriteCall
from sophia.core.errors import BadArguments
from sophia.importers.brought import Brought
from sophia.importers.outcome import Outcome

PROJECT = "project"
"""The kind of the entity that a folder is which documents are about, where it is none so far."""


@dataclass
class Naming:
    """Finds the entities of one import, and makes those that are not there."""

    outcome: Outcome
    _made: set[str] = field(default_factory=set)

    def things(self, call: WriteCall, one: Brought) -> recorded.Told:
        """The entities that it speaks of, those that are not there made; one whose name fits several is left out."""
        told: recorded.Told = {}
        wanted = dict.fromkeys((*one.things, *(each.subject for each in one.statements if each.subject)))
        known = resolve.exact(call.db, [thing.name for thing in wanted])
        barred = entities.forgotten(call.db, known.keys())
        made: dict[str, str] = {}
        for thing in wanted:
            meant = known[thing.name]
            alike = [each for each in meant if each.kind == thing.kind] or meant
            if len(alike) > 1:
                self.outcome.skip(f"{one.location}: {thing.name}", "ambiguous")
            elif alike:
                told[thing] = (alike[0].entity_id, None)
            elif thing.name in barred:
                self.outcome.skip(f"{one.location}: a name", intake.FORGOTTEN)
            elif (key := names.key(thing.name)) in made:
                told[thing] = (made[key], None)
            elif (entity_id := self._made_of(call, thing, one.location)) is not None:
                made[key] = entity_id
                told[thing] = (entity_id, None)
        if one.about in told:
            self._call_it(call, told[one.about][0], one.aliases)
        return told

    def _call_it(self, call: WriteCall, entity_id: str, aliases: Sequence[str]) -> None:
        """Let the entity be called by these names too."""
        held = entities.find(call.db, entity_id)
        known = {names.key(name) for name in (held.name, *held.aliases)}
        known |= {names.key(name) for name in entities.forgotten(call.db, aliases)}
        fresh = {key: alias for alias in aliases if (key := names.key(alias)) and key not in known}
        for alias in fresh.values():
            entities.add_alias(call.db, call.new_id("alias"), entity_id, " ".join(alias.split()), call.now)
        if fresh:
            entities.index(call.db, entity_id)

    def _made_of(self, call: WriteCall, thing: Subject, location: str, attributes: str = "{}") -> str | None:
        try:
            name, kind = entities.shown(thing.name, "name"), entities.kind_of(thing.kind)
        except BadArguments:
            self.outcome.skip(f"{location}: {thing.name[:80]}", "bad_arguments")
            return None
        entity_id = call.new_id("e")
        entities.insert(call.db, entity_id, call.now, kind=kind, name=name, attributes=attributes)
        if (key := f"{kind}:{names.key(name)}:{attributes}") not in self._made:
            self._made.add(key)
            self.outcome.entities += 1
        return entity_id

    def projects(self, call: WriteCall, folders: set[str]) -> dict[str, str]:
        """The entity of each of these folders: what is registered there, or a project that was made for it."""
        found = _at_location(call.db, folders)
        named = {folder: folder.rstrip("/").rpartition("/")[2] or folder for folder in folders - found.keys()}
        barred = entities.forgotten(call.db, named.values())
        for folder, name in sorted(named.items()):
            if name in barred:
                continue
            attributes = json.dumps({"location": folder}, ensure_ascii=False)
            made = self._made_of(call, Subject(name, PROJECT), folder, attributes)
            if made is not None:
                found[folder] = made
        return found


def _at_location(db: Reader, locations: set[str]) -> dict[str, str]:
    """The active entity that stands for each of these folders."""
    if not locations:
        return {}
    rows = db.rows(
        "SELECT json_extract(e.attributes, '$.location') AS location, min(e.id) AS id FROM entity e"
        " WHERE e.kind IN ('folder', 'repository', 'project') AND e.status = 'active'"
        " AND json_extract(e.attributes, '$.location') IN (SELECT value FROM json_each(:locations)) GROUP BY 1",
        locations=json.dumps(sorted(locations)),
    )
    return {row["location"]: row["id"] for row in rows}
