"""The owner's command that takes files and folders in."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.capabilities.documents.roots import real_path
from sophia.core.errors import BadArguments
from sophia.importers.importing import kind_at, taken
from sophia.owner import folders
from sophia.owner.folders import PathText
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is taken in, by absolute paths."""

    paths: Annotated[list[PathText], Meta(min_length=1, max_length=1000)]
    kind: Annotated[str, Meta(max_length=60)] | None = None
    """What they are, where that is not to be told by what they hold."""
    dry_run: bool = False


def run(office: Office, asked: Import) -> dict[str, Any]:
    """What was taken in: `{import_session_id, mutation_seq, documents, entities, facts, masked, folders, skipped}`.

    Of a dry run what would be, with `samples`; `kinds` says what each path was read as that is no folder of documents.
    """
    _elsewhere(office, asked)

    def progress(stage: str, done: int, total: int) -> None:
        office.progress({"step": stage, "done": done, "total": total})

    try:
        return taken(office.parts.intake, asked.paths, asked.kind, progress, dry_run=asked.dry_run)
    finally:
        office.parts.chores.wake()


def confirmed(office: Office, asked: Import) -> Confirmation | None:
    """What an import from outside the granted folders confirms; nothing for one from within."""
    elsewhere = _elsewhere(office, asked)
    if not elsewhere:
        return None
    named = ", ".join(str(path) for path in elsewhere)
    if asked.dry_run:
        return Confirmation(f"Read {named}, and take nothing in.", "import")
    if all(kind_at(office.parts.intake, path, asked.kind) is not None for path in elsewhere):
        return Confirmation(f"Take in {named}.", "import")
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
    raise BadArguments(f"There is no file or folder at {text}; nothing was taken in.", argument="paths")
