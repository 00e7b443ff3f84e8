"""Connections made and ended: the fence in the state first, then the row in ops, and a log of every act."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sophia.access import bearers
from sophia.access.bearers import Entropy
from sophia.access.connections import EXPIRED, Terms
from sophia.core.access import Mode, Profile
from sophia.core.clock import MINUTE, SECOND, Clock
from sophia.core.errors import BadArguments, NotFound, ReadOnly
from sophia.core.scope import Scope, loaded
from sophia.store import fence
from sophia.store.ops import Ops, OpsTx
from sophia.store.state import State

OVERLAP_US = 60 * SECOND
"""How long the old bearer still answers after a rotation, once."""


@dataclass(frozen=True, slots=True)
class Minted:
    """A new connection, with the only copy of its bearer."""

    connection_id: str
    bearer_token: str
    expires_at: int | None


@dataclass(frozen=True)
class Mint:
    """Makes, changes and ends connections."""

    state: State
    ops: Ops
    clock: Clock
    entropy: Entropy
    user_id: str

    def mint(self, terms: Terms, by: str, *, ttl_minutes: int | None = None) -> Minted:
        """A new connection on exactly these terms; `BadArguments` where they do not go together."""
        if terms.mode is Mode.PRE_APPROVED and terms.profile is not Profile.FULL:
            raise BadArguments("Only a full connection can be pre_approved.", argument="write_approval_mode")
        token = bearers.fresh(self.entropy)
        connection_id = str(UUID(bytes=self.entropy(16), version=4))
        now = self.clock.now()
        expires_at = None if ttl_minutes is None else now + ttl_minutes * MINUTE
        expires_awake = None if ttl_minutes is None else self.clock.awake() + ttl_minutes * MINUTE
        with self.state.parties() as db:
            fence.admit_party(db, connection_id)
        with self.ops.writing() as tx:
            tx.run(
                "INSERT INTO connection (id, user_id, name, profile, entity_scope, write_approval_mode, can_delegate,"
                " can_post, siblings_may_review, surface, name_style, epoch, bearer_token_hash, created_at, created_by,"
                " expires_at, expires_awake, boot_id) VALUES (:id, :user, :name, :profile, :scope, :mode, :delegate,"
                " :post, :siblings, :surface, :names, 1, :hash, :now, :by, :expires, :awake, :boot)",
                id=connection_id, user=self.user_id, name=terms.name, profile=terms.profile.value,
                scope=terms.scope.stored(), mode=terms.mode.value, delegate=int(terms.can_delegate),
                post=int(terms.can_post), siblings=int(terms.siblings_may_review), surface=terms.surface.value,
                names=terms.name_style.value, hash=bearers.digest(token.encode()), now=now, by=by, expires=expires_at,
                awake=expires_awake, boot=self.clock.boot_id(),
            )  # fmt: skip
            tx.log("minted", by, connection_id, **_told(terms))
        return Minted(connection_id, token, expires_at)

    def delivered(self, connection_id: str) -> None:
        """The bearer reached whoever asked for it."""
        with self.ops.writing() as tx:
            tx.run("UPDATE connection SET delivered = 1 WHERE id = :id", id=connection_id)

    def revoke(self, connection_id: str, by: str, reason: str | None = None) -> list[str]:
        """End a connection and every worker of its line, at once; the ids that ended."""
        line = self._line(connection_id)
        # Where the state cannot be written, nobody can write to it: the next start ends the connections there, too.
        with suppress(ReadOnly), self.state.parties() as db:
            for one in line:
                fence.raise_party(db, one, ended=True)
        with self.ops.writing() as tx:
            for one in line:
                self.revoked(tx, one, by, reason)
        return line

    def end_all(self, by: str, reason: str) -> int:
        """End every connection, every code and every allowance; how many connections lived until then."""
        with self.state.parties() as db:
            fence.end_parties(db)
        with self.ops.writing() as tx:
            live = [row["id"] for row in tx.rows("SELECT id FROM connection WHERE revoked_at IS NULL")]
            for one in live:
                self.revoked(tx, one, by, reason)
            tx.run("DELETE FROM allowance")
            tx.run("DELETE FROM grant_code")
        return len(live)

    def revoked(self, tx: OpsTx, connection_id: str, by: str, reason: str | None) -> bool:
        """Write the end of a connection that the fence keeps out already; whether it was this call that ended it."""
        if not tx.run(
            "UPDATE connection SET revoked_at = :now, revoke_reason = :reason, epoch = epoch + 1"
            " WHERE id = :id AND revoked_at IS NULL",
            id=connection_id, now=self.clock.now(), reason=reason,
        ):  # fmt: skip
            return False
        tx.run(
            "UPDATE approval SET status = 'void', decided_at = :now, decided_awake = :awake"
            " WHERE connection_id = :id AND status = 'pending'",
            id=connection_id, now=self.clock.now(), awake=self.clock.awake(),
        )  # fmt: skip
        tx.log("revoked", by, connection_id, reason=reason)
        return True

    def rename(self, connection_id: str, name: str, by: str) -> None:
        """Give a connection another name. What it wrote keeps the name that it had then."""
        with self.ops.writing() as tx:
            if not tx.run("UPDATE connection SET name = :name WHERE id = :id", id=connection_id, name=name):
                raise NotFound("There is no such connection.")
            tx.log("renamed", by, connection_id, name=name)

    def rescope(self, connection_id: str, scope: Scope, by: str) -> None:
        """Give a connection another scope, from its very next call and its very next write on.

        What it was allowed for a while was allowed within the scope that it had then, and ends with it.
        """
        self._require_live(connection_id)
        with self.state.parties() as db:
            epoch = fence.raise_party(db, connection_id, ended=False)
            db.execute("DELETE FROM main.joined_scope WHERE connection_id = ?", (connection_id,))
        with self.ops.writing() as tx:
            tx.run(
                "UPDATE connection SET entity_scope = :scope, epoch = :epoch WHERE id = :id",
                id=connection_id, scope=scope.stored(), epoch=epoch,
            )  # fmt: skip
            tx.run("DELETE FROM allowance WHERE connection_id = :id", id=connection_id)
            tx.log("rescoped", by, connection_id, scope=scope.told())

    def rotate(self, connection_id: str, by: str) -> Minted:
        """A new bearer for a connection; the old one answers for 60 more seconds, then never again."""
        row = self._require_live(connection_id)
        token = bearers.fresh(self.entropy)
        with self.ops.writing() as tx:
            tx.run(
                "UPDATE connection SET old_token_hash = bearer_token_hash, old_token_boot = :boot,"
                " old_token_until = :until, bearer_token_hash = :hash WHERE id = :id",
                id=connection_id, boot=self.clock.boot_id(), until=self.clock.awake() + OVERLAP_US,
                hash=bearers.digest(token.encode()),
            )  # fmt: skip
            tx.log("rotated", by, connection_id)
        return Minted(connection_id, token, row["expires_at"])

    def join(self, connection_id: str, epoch: int, entity_ids: Collection[str]) -> bool:
        """Add entities to the listed scope that a connection has in this epoch; whether there was any to add.

        Its rights only grow, so its epoch stays. Where the owner gave it another scope since, that one stands.
        """
        with self.ops.writing() as tx:
            stored = tx.value(
                "SELECT entity_scope FROM connection WHERE id = :id AND epoch = :epoch AND revoked_at IS NULL",
                id=connection_id, epoch=epoch,
            )  # fmt: skip
            scope = loaded(stored)
            if scope is None or scope.entities is None or scope.entities.issuperset(entity_ids):
                return False
            wider = Scope(scope.entities.union(entity_ids))
            tx.run("UPDATE connection SET entity_scope = :scope WHERE id = :id", id=connection_id, scope=wider.stored())
            tx.log("scope_joined", connection_id, connection_id, entities=sorted(set(entity_ids) - scope.entities))
            return True

    def expire(self) -> None:
        """End for good what has expired, so that a clock that is set back revives nothing."""
        with self.ops.reading() as rows:
            due = rows.rows(
                f"SELECT id FROM connection WHERE revoked_at IS NULL AND ({EXPIRED})",
                now=self.clock.now(), boot=self.clock.boot_id(), awake=self.clock.awake(),
            )  # fmt: skip
        for row in due:
            with suppress(NotFound):  # it was revoked in the meantime
                self.revoke(row["id"], "clock", "expired")

    def _require_live(self, connection_id: str) -> dict[str, Any]:
        with self.ops.reading() as rows:
            row = rows.row("SELECT expires_at, revoked_at FROM connection WHERE id = :id", id=connection_id)
        if row is None or row["revoked_at"] is not None:
            raise NotFound("There is no such live connection.")
        return row

    def _line(self, connection_id: str) -> list[str]:
        with self.ops.reading() as rows:
            found = rows.rows(
                "WITH RECURSIVE line (id) AS (SELECT id FROM connection WHERE id = :id AND revoked_at IS NULL UNION"
                " SELECT c.id FROM connection c JOIN line ON c.parent_id = line.id WHERE c.revoked_at IS NULL)"
                " SELECT id FROM line",
                id=connection_id,
            )
        if not found:
            raise NotFound("There is no such live connection.")
        return [row["id"] for row in found]


def _told(terms: Terms) -> dict[str, Any]:
    return {
        "name": terms.name,
        "profile": terms.profile.value,
        "scope": terms.scope.told(),
        "mode": terms.mode.value,
        "can_delegate": terms.can_delegate,
        "can_post": terms.can_post,
    }
