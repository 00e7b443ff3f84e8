"""The owner's commands over the folders that tools may read files from."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.capabilities.documents import registered, waiting
from sophia.core.errors import BadArguments
from sophia.owner.command import Nothing
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation

PathText = Annotated[str, Meta(min_length=1, max_length=4096)]


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One folder, by its absolute path."""

    path: PathText


def listed(office: Office, _nothing: Nothing) -> list[dict[str, Any]]:
    """The folders that are granted, and those that are registered with how far they are taken in, by path."""
    told = {root.path: root.told() for root in office.parts.roots.grants.listed()}
    with office.parts.databases.state.reading(office.parts.owner) as db:
        scans, counts = waiting.scans(db), waiting.counts(db)
        for folder in registered.listed(db):
            scan = scans.get(folder.entity_id)
            told.setdefault(folder.location, {"path": folder.location}).update(
                {"entity_id": folder.entity_id, "watch": folder.watch, "state": scan.state if scan else "waiting"}
                | counts.get(folder.entity_id, {"documents": 0, "waiting": 0, "failed": 0})
            )
    return [told[path] for path in sorted(told)]


def grant(office: Office, which: Which) -> dict[str, Any]:
    """The folder, granted with all below it."""
    return office.parts.roots.grant(str(folder(office, which.path)), OWNER).told()


def grant_confirmed(office: Office, which: Which) -> Confirmation:
    """What a grant of a folder confirms."""
    path = folder(office, which.path)
    return Confirmation(f"Let agents have files read from {path} and all below it.", f"grant {path.name}")


def revoke(office: Office, which: Which) -> dict[str, Any]:
    """The folder, granted no more. What was imported from it stays."""
    if not which.path.startswith(("/", "root-")):
        raise BadArguments("A folder is named by its absolute path, or by the id of its grant.", argument="path")
    return office.parts.roots.revoke(which.path, OWNER).told() | {"revoked": True}


def folder(office: Office, path: str) -> Path:
    """The real folder at an absolute path; `BadArguments` where there is none, or where it holds everything."""
    real = office.parts.roots.folder(path)
    if real == Path(real.anchor):
        raise BadArguments("The whole file system is not granted; name a folder in it.", argument="path")
    return real
