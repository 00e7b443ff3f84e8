"""What a crash left between the two databases, made whole at the start: the state went first, ops follows."""

from sophia.access import approvals
from sophia.access.minting import Mint
from sophia.core.clock import Clock
from sophia.dispatch.writes import APPROVED
from sophia.store import fence
from sophia.store.ops import Ops
from sophia.store.state import State


def reconcile(state: State, ops: Ops, mint: Mint, clock: Clock) -> list[str]:
    """What was made whole, in words for the log."""
    done: list[str] = []
    unended: list[str] = []
    with state.parties() as db:
        parties = {row[0]: (row[1], row[2]) for row in db.execute("SELECT connection_id, epoch, ended FROM main.party")}
        ran = db.execute(
            "SELECT connection_id, substr(key, ?2), result FROM main.once WHERE key GLOB ?1 || '*'",
            (APPROVED, len(APPROVED) + 1),
        ).fetchall()
        joined = [
            (str(row[0]), str(row[1])) for row in db.execute("SELECT connection_id, entity_id FROM main.joined_scope")
        ]
    with ops.writing() as tx:
        for row in tx.rows("SELECT id, epoch, revoked_at FROM connection"):
            epoch, ended = parties.get(row["id"], (row["epoch"], 0))
            if ended and row["revoked_at"] is None and mint.revoked(tx, row["id"], "start", "interrupted"):
                done.append(f"connection {row['id'][:8]} was being revoked")
            if row["revoked_at"] is not None and not ended:
                unended.append(row["id"])
            if epoch != row["epoch"]:
                tx.run("UPDATE connection SET epoch = :epoch WHERE id = :id", id=row["id"], epoch=epoch)
        for connection_id, approval_id, result in ran:
            if approvals.end(tx, str(approval_id), "approved", clock, result=str(result)):
                tx.log("approval_approved", "start", str(approval_id), connection=connection_id)
                done.append(f"approval {approval_id} had run")
    if unended:
        with state.parties() as db:
            for connection_id in unended:
                fence.raise_party(db, connection_id, ended=True)
        done.append(f"{len(unended)} connections were revoked while nothing could be written")
    for connection_id, entity_id in joined:
        if mint.join(connection_id, parties.get(connection_id, (0, 1))[0], [entity_id]):
            done.append(f"entity {entity_id} had joined a scope")
    return done
