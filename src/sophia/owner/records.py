"""What the owner's plane reads and keeps: SQL beside the shapes that it fills."""

import json
from dataclasses import dataclass
from typing import Any

from sophia.access.connections import may_post
from sophia.core.access import Profile
from sophia.core.clock import Clock, rfc3339
from sophia.core.scope import Scope, loaded
from sophia.store.ops import OpsTx
from sophia.store.reader import Reader

UNREADABLE = "unreadable: counts as empty"
"""How the owner is shown a stored scope that cannot be read."""
_CONNECTIONS = """
    SELECT id, name, profile, entity_scope, write_approval_mode, can_delegate, can_post, siblings_may_review, surface,
           name_style, parent_id, spawn_id, task_label, created_at, created_by, expires_at, revoked_at, revoke_reason,
           delivered, last_seen, request_count
      FROM connection
"""


def connections(rows: Reader, now: int, *, ended: bool) -> list[dict[str, Any]]:
    """The connections, oldest first; those that are over only where asked for."""
    found = [_connection(row, now) for row in rows.rows(f"{_CONNECTIONS} ORDER BY created_at, id")]
    return [row for row in found if ended or row["status"] == "live"]


def connection(rows: Reader, connection_id: str, now: int) -> dict[str, Any] | None:
    """The connection of this id, or `None`."""
    row = rows.row(f"{_CONNECTIONS} WHERE id = :id", id=connection_id)
    return _connection(row, now) if row else None


def line(rows: Reader, connection_id: str) -> list[str]:
    """The connection, its workers, theirs, and so on, by id, those that are over too."""
    found = rows.rows(
        "WITH RECURSIVE line (id) AS (SELECT :id UNION"
        " SELECT c.id FROM connection c JOIN line ON c.parent_id = line.id) SELECT id FROM line",
        id=connection_id,
    )
    return [row["id"] for row in found]


def _connection(row: dict[str, Any], now: int) -> dict[str, Any]:
    scope = loaded(row["entity_scope"])
    over = row["expires_at"] is not None and now >= row["expires_at"]
    return {
        "connection_id": row["id"],
        "connection_short": row["id"][:8],
        "name": row["name"],
        "status": "revoked" if row["revoked_at"] is not None else "expired" if over else "live",
        "profile": row["profile"],
        "write_approval_mode": row["write_approval_mode"],
        "entity_scope": UNREADABLE if scope is None else scope.told(),
        "can_delegate": bool(row["can_delegate"]),
        "can_post": may_post(Profile(row["profile"]), granted=bool(row["can_post"])),
        "siblings_may_review": bool(row["siblings_may_review"]),
        "surface": row["surface"],
        "name_style": row["name_style"],
        "parent_id": row["parent_id"],
        "spawn_id": row["spawn_id"],
        "task_label": row["task_label"],
        "created_at": rfc3339(row["created_at"]),
        "created_by": row["created_by"],
        "expires_at": _time(row["expires_at"]),
        "revoked_at": _time(row["revoked_at"]),
        "revoke_reason": row["revoke_reason"],
        "delivered": bool(row["delivered"]),
        "last_seen": _time(row["last_seen"]),
        "request_count": row["request_count"],
    }


def _time(at: int | None) -> str | None:
    return None if at is None else rfc3339(at)


def missing_entities(rows: Reader, scope: Scope) -> list[str]:
    """The entities of a scope that there are none of, by id. `rows` reads the state, the others the ops database."""
    found = rows.rows(
        "SELECT l.value AS id FROM json_each(:ids) l WHERE NOT EXISTS (SELECT 1 FROM entity e WHERE e.id = l.value)"
        " ORDER BY l.value",
        ids=scope.as_json,
    )
    return [row["id"] for row in found]


def live(rows: Reader, now: int) -> int:
    """How many connections are live."""
    return int(
        rows.value(
            "SELECT count(*) FROM connection WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)",
            now=now,
        )
    )


def allow(tx: OpsTx, connection_id: str, tool: str, boot_id: str, until_awake: int) -> None:
    """Let the connection call the tool unasked until then."""
    tx.run(
        "INSERT INTO allowance (connection_id, tool, boot_id, expires_awake) VALUES (:connection, :tool, :boot, :until)"
        " ON CONFLICT (connection_id, tool) DO UPDATE SET boot_id = :boot, expires_awake = :until",
        connection=connection_id, tool=tool, boot=boot_id, until=until_awake,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Code:
    """A one-time code at rest: never the code itself."""

    code_sha256: str
    parameters_sha256: str
    boot_id: str
    expires_awake: int
    tries: int
    used_at: int | None


def keep_code(tx: OpsTx, code: Code) -> None:
    """Keep a fresh code."""
    tx.run(
        "INSERT INTO grant_code (code_sha256, parameters_sha256, boot_id, expires_awake)"
        " VALUES (:code, :parameters, :boot, :until)",
        code=code.code_sha256, parameters=code.parameters_sha256, boot=code.boot_id, until=code.expires_awake,
    )  # fmt: skip


def code(rows: Reader, code_sha256: str) -> Code | None:
    """The code of this digest, or `None`."""
    row = rows.row(
        "SELECT code_sha256, parameters_sha256, boot_id, expires_awake, tries, used_at FROM grant_code"
        " WHERE code_sha256 = :code",
        code=code_sha256,
    )
    return Code(**row) if row else None


def use_code(tx: OpsTx, code_sha256: str, now: int) -> bool:
    """Use a code up; whether it was this call that did."""
    return bool(
        tx.run(
            "UPDATE grant_code SET used_at = :now WHERE code_sha256 = :code AND used_at IS NULL",
            code=code_sha256, now=now,
        )
    )  # fmt: skip


def count_try(tx: OpsTx, code_sha256: str, parameters_sha256: str) -> None:
    """Count a wrong try against the code that was named, and against every code for what was asked."""
    tx.run(
        "UPDATE grant_code SET tries = tries + 1 WHERE code_sha256 = :code OR parameters_sha256 = :parameters",
        code=code_sha256, parameters=parameters_sha256,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tries:
    """How often in a row the passphrase was wrong, and until when none is taken."""

    wrong: int = 0
    boot_id: str = ""
    locked_until_awake: int = 0

    def locked_for(self, clock: Clock) -> int:
        """Microseconds for which no passphrase is taken."""
        return max(0, self.locked_until_awake - clock.awake()) if self.boot_id == clock.boot_id() else 0


def tries(rows: Reader) -> Tries:
    """The wrong tries so far."""
    told = rows.value("SELECT value FROM setting WHERE name = 'presence_tries'")
    return Tries(*json.loads(told)) if told else Tries()


def keep_tries(tx: OpsTx, now: Tries) -> None:
    """Remember the wrong tries, over a restart too."""
    tx.run(
        "INSERT INTO setting (name, value) VALUES ('presence_tries', :value)"
        " ON CONFLICT (name) DO UPDATE SET value = :value",
        value=json.dumps([now.wrong, now.boot_id, now.locked_until_awake]),
    )
