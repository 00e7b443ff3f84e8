"""The owner's commands over connections: mint, list, revoke, rename, scope, rotate."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.access import approvals
from sophia.access.connections import Terms, may_post
from sophia.capabilities.entities import resolve
from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.clock import rfc3339
from sophia.core.errors import Ambiguous, BadArguments, Conflict, NotFound
from sophia.core.names import MAX_NAME, free_name
from sophia.core.scope import Scope, asked
from sophia.owner import records
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation
from sophia.store.reader import Reader

MOST_MINUTES = 366 * 24 * 60
_NAMED = 5
ConnectionId = Annotated[str, Meta(min_length=1, max_length=MAX_NAME)]
"""A connection by its id, by the short form of it, or by a name that is one live connection's alone."""


class MintTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A mint says all of it: there are no defaults here."""

    name: str
    profile: Profile
    entity_scope: Any
    write_approval_mode: Mode
    can_delegate: bool
    can_post: bool
    ttl_minutes: Annotated[int, Meta(ge=1, le=MOST_MINUTES)] | None
    surface: SurfaceSize
    name_style: NameStyle
    siblings_may_review: bool


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One connection."""

    connection_id: ConnectionId


class Listing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which connections are listed."""

    include_ended: bool = False


class Ending(Which, frozen=True, forbid_unknown_fields=True):
    """A connection and why it ends."""

    reason: Annotated[str, Meta(max_length=1000)] | None = None


class Naming(Which, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A connection and its new name."""

    name: str


