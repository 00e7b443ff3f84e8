"""Making two entities one that were one all along, and taking that back."""

from typing import Annotated, Any

from msgspec import Meta

from sophia.capabilities.documents import registered
from sophia.capabilities.entities import merging, records
from sophia.capabilities.entities.records import Entity
from sophia.capabilities.knowledge import contradictions, rejections
from sophia.catalog.call import WriteCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.core.errors import BadArguments, Conflict, NotFound, Unsupported
from sophia.core.page import Row

tools: Group[WriteCall] = Group("mutate_entities", Access.WRITE)
EntityId = Annotated[str, Meta(min_length=1, max_length=64)]


class Merged(Row, frozen=True):
    """The entity that stands for both from now on."""

    entity: Entity
    merged_id: str
    contested: list[str] = []  # noqa: RUF012 (a struct copies it)
    """The predicates of which both together have contradicting facts, where each alone had none."""
    warning: str | None = None


class Unmerged(Row, frozen=True):
    """The entity that stands for itself again, and the one that it was in."""

    entity: Entity
    kept_id: str
    warning: str | None = None


@tools.tool(idempotent=True)
def merge_entities(call: WriteCall, keep_id: EntityId, merge_id: EntityId) -> Merged:
    """Have keep_id stand for merge_id, too: its id, names, facts and links then count as those of keep_id.

    No row moves, so unmerge_entities takes it back exactly, whenever that is. Nobody sees more by it.
    """
    keep, merge = _held(call, keep_id, "keep_id"), _held(call, merge_id, "merge_id")
    if keep_id == merge_id:
        raise BadArguments("An entity is not merged into itself.", argument="merge_id")
    now = merging.standing(call.db, [keep_id, merge_id])
    if merge.status == "merged" and now[merge_id].entity_id == keep_id:
        return Merged(entity=keep, merged_id=merge_id, warning="Nothing was changed: it was merged into this before.")
    for held, argument in ((merge, "merge_id"), (keep, "keep_id")):
        if held.status == "merged":
            raise Conflict(
                f"{held.entity_id} was merged into another entity.", argument=argument,
                hint="Name the one that it went into, or take it out with unmerge_entities.", **_into(now, held),
            )  # fmt: skip
    if keep.status == "archived":
        raise Conflict("keep_id is archived: nothing goes into it.", argument="keep_id")
    if folder := registered.among(call.db, [keep_id, merge_id]):
        raise Unsupported(
            "A folder's entity is what its documents are seen by: it is not merged.",
            argument="keep_id" if keep_id in folder else "merge_id",
        )
    before = {*contradictions.topics(call.db, keep_id), *contradictions.topics(call.db, merge_id)}
    rejected = {*rejections.returned(call.db, keep_id), *rejections.returned(call.db, merge_id)}
    merging.merge(call.db, merge_id, keep_id, merge.status, call.now)
    returned = [one for fact_id, one in rejections.returned(call.db, keep_id).items() if fact_id not in rejected]
    if returned and isinstance(call.caller, Agent):
        raise rejections.refuse(returned[0].by)
    disputed = [name for name in contradictions.topics(call.db, keep_id) if name not in before]
    warnings = [f"Facts contradict each other now: {', '.join(disputed)}."] if disputed else []
    if returned:
        warnings.append(f"Rejected values are current again: {', '.join(sorted({one.predicate for one in returned}))}.")
    if keep.kind != merge.kind:
        warnings.append(f"A {merge.kind} went into a {keep.kind}.")
    return Merged(
        entity=records.find(call.db, keep_id), merged_id=merge_id, contested=disputed,
        warning=" ".join(warnings) or None,
    )  # fmt: skip


@tools.tool()
def unmerge_entities(
    call: WriteCall,
    entity_id: Annotated[str, Meta(min_length=1, max_length=64, description="The one that was merged.")],
) -> Unmerged:
    """Have a merged entity stand for itself again, with all that was its own; what came later to the other stays."""
    held = _held(call, entity_id, "entity_id")
    if held.status != "merged":
        raise Conflict("This entity is not merged into another.", argument="entity_id")
    kept_id = merging.unmerge(call.db, entity_id, call.now)
    if kept_id is None:
        raise NotFound(argument="entity_id")
    return Unmerged(entity=records.find(call.db, entity_id), kept_id=kept_id)


def _held(call: WriteCall, entity_id: str, argument: str) -> Entity:
    try:
        return records.find(call.db, entity_id)
    except NotFound:
        raise NotFound(argument=argument) from None


def _into(now: dict[str, merging.Standing], held: Entity) -> dict[str, Any]:
    """Which one it went into, where the caller sees it."""
    into = now[held.entity_id].entity_id
    return {} if into == held.entity_id else {"entity_id": into}
