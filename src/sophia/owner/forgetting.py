"""The owner's commands that have something forgotten, and that allow it again."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.dispatch.forgetting import Forgetting, Plan
from sophia.owner.command import Nothing
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation
from sophia.store import upgrade
from sophia.store.backup import last
from sophia.store.forgetlist import ForgetList


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entity or document, by its id."""

    id: Annotated[str, Meta(min_length=1, max_length=100)]


class Tombstone(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was forgotten, by the id of its tombstone."""

    tombstone_id: Annotated[str, Meta(min_length=1, max_length=100)]


def forgetting_of(office: Office) -> Forgetting:
    """What forgets in this data directory."""
    parts = office.parts
    listed = ForgetList(office.settings.key_dir, office.keys.seal)
    return Forgetting(parts.databases, parts.owner, parts.clock, parts.ids, listed)


def planned(office: Office, which: Which) -> dict[str, Any]:
    """What would go: `{id, noun, rows, still_named_in}`."""
    plan = forgetting_of(office).plan(which.id)
    return {
        "id": which.id,
        "noun": plan.noun,
        "rows": plan.counted,
        "still_named_in": [{"table": name, "id": row_id} for name, row_id in plan.naming],
    }


def forget(office: Office, which: Which) -> dict[str, Any]:
    """The certificate of it, with the copies that Sophia knows of and cannot reach."""
    told = forgetting_of(office).forget(which.id)
    for copy in upgrade.copies(office.ownership.directory):
        copy.unlink(missing_ok=True)
    backup = last(office.ownership.directory)
    told["copies_elsewhere"] = (
        "Backups, exports and whatever else was copied out hold it still: they are the owner's to destroy. A backup"
        " that is restored with this key is rid of it."
        + (f" The last backup that is known: {backup.path}, of {backup.made_at}." if backup else "")
    )
    return told


def forget_confirmed(office: Office, which: Which) -> Confirmation:
    """What forgetting confirms."""
    plan = forgetting_of(office).plan(which.id)
    return Confirmation(f"Forget {which.id} for good: {_counted(plan)}. It cannot be taken back.", f"forget {which.id}")


def listed(office: Office, _nothing: Nothing) -> list[dict[str, Any]]:
    """The tombstones, newest first."""
    return forgetting_of(office).tombstones()


def allow(office: Office, which: Tombstone) -> dict[str, Any]:
    """The tombstone, which keeps nothing out any more."""
    return forgetting_of(office).allow(which.tombstone_id)


def allow_confirmed(_office: Office, which: Tombstone) -> Confirmation:
    """What an allowance confirms."""
    return Confirmation(f"Let what {which.tombstone_id} stands for be taken in again.", f"allow {which.tombstone_id}")


def _counted(plan: Plan) -> str:
    return ", ".join(f"{many} {name}" for name, many in plan.counted.items())
