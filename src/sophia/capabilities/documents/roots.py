"""The owner's grants at work: files that an agent names are read below them, and nowhere else."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from sophia.access.roots import Grants, Root
from sophia.capabilities.documents import files
from sophia.capabilities.documents.files import Unread
from sophia.capabilities.documents.grants import Protected
from sophia.capabilities.documents.scoped_roots import ScopedRoots, located
from sophia.catalog.call import Reader
from sophia.catalog.house import Opened, Roots
from sophia.core.errors import BadArguments, NotPermitted, TooLarge, Unavailable
from sophia.core.scope import Scope


@dataclass(frozen=True)
class GrantedRoots:
    """The granted folders, and what in them is never read."""

    grants: Grants
    protected: Protected
    everything: Callable[[], AbstractContextManager[Reader]]
    """All rows, to tell in which registered folder a file lies."""

    def within(self, scope: Scope) -> Roots:
        """The granted folders for a caller of this scope: the only way in which a tool reaches them."""
        reached = _Reached(self)
        return reached if scope.is_all else ScopedRoots(reached, scope, self.everything)

    def paths(self) -> list[Path]:
        """The granted folders, by their real paths."""
        return [Path(root.path) for root in self.grants.listed()]

    def grant(self, path: str, by: str) -> Root:
        """The grant of a folder that the owner names; `BadArguments` where it is none, or Sophia's own."""
        return self.grants.grant(str(self.folder(path)), by)

    def revoke(self, path: str, by: str) -> Root:
        """Take a grant back, by its path or its id; `NotFound` where there is none."""
        named = path if path.startswith("root-") else str(Path(path).resolve())
        return self.grants.revoke(named, by)

    def folder(self, path: str) -> Path:
        """The real path of a folder that the owner names; `BadArguments` where it is none, or Sophia's own."""
        real = real_path(path)
        if not real.is_dir():
            raise BadArguments("There is no folder at that path.", argument="path")
        if self.protected.folder(real.stat()) or any(real.is_relative_to(own) for own in self.protected.directories):
            raise BadArguments("That folder is Sophia's own.", argument="path")
        return real


@dataclass(frozen=True)
class _Reached:
    """The granted folders, for whoever sees everything."""

    granted: GrantedRoots

    def read(self, path: str) -> Opened:
        """The file at a path below a granted folder; `NotPermitted`, always in the same words, for any other."""
        found = files.read(path, self.granted.paths(), self.granted.protected)
        if isinstance(found, Unread):
            raise _refused(found)
        return Opened(located(path), found.name, found.data)

    def below(self, path: str) -> str:
        """The location of the folder at a path at or below a granted one; `NotPermitted`, in the same words, else."""
        with files.opened_folder(path, self.granted.paths(), self.granted.protected):
            return located(path)


def real_path(path: str) -> Path:
    """The path without links; `BadArguments` unless it is absolute, and a path."""
    if "\0" in path or not path.startswith("/"):
        raise BadArguments("The path must be absolute.", argument="path")
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError):
        raise BadArguments("That path cannot be followed.", argument="path") from None


def _refused(unread: Unread) -> Exception:
    match unread.reason:
        case "too_large":
            return TooLarge(unread.message, argument="path")
        case "changed_while_read":
            return Unavailable(unread.message, argument="path", retry_after_s=1)
        case _:
            return NotPermitted(files.REFUSED)
