"""The owner's look at the past: the life of a row, of an entity, of a table or of everything."""

import re
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.capabilities.entities import resolve
from sophia.capabilities.reverting import life, standing
from sophia.capabilities.reverting.life import JOURNALED, Event
from sophia.capabilities.reverting.undone import Place
from sophia.core.clock import MINUTE, SECOND, parsed, rfc3339
from sophia.core.errors import BadArguments, NotFound
from sophia.owner.office import Office
from sophia.store.reader import Reader

_AGO = re.compile(r"(\d{1,6})\s*([smhdw])")
_UNITS = {"s": SECOND, "m": MINUTE, "h": 60 * MINUTE, "d": 24 * 60 * MINUTE, "w": 7 * 24 * 60 * MINUTE}
_ID = re.compile(r"[a-z]{1,8}-[0-9A-Za-z-]+")
Time = Annotated[str, Meta(min_length=1, max_length=40, description="RFC 3339 with an offset, or how long ago: 90m.")]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What life is asked for; without anything, that of all."""

    what: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    """An entity by its id, name or alias, or any row by its id."""
    table: Annotated[str, Meta(max_length=60)] | None = None
    since: Time | None = None
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    """How many changes are told, the last."""


def moment(text: str, now: int, argument: str = "since") -> int:
    """The time that a text names: RFC 3339, or so long ago, as `90m`, `2h` or `3d`."""
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return now - int(ago[1]) * _UNITS[ago[2]]
    try:
        return parsed(text, argument)
    except BadArguments as error:
        error.hint = "Or how long ago it was: 90m, 2h, 3d."
        raise


def timeline(office: Office, asked: Asked) -> list[dict[str, Any]]:
    """The mutations, the oldest first, each with what it changed of what is asked for, field by field."""
    if asked.table is not None and asked.table not in JOURNALED:
        raise BadArguments(
            f"There is no table {asked.table!r} of which the past is kept.", argument="table", valid=list(JOURNALED)
        )
    since = 0 if asked.since is None else moment(asked.since, office.parts.clock.now())
    with office.parts.databases.state.reading(office.parts.owner) as db:
        places = None
        if asked.what is not None:
            places = [place for place in _places(db, asked) if asked.table in (None, place[0])]
        found = life.events(db, places, asked.table, since, asked.limit)
        by = standing.reverted(db, {event.mutation_seq for event in found})
        if not found and asked.what is not None and not life.events(db, places, None, 0, 1):
            raise NotFound("Nothing of that name or id was ever there.", argument="what")
    return _told(found, by)


def _places(db: Reader, asked: Asked) -> list[Place]:
    """The rows that are meant: of an entity those that name it too; any other, also one that is gone, by its id."""
    what = asked.what or ""
    if not resolve.exact(db, [what])[what] and (_ID.fullmatch(what) or asked.table is not None):
        return life.of_id(what)
    return life.of_entity(db, resolve.named(db, what, "what").entity_id)


def _told(found: list[Event], by: dict[int, int]) -> list[dict[str, Any]]:
    told: dict[int, dict[str, Any]] = {}
    for event in found:
        one = told.setdefault(
            event.mutation_seq,
            {
                "mutation_seq": event.mutation_seq, "at": rfc3339(event.at), "connection_id": event.connection_id,
                "actor_name": event.actor_name, "tool": event.tool, "reason": event.reason,
                "reverted_by": by.get(event.mutation_seq), "changes": [],
            },
        )  # fmt: skip
        one["changes"].append(msgspec.to_builtins(event.change))
    return list(told.values())
