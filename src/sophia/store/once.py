"""What was done already: a write that is named by a key runs once, and a repeat gets the same answer."""

from dataclasses import dataclass

import apsw


@dataclass(frozen=True, slots=True)
class Done:
    """The one result of a keyed write."""

    tool: str
    arguments_sha256: str
    result: str
    mutation_seq: int | None
    epoch: int
    """Of the connection when it was done: what it may see may have changed since."""


def done(db: apsw.Connection, connection_id: str, key: str) -> Done | None:
    """What the connection did under this key before, or `None`."""
    row = db.execute(
        "SELECT tool, arguments_sha256, result, mutation_seq, epoch FROM main.once WHERE connection_id = ? AND key = ?",
        (connection_id, key),
    ).fetchone()
    return Done(*row) if row else None


def keep(db: apsw.Connection, connection_id: str, key: str, what: Done, at: int) -> None:
    """Remember the result in the transaction of the write itself."""
    db.execute(
        "INSERT INTO main.once (connection_id, key, tool, arguments_sha256, result, mutation_seq, epoch, at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (connection_id, key, what.tool, what.arguments_sha256, what.result, what.mutation_seq, what.epoch, at),
    )
