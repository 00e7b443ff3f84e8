"""Connections at rest: who was minted, with what rights, until when."""

import hmac
from dataclasses import dataclass
from typing import Any, Protocol

from sophia.core.access import Mode, NameStyle, Profile, SurfaceSize
from sophia.core.caller import Agent
from sophia.core.clock import Clock
from sophia.core.scope import NOTHING, Scope, loaded

_COLUMNS = (
    "id, user_id, name, profile, entity_scope, write_approval_mode, can_delegate, can_post, surface, name_style,"
    " epoch, expires_at, parent_id, request_count, revoked_at"
)

EXPIRED = "(expires_at <= :now OR (boot_id = :boot AND expires_awake <= :awake))"
"""When a connection has lived its time, by either clock: neither setting one back nor a sleep lengthens it."""


class Rows(Protocol):
    """A reader of the ops database."""

    def row(self, sql: str, **values: Any) -> dict[str, Any] | None: ...
    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Terms:
    """What a connection is minted with. There are no defaults: whoever mints says all of it."""

    name: str
    profile: Profile
    scope: Scope
    mode: Mode
    can_delegate: bool
    can_post: bool
    surface: SurfaceSize
    name_style: NameStyle
    siblings_may_review: bool = False


def may_post(profile: Profile, *, granted: bool) -> bool:
    """Whether a connection may post: every one but an observer may, and an observer to whom it was granted."""
    return granted or profile is not Profile.OBSERVER


def by_token(rows: Rows, token_hash: str, clock: Clock) -> Agent | None:
    """The live connection whose token has this digest; `None` for a revoked, expired or unknown one."""
    row = rows.row(
        f"SELECT {_COLUMNS}, bearer_token_hash AS hash FROM connection"
        f" WHERE bearer_token_hash = :hash AND {EXPIRED} IS NOT TRUE",
        hash=token_hash,
        now=clock.now(),
        boot=clock.boot_id(),
        awake=clock.awake(),
    )
    return _matching(row, token_hash, clock)


def by_old_token(rows: Rows, token_hash: str, clock: Clock) -> Agent | None:
    """The live connection whose token had this digest until a moment ago, while that one still answers; or `None`."""
    row = rows.row(
        f"SELECT {_COLUMNS}, old_token_hash AS hash FROM connection"
        f" WHERE old_token_hash = :hash AND old_token_boot = :boot AND old_token_until > :awake"
        f" AND {EXPIRED} IS NOT TRUE",
        hash=token_hash,
        now=clock.now(),
        boot=clock.boot_id(),
        awake=clock.awake(),
    )
    return _matching(row, token_hash, clock)


def by_id(rows: Rows, connection_id: str, now: int) -> Agent | None:
    """The live connection of this id, or `None`."""
    row = rows.row(f"SELECT {_COLUMNS} FROM connection WHERE id = :id", id=connection_id)
    return _live(row, now) if row else None


def _matching(row: dict[str, Any] | None, token_hash: str, clock: Clock) -> Agent | None:
    if row is None or not hmac.compare_digest(row["hash"].encode(), token_hash.encode()):
        return None
    return _live(row, clock.now())


def _live(row: dict[str, Any], now: int) -> Agent | None:
    if row["revoked_at"] is not None or (row["expires_at"] is not None and now >= row["expires_at"]):
        return None
    return Agent(
        connection_id=row["id"],
        user_id=row["user_id"],
        name=row["name"],
        profile=Profile(row["profile"]),
        mode=Mode(row["write_approval_mode"]),
        scope=loaded(row["entity_scope"]) or NOTHING,
        can_delegate=bool(row["can_delegate"]),
        can_post=may_post(Profile(row["profile"]), granted=bool(row["can_post"])),
        surface=SurfaceSize(row["surface"]),
        name_style=NameStyle(row["name_style"]),
        epoch=row["epoch"],
        expires_at=row["expires_at"],
        parent_id=row["parent_id"],
        request_count=row["request_count"],
    )
