"""The folders below which the owner lets agents name files."""

from dataclasses import dataclass
from typing import Any, Protocol

from sophia.core.clock import Clock, rfc3339
from sophia.core.errors import NotFound
from sophia.core.ids import Ids
from sophia.store.ops import Ops


class Rows(Protocol):
    """A reader of the ops database."""

    def rows(self, sql: str, **values: Any) -> list[dict[str, Any]]: ...


@dataclass(frozen=True, slots=True)
class Root:
    """One granted folder, by its real path."""

    root_id: str
    path: str
    granted_at: int

    def told(self) -> dict[str, Any]:
        """The grant as the owner reads it."""
        return {"root_id": self.root_id, "path": self.path, "granted_at": rfc3339(self.granted_at)}


def granted(rows: Rows) -> list[Root]:
    """The folders that are granted now, by path."""
    found = rows.rows("SELECT id, path, granted_at FROM granted_root WHERE revoked_at IS NULL ORDER BY path")
    return [Root(row["id"], row["path"], row["granted_at"]) for row in found]


@dataclass(frozen=True)
class Grants:
    """Grants folders and takes grants back."""

    ops: Ops
    clock: Clock
    ids: Ids

    def listed(self) -> list[Root]:
        """The folders that are granted now, by path."""
        with self.ops.reading() as rows:
            return granted(rows)

    def grant(self, path: str, by: str) -> Root:
        """The grant of the folder at this real path, new or as it stands."""
        with self.ops.writing() as tx:
            standing = [root for root in granted(tx) if root.path == path]
            if standing:
                return standing[0]
            root = Root(self.ids.new("root"), path, self.clock.now())
            tx.run(
                "INSERT INTO granted_root (id, path, granted_at) VALUES (:id, :path, :at)"
                " ON CONFLICT (path) DO UPDATE SET id = :id, granted_at = :at, revoked_at = NULL",
                id=root.root_id, path=path, at=root.granted_at,
            )  # fmt: skip
            tx.log("root_granted", by, root.root_id, path=path)
        return root

    def revoke(self, path: str, by: str) -> Root:
        """Take back the grant of this path, or of this id; `NotFound` where there is none. What was read stays."""
        with self.ops.writing() as tx:
            for root in granted(tx):
                if path in (root.path, root.root_id):
                    tx.run(
                        "UPDATE granted_root SET revoked_at = :now WHERE id = :id",
                        now=self.clock.now(),
                        id=root.root_id,
                    )
                    tx.log("root_revoked", by, root.root_id, path=root.path)
                    return root
        raise NotFound("That folder is not granted.", argument="path")
