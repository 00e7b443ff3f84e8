"""What a write must still be true of at its very end: the owner's epoch, and the connection's."""

import apsw

from sophia.core.caller import Agent, Caller
from sophia.core.errors import ApprovalVoid, Unauthenticated, Unavailable

RIGHTS_CHANGED = "The rights of this connection changed while the call was under way; make it again."


def take_epoch(db: apsw.Connection) -> int:
    """A new owner's epoch, which ends the authority of every owner before it."""
    db.execute("UPDATE main.owner_epoch SET epoch = epoch + 1 WHERE id = 1")
    return epoch(db)


def epoch(db: apsw.Connection) -> int:
    """The owner's epoch as it stands."""
    return int(db.execute("SELECT epoch FROM main.owner_epoch WHERE id = 1").get or 0)


def require_owner(db: apsw.Connection, own: int) -> None:
    """Refuse the write of a daemon that a newer one has replaced."""
    if epoch(db) != own:
        raise Unavailable("Another daemon owns this state now; this one must stop.")


def require_party(db: apsw.Connection, caller: Caller, now: int) -> None:
    """Refuse the write of a connection that ended or whose rights changed since its call began."""
    if not isinstance(caller, Agent):
        return
    row = db.execute("SELECT epoch, ended FROM main.party WHERE connection_id = ?", (caller.connection_id,)).fetchone()
    if row is None or row[1] or (caller.expires_at is not None and now >= caller.expires_at):
        raise Unauthenticated
    if row[0] != caller.epoch:
        raise ApprovalVoid(RIGHTS_CHANGED)


def prove_writable(db: apsw.Connection) -> None:
    """Write a page and leave it as it was: to set a value to itself would write nothing, and prove nothing."""
    db.execute("INSERT INTO main.owner_epoch (id, epoch) VALUES (2, 0)")
    db.execute("DELETE FROM main.owner_epoch WHERE id = 2")


def admit_party(db: apsw.Connection, connection_id: str) -> None:
    """Let a freshly minted connection write."""
    db.execute("INSERT INTO main.party (connection_id, epoch, ended) VALUES (?, 1, 0)", (connection_id,))


def raise_party(db: apsw.Connection, connection_id: str, *, ended: bool) -> int:
    """End what the connection was allowed until now; its new epoch. `ended` also ends the connection."""
    db.execute(
        "UPDATE main.party SET epoch = epoch + 1, ended = max(ended, ?) WHERE connection_id = ?",
        (int(ended), connection_id),
    )
    return int(db.execute("SELECT epoch FROM main.party WHERE connection_id = ?", (connection_id,)).get or 0)


def end_parties(db: apsw.Connection) -> None:
    """End every connection that there is or that was being made."""
    db.execute("UPDATE main.party SET epoch = epoch + 1, ended = 1")
