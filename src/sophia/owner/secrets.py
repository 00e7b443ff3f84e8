"""The owner's commands over what was kept out as a secret."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.capabilities.documents import waiting
from sophia.owner.command import Nothing
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One hit, by its id."""

    hit_id: Annotated[str, Meta(pattern=r"^hit-[0-9a-f]{10}$")]


def listed(office: Office, _nothing: Nothing) -> list[dict[str, Any]]:
    """What was kept out, the newest first: kind and last four characters, never the value."""
    return office.parts.secrets.listed()


def allow(office: Office, which: Which) -> dict[str, Any]:
    """The hit, whose value the next write keeps, and the files of registered folders, which are read anew for it."""
    told, house = office.parts.secrets.allow(which.hit_id, OWNER), office.parts.intake
    with house.databases.state.writing(house.owner, house.entry("sophia secrets allow")) as unit:
        waiting.read_again(unit.tx, which.hit_id)
    office.parts.chores.wake()
    return told


def allow_confirmed(office: Office, which: Which) -> Confirmation:
    """What an allowance confirms."""
    hit = office.parts.secrets.found(which.hit_id)
    return Confirmation(
        f"Let the {hit['kind']} that ends in {hit['last_four'] or 'what is not shown'} be kept and read by agents.",
        f"allow {which.hit_id}",
    )


def disallow(office: Office, which: Which) -> dict[str, Any]:
    """The hit, whose value is kept out again from now on. What was stored meanwhile stays."""
    return office.parts.secrets.allow(which.hit_id, OWNER, allowed=False)
