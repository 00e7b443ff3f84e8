"""The owner's commands over the folders that tools may read files from."""

import stat
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.core.errors import BadArguments, NotFound
from sophia.owner import records
from sophia.owner.command import Nothing
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation

PathText = Annotated[str, Meta(min_length=1, max_length=4096)]


class Which(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One folder, by its absolute path."""

    path: PathText


def listed(office: Office, _nothing: Nothing) -> list[dict[str, Any]]:
    """The folders that are granted, by path."""
    with office.parts.databases.ops.reading() as rows:
        return records.roots(rows)


def grant(office: Office, which: Which) -> dict[str, Any]:
    """The folder, granted with all below it."""
    path = str(folder(which.path))
    grant_all(office, [path])
    return next(root for root in listed(office, Nothing()) if root["path"] == path)


def grant_all(office: Office, paths: list[str]) -> None:
    """Grant these resolved folders."""
    now = office.parts.clock.now()
    with office.parts.databases.ops.writing() as tx:
        for path in paths:
            records.grant_root(tx, office.parts.ids.new("root"), path, now)
            tx.log("folder_granted", OWNER, path)


def grant_confirmed(_office: Office, which: Which) -> Confirmation:
    """What a grant of a folder confirms."""
    path = folder(which.path)
    return Confirmation(f"Let agents have files read from {path} and all below it.", f"grant {path.name or path}")


def revoke(office: Office, which: Which) -> dict[str, Any]:
    """The folder, granted no more. What was imported from it stays."""
    path = which.path if which.path.startswith("root-") else str(_absolute(which.path).resolve())
    with office.parts.databases.ops.writing() as tx:
        if not records.revoke_root(tx, path, office.parts.clock.now()):
            raise NotFound("This folder is not granted.", argument="path")
        tx.log("folder_revoked", OWNER, path)
    return {"path": path, "revoked": True}


def folder(text: str) -> Path:
    """The folder at an absolute path, its links followed once and for all; `BadArguments` where it is none."""
    path = _absolute(text).resolve()
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except OSError:
        is_folder = False
    if not is_folder:
        raise BadArguments("There is no folder at this path.", argument="path")
    if path == Path(path.anchor):
        raise BadArguments("The whole file system is not granted; name a folder in it.", argument="path")
    return path


def _absolute(text: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise BadArguments("A folder is named by its absolute path.", argument="path")
    return path
