"""What a crash left between the two databases, made whole at the start: the state went first, ops follows."""

from sophia.access import connections
from sophia.access.minting import Mint
from sophia.core.clock import Clock
from sophia.core.scope import Scope
from sophia.store.ops import Ops
from sophia.store.state import State


def reconcile(state: State, ops: Ops, mint: Mint, clock: Clock) -> list[str]:
    """What was made whole, in words for the log."""
    done: list[str] = []
    with state.parties() as db:
        parties = {row[0]: (row[1], row[2]) for row in db.execute("SELECT connection_id, epoch, ended FROM main.party")}
        approved = db.execute("SELECT substr(key, 10), result FROM main.once WHERE key GLOB 'approval:*'").fetchall()
        joined = [
            (str(row[0]), str(row[1])) for row in db.execute("SELECT connection_id, entity_id FROM main.joined_scope")
        ]
    with ops.writing() as tx:
        for row in tx.rows("SELECT id, epoch, revoked_at FROM connection"):
            epoch, ended = parties.get(row["id"], (row["epoch"], 0))
            if ended and row["revoked_at"] is None:
                tx.run("UPDATE connection SET revoked_at = :now WHERE id = :id", id=row["id"], now=clock.now())
                done.append(f"connection {row['id'][:8]} was being revoked")
            if epoch != row["epoch"]:
                tx.run("UPDATE connection SET epoch = :epoch WHERE id = :id", id=row["id"], epoch=epoch)
        for approval_id, result in approved:
            if tx.run(
                "UPDATE approval SET status = 'approved', result = :result, decided_at = :now, decided_awake = :awake"
                " WHERE id = :id AND status = 'pending'",
                id=approval_id, result=result, now=clock.now(), awake=clock.awake(),
            ):  # fmt: skip
                done.append(f"approval {approval_id} had run")
    for connection_id, entity_id in joined:
        with ops.reading() as rows:
            agent = connections.by_id(rows, connection_id, clock.now())
        if agent is not None and agent.scope.entities is not None and entity_id not in agent.scope.entities:
            mint.join(connection_id, Scope(agent.scope.entities | {entity_id}))
            done.append(f"entity {entity_id} had joined a scope")
    return done