class Scoping(Which, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A connection and its new scope."""

    entity_scope: Any


def mint(office: Office, asked_for: MintTerms) -> dict[str, Any]:
    """The new connection, with the only copy of its bearer."""
    terms = _terms(office, asked_for)
    minted = office.parts.mint.mint(terms, OWNER, ttl_minutes=asked_for.ttl_minutes)
    return {
        "connection_id": minted.connection_id,
        "connection_short": minted.connection_id[:8],
        "bearer_token": minted.bearer_token,
        "mcp_url": office.mcp_url,
        "name": terms.name,
        "profile": terms.profile.value,
        "write_approval_mode": terms.mode.value,
        "entity_scope": terms.scope.told(),
        "can_delegate": terms.can_delegate,
        "can_post": may_post(terms.profile, granted=terms.can_post),
        "surface": terms.surface.value,
        "name_style": terms.name_style.value,
        "siblings_may_review": terms.siblings_may_review,
        "expires_at": None if minted.expires_at is None else rfc3339(minted.expires_at),
    }


def mint_confirmed(office: Office, asked_for: MintTerms) -> Confirmation:
    """What a mint confirms. It raises what the mint would raise, so that nobody confirms what cannot be."""
    terms = _terms(office, asked_for)
    ends = "never expires" if asked_for.ttl_minutes is None else f"ends after {_lasting(asked_for.ttl_minutes)}"
    rights = [terms.profile.value, terms.mode.value, _told(office, terms.scope), ends]
    rights += ["may mint workers"] if terms.can_delegate else []
    rights += ["may post"] if terms.can_post else []
    return Confirmation(f"Mint the connection {terms.name!r}: {', '.join(rights)}.", f"mint {terms.name}")


def _lasting(minutes: int) -> str:
    """The time in the largest unit that tells it whole."""
    units = (("day", 24 * 60), ("hour", 60), ("minute", 1))
    unit, length = next((unit, length) for unit, length in units if minutes % length == 0)
    count = minutes // length
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def _terms(office: Office, asked_for: MintTerms) -> Terms:
    if asked_for.write_approval_mode is Mode.PRE_APPROVED and asked_for.profile is not Profile.FULL:
        raise BadArguments("Only a full connection can be pre_approved.", argument="write_approval_mode")
    return Terms(
        free_name(asked_for.name),
        asked_for.profile,
        _scope(office, asked_for.entity_scope),
        asked_for.write_approval_mode,
        asked_for.can_delegate,
        asked_for.can_post,
        asked_for.surface,
        asked_for.name_style,
        asked_for.siblings_may_review,
    )


def _scope(office: Office, value: object) -> Scope:
    """The scope that is asked for, all of whose entities exist: each by its id, or by a name that is its alone."""
    with office.parts.databases.state.reading(office.parts.owner) as db:
        scope = asked(_ids(db, value))
        missing = records.missing_entities(db, scope)
    if missing:
        raise BadArguments(
            f"{len(missing)} of the entities of this scope do not exist.",
            argument="entity_scope",
            hint="`sophia entities` lists those that do.",
            missing=missing[:20],
        )
    return scope


def _ids(db: Reader, value: object) -> object:
    """The scope with ids in place of names, where it is a list of texts; anything else as it is."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return value
    exact = resolve.exact(db, [one for one in value if not one.startswith("e-")])
    for text, found in exact.items():
        if len(found) > 1:
            told = [each.candidate for each in found[: resolve.SHOWN]]
            raise Ambiguous(
                f"{len(found)} entities are called {text[:80]!r}; name one by its id.",
                argument="entity_scope", candidates=msgspec.to_builtins(told),
            )  # fmt: skip
        if not found:
            raise BadArguments(
                f"There is no entity of the id or name {text[:80]!r}.",
                argument="entity_scope", hint="`sophia entities` lists those that there are.",
            )  # fmt: skip
    return [exact[one][0].entity_id if one in exact else one for one in value]


def _told(office: Office, scope: Scope) -> str:
    """The scope as the owner confirms it: few entities by their names, many by their number."""
    if scope.entities is None:
        return "every entity"
    if not 0 < len(scope.entities) <= _NAMED:
        return f"{len(scope.entities)} entities"
    with office.parts.databases.state.reading(office.parts.owner) as db:
        found = resolve.exact(db, sorted(scope.entities))
    return "of all entities only " + ", ".join(repr(each.name) for named in found.values() for each in named)


def listed(office: Office, which: Listing) -> list[dict[str, Any]]:
    """The connections, oldest first."""
    with office.parts.databases.ops.reading() as rows:
        return records.connections(rows, office.parts.clock.now(), ended=which.include_ended)


def found(office: Office, connection_id: str, *, live: bool = True) -> dict[str, Any]:
    """The connection of this id, short form or name; `NotFound` for none, `Conflict` or `Ambiguous` for several.

    Agents name the workers that they mint: a worker is found by its id alone, so that it passes for nobody.
    """
    now = office.parts.clock.now()
    with office.parts.databases.ops.reading() as rows:
        exact = records.connection(rows, connection_id, now)
        if exact is None:
            everyone = records.connections(rows, now, ended=True)
            near = [one for one in everyone if one["connection_short"] == connection_id]
            if len(near) > 1:
                raise Conflict("More than one connection begins so; name it by its whole id.")
            exact = near[0] if near else _named(everyone, connection_id)
    if exact is None or (live and exact["status"] != "live"):
        raise NotFound(
            "There is no such live connection." if live else "There is no such connection.",
            hint="`sophia connections` lists those that there are, by name and id.",
        )
    return exact


def _named(everyone: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    same = [one for one in everyone if one["name"] == name and one["status"] == "live" and one["parent_id"] is None]
    if len(same) > 1:
        told = [{key: one[key] for key in ("connection_id", "name", "created_at", "last_seen")} for one in same]
        raise Ambiguous(f"{len(same)} live connections are called so; name one by its id.", candidates=told)
    return same[0] if same else None


def revoke(office: Office, ending: Ending) -> dict[str, Any]:
    """The connections that ended: the one that is named, and every worker of its line."""
    one, since = found(office, ending.connection_id), office.parts.clock.awake()
    ended = office.parts.mint.revoke(one["connection_id"], OWNER, ending.reason)
    _wake(office, ended, since)
    return {"connection_id": one["connection_id"], "revoked": ended}


def _wake(office: Office, connection_ids: list[str], since_awake: int) -> None:
    """Have the calls that wait for a decision look again: whose connection changed need not wait for one."""
    with office.parts.databases.ops.reading() as rows:
        awaited = approvals.awaited(rows, connection_ids, since_awake)
    for approval_id in awaited:
        office.parts.waiting.decide(approval_id)


def rename(office: Office, naming: Naming) -> dict[str, Any]:
    """The connection under its new name."""
    one = found(office, naming.connection_id)
    name = free_name(naming.name)
    office.parts.mint.rename(one["connection_id"], name, OWNER)
    return {"connection_id": one["connection_id"], "name": name, "was": one["name"]}


def rescope(office: Office, scoping: Scoping) -> dict[str, Any]:
    """The connection with its new scope, which holds from its very next call on."""
    one, since = found(office, scoping.connection_id), office.parts.clock.awake()
    scope = _scope(office, scoping.entity_scope)
    office.parts.mint.rescope(one["connection_id"], scope, OWNER)
    _wake(office, [one["connection_id"]], since)
    return {"connection_id": one["connection_id"], "entity_scope": scope.told(), "was": one["entity_scope"]}


def rescope_confirmed(office: Office, scoping: Scoping) -> Confirmation:
    """What a new scope confirms."""
    one = found(office, scoping.connection_id)
    scope = _scope(office, scoping.entity_scope)
    short = one["connection_short"]
    return Confirmation(f"Give {one['name']!r} ({short}) {_told(office, scope)} as its scope.", f"scope {short}")


def rotate(office: Office, which: Which) -> dict[str, Any]:
    """A new bearer for the connection; the old one answers for 60 more seconds."""
    one = found(office, which.connection_id)
    minted = office.parts.mint.rotate(one["connection_id"], OWNER)
    return {
        "connection_id": minted.connection_id,
        "bearer_token": minted.bearer_token,
        "mcp_url": office.mcp_url,
        "old_bearer_answers_s": 60,
    }


def rotate_confirmed(office: Office, which: Which) -> Confirmation:
    """What a new bearer confirms."""
    one = found(office, which.connection_id)
    short = one["connection_short"]
    return Confirmation(f"Make a new bearer for {one['name']!r} ({short}).", f"rotate {short}")


def delivered(office: Office, which: Which) -> dict[str, Any]:
    """The bearer reached whoever asked for it."""
    office.parts.mint.delivered(which.connection_id)
    return {"connection_id": which.connection_id}
