"""Changing entities."""

from typing import Annotated, Any

from msgspec import Meta

from sophia.capabilities.entities import attributes as bounds, merging, names, records, resolve
from sophia.capabilities.entities.records import MAX_ALIASES, Entity, Name
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.errors import BadArguments, Conflict, LimitReached, NotFound
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_entities", Access.WRITE)

Summary = Annotated[str, Meta(max_length=2000)]


class Written(Row, frozen=True):
    """The entity as it is now."""

    entity: Entity
    warning: str | None = None


@tools.tool()
def create_entity(
    call: WriteCall,
    kind: Annotated[str, Meta(min_length=1, max_length=60, description="Such as person, organisation or project.")],
    name: Name,
    aliases: Annotated[list[Name], Meta(max_length=MAX_ALIASES)] | None = None,
    summary: Summary | None = None,
    attributes: dict[str, Any] | None = None,
    allow_duplicate: Annotated[bool, Meta(description="Make it although a like one exists.")] = False,
) -> Written:
    """Make a new entity. The owner is always asked first; one that is likely there already is a conflict."""
    kind, name = records.kind_of(kind), records.shown(name, "name")
    others: dict[str, str] = {}
    for alias in aliases or []:
        others.setdefault(names.key(alias), records.shown(alias, "aliases"))
    others.pop(names.key(name), None)
    like = [] if allow_duplicate else resolve.duplicates(call.db, [name, *others.values()], kind, attributes)
    if like:
        raise Conflict(
            f"There is likely such a {kind} already: {like[0].name}.", argument="name", candidates=[*like],
            hint="Use a candidate's entity_id; if it is none of them, repeat with allow_duplicate: true.",
        )  # fmt: skip
    entity_id = call.new_id("e")
    records.insert(
        call.db, entity_id, call.now, kind=kind, name=name, summary=summary, attributes=bounds.stored(attributes or {})
    )
    for alias in others.values():
        records.add_alias(call.db, call.new_id("alias"), entity_id, alias, call.now)
    records.index(call.db, entity_id)
    return Written(entity=records.find(call.db, entity_id))


@tools.tool(idempotent=True)
def update_entity(
    call: WriteCall,
    entity_id: str,
    name: Name | None = None,
    summary: Summary | None = None,
    attributes: Annotated[dict[str, Any], Meta(description="Keys to set; a null takes the key away.")] | None = None,
) -> Written:
    """Change an entity's name, summary or some of its attributes; what is not given stays."""
    held = _held(call, entity_id)
    changes: dict[str, Any] = {}
    warning = None
    if name is not None:
        changes["name"] = name = records.shown(name, "name")
        changes["name_key"] = names.key(name)
        same = [each for each in resolve.exact(call.db, [name])[name] if each.entity_id != entity_id]
        warning = f"{same[0].entity_id} is called {same[0].name}, too." if same else None
    if summary is not None:
        changes["summary"] = summary
    if attributes is not None:
        changes["attributes"] = bounds.changed(held.attributes, attributes)
    if not changes:
        raise BadArguments("Nothing to change was given.", valid=["name", "summary", "attributes"])
    call.db.update("entity", entity_id, **changes, updated_at=call.now)
    records.index(call.db, entity_id)
    return Written(entity=records.find(call.db, entity_id), warning=warning)


@tools.tool(idempotent=True)
def add_alias(call: WriteCall, entity_id: str, alias: Name) -> Written:
    """Let an entity be found by another name, too."""
    held, alias = _held(call, entity_id), records.shown(alias, "alias")
    known = {names.key(each) for each in (held.name, *held.aliases)}
    if names.key(alias) not in known:
        if len(held.aliases) >= MAX_ALIASES:
            raise LimitReached(f"An entity has at most {MAX_ALIASES} aliases.", limit=MAX_ALIASES)
        records.add_alias(call.db, call.new_id("alias"), entity_id, alias, call.now)
        records.index(call.db, entity_id)
    return Written(entity=records.find(call.db, entity_id))


@tools.tool(destructive=True)
def remove_alias(call: WriteCall, entity_id: str, alias: Name) -> Written:
    """Let an entity no longer be found by one of its aliases."""
    _held(call, entity_id)
    alias_id = records.alias_id(call.db, entity_id, alias)
    if alias_id is None:
        raise NotFound("The entity has no such alias.", argument="alias")
    call.db.delete("entity_alias", alias_id)
    records.index(call.db, entity_id)
    return Written(entity=records.find(call.db, entity_id))


@tools.tool(destructive=True, idempotent=True)
def archive_entity(call: WriteCall, entity_id: str) -> Written:
    """Take an entity out of lists and searches; its facts stay, and its id still finds it."""
    if _held(call, entity_id).status != "archived":
        call.db.update("entity", entity_id, status="archived", updated_at=call.now)
    return Written(entity=records.find(call.db, entity_id))


def _held(call: WriteCall, entity_id: str) -> Entity:
    """The entity as it stands; `NotFound` where the caller sees none, `Conflict` where it went into another."""
    held = records.find(call.db, entity_id)
    if held.status == "merged":
        into = merging.standing(call.db, [entity_id])[entity_id].entity_id
        seen: dict[str, Any] = {} if into == entity_id else {"entity_id": into}
        raise Conflict("This entity was merged into another; change that one.", argument="entity_id", **seen)
    return held
