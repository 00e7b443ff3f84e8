"""The owner's command that takes files and folders in."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.capabilities.documents.roots import real_path
from sophia.core.errors import BadArguments
from sophia.importers.paths import import_paths
from sophia.owner import folders
from sophia.owner.folders import PathText
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is taken in, by absolute paths."""

    paths: Annotated[list[PathText], Meta(min_length=1, max_length=1000)]


def run(office: Office, asked: Import) -> dict[str, Any]:
    """What was taken in: `{import_session_id, mutation_seq, documents, entities, facts, masked, folders, skipped}`."""
    _elsewhere(office, asked)

    def progress(stage: str, done: int, total: int) -> None:
        office.progress({"step": stage, "done": done, "total": total})

    try:
        return import_paths(office.parts.intake, asked.paths, progress)
    finally:
        office.parts.chores.wake()


def confirmed(office: Office, asked: Import) -> Confirmation | None:
    """What an import from outside the granted folders confirms; nothing for one from within."""
    elsewhere = _elsewhere(office, asked)
    if not elsewhere:
        return None
    named = ", ".join(str(path) for path in elsewhere)
    return Confirmation(f"Take in {named}, and let agents have files read from the folders among them.", "import")


def _elsewhere(office: Office, asked: Import) -> list[Path]:
    """What lies in no granted folder; `BadArguments` where there is nothing, or everything."""
    granted = [Path(root.path) for root in office.parts.roots.grants.listed()]
    wanted = [_there(office, path) for path in asked.paths]
    return [path for path in wanted if not any(path.is_relative_to(root) for root in granted)]


def _there(office: Office, text: str) -> Path:
    path = real_path(text)
    if path.is_file():
        return path
    if path.is_dir():
        return folders.folder(office, text)
    raise BadArguments("There is no file or folder at that path.", argument="paths")
