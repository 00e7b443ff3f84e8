"""The owner's command that takes files and folders in."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.core.errors import BadArguments, Unsupported
from sophia.owner import folders
from sophia.owner.command import Nothing
from sophia.owner.folders import PathText
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation


class Import(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is taken in, by absolute paths."""

    paths: Annotated[list[PathText], Meta(min_length=1, max_length=1000)]


def run(office: Office, asked: Import) -> dict[str, Any]:
    """What was taken in: `{import_session_id, mutation_seq, documents, entities, facts, skipped}`."""
    wanted = [_real(path) for path in asked.paths]
    folders.grant_all(office, [str(root) for root in _ungranted(office, wanted)])
    raise Unsupported("Nothing here can take files in yet.")


def confirmed(office: Office, asked: Import) -> Confirmation | None:
    """What an import from outside the granted folders confirms; nothing for one from within."""
    roots = _ungranted(office, [_real(path) for path in asked.paths])
    if not roots:
        return None
    named = ", ".join(str(root) for root in roots)
    return Confirmation(f"Take in what is in {named}, and let agents have files read from there.", "import")


def _real(text: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise BadArguments("What is imported is named by absolute paths.", argument="paths")
    path = path.resolve()
    if not path.exists():
        raise BadArguments(f"There is nothing at {text}.", argument="paths")
    return path


def _ungranted(office: Office, wanted: list[Path]) -> list[Path]:
    """The folders, or folders of the files, that lie in no granted folder yet."""
    granted = [Path(root["path"]) for root in folders.listed(office, Nothing())]
    roots = {path if path.is_dir() else path.parent for path in wanted}
    return sorted(
        folders.folder(str(root)) for root in roots if not any(root == one or one in root.parents for one in granted)
    )
