"""The granted folders as one caller reaches them: with a listed scope only what its own folders take in."""

import unicodedata
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sophia.capabilities.documents import intake, registered
from sophia.capabilities.documents.files import REFUSED
from sophia.capabilities.documents.folders import Choice
from sophia.capabilities.documents.registered import Registered
from sophia.catalog.call import Reader
from sophia.catalog.house import Opened, Roots
from sophia.core.errors import NotPermitted
from sophia.core.scope import Scope


@dataclass(frozen=True)
class ScopedRoots:
    """What of the granted folders lies within a listed scope. What is refused was not looked for on the disk."""

    roots: Roots
    scope: Scope
    everything: Callable[[], AbstractContextManager[Reader]]
    """Rows that the caller may not see: which folder a file is in is no matter of who asks."""

    def read(self, path: str) -> Opened:
        """The file at this path, where a registered folder in the scope takes it in; `NotPermitted` else."""
        location = located(path)
        with self.everything() as db:
            folder = _own(registered.listed(db), location, self.scope)
            linked = intake.linked_at(db, location)
        if folder is None or not _taken(folder, location) or not all(self._sees(entity_ids) for entity_ids in linked):
            raise NotPermitted(REFUSED)
        return self.roots.read(path)

    def below(self, path: str) -> str:  # noqa: ARG002 - whatever the path
        """No folder: what lies in it, and in the folders around it, is not the caller's alone."""
        raise NotPermitted("A connection with a listed scope cannot register folders.", hint="Ask the owner.")

    def _sees(self, entity_ids: list[str]) -> bool:
        """Whether the scope shows a document that is linked to these."""
        return bool(entity_ids) and self.scope.holds(entity_ids)


def located(path: str) -> str:
    """The location that an absolute path names."""
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def _own(folders: Iterable[Registered], location: str, scope: Scope) -> Registered | None:
    """The innermost folder that the file lies in, where it is in the scope.

    One that lies deeper once case and composition do not count may be the same folder to the file system: it must be
    in the scope too.
    """
    listed = list(folders)
    own = registered.nearest(listed, location)
    if own is None:
        return None
    alike = _alike(location)
    around = [folder for folder in listed if alike.startswith(_alike(folder.location.rstrip("/") + "/"))]
    deeper = [folder for folder in around if folder.location.count("/") > own.location.count("/")]
    return own if scope.holds([own.entity_id, *(folder.entity_id for folder in deeper)]) else None


def _alike(location: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", location).casefold())


def _taken(folder: Registered, location: str) -> bool:
    """Whether the folder, as its owner registered it, takes this file in."""
    path = location.removeprefix(folder.location.rstrip("/") + "/")
    return Choice.of(folder.include, folder.exclude).finds(path)
