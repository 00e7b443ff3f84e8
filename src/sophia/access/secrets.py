"""What was kept out as a secret, and what the owner allows: by keyed hash, never by value."""

import hashlib
import hmac
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sophia.core.clock import Clock, rfc3339
from sophia.core.errors import NotFound
from sophia.core.secrets.masked import Hit, hit_id
from sophia.core.secrets.masking import Masking
from sophia.store.ops import Ops

_KNOWN = "SELECT s.id, s.keyed, s.allowed_at FROM secret_hit s WHERE s.id IN (SELECT value FROM json_each(:ids))"
_ALLOWED = "SELECT s.keyed FROM secret_hit s WHERE s.allowed_at IS NOT NULL ORDER BY s.keyed"
_SELECT = "SELECT id, kind, keyed, last_four, found_at, found_by, found_in, allowed_at FROM secret_hit"


@dataclass(frozen=True)
class Secrets:
    """Hands every act its masking, and keeps what those found."""

    ops: Ops
    clock: Clock
    seal: bytes

    def masking(self) -> Masking:
        """The way in of one act."""
        return Masking(self._keyed, self._allowed, self._generation)

    def keep(self, hits: Collection[Hit], who: str, where: str) -> None:
        """Remember what an act was kept from bringing in, each value once."""
        if not hits:
            return
        with self.ops.reading() as rows:
            known = {row["id"] for row in rows.rows(_KNOWN, ids=json.dumps([hit.hit_id for hit in hits]))}
        fresh = [hit for hit in hits if hit.hit_id not in known]
        if not fresh:
            return
        with self.ops.writing() as tx:
            for hit in fresh:
                tx.run(
                    "INSERT OR IGNORE INTO secret_hit (id, kind, keyed, last_four, found_at, found_by, found_in)"
                    " VALUES (:id, :kind, :keyed, :last_four, :now, :who, :found_in)",
                    id=hit.hit_id, kind=hit.kind, keyed=hit.keyed, last_four=hit.last_four, now=self.clock.now(),
                    who=who, found_in=where,
                )  # fmt: skip

    def listed(self) -> list[dict[str, Any]]:
        """What was kept out, the newest first."""
        with self.ops.reading() as rows:
            return [_told(row) for row in rows.rows(f"{_SELECT} ORDER BY found_at DESC, id")]

    def found(self, hit_id: str) -> dict[str, Any]:
        """The hit of this id; `NotFound` for none."""
        with self.ops.reading() as rows:
            row = rows.row(f"{_SELECT} WHERE id = :id", id=hit_id)
        if row is None:
            raise NotFound("There is no such hit; `sophia secrets list` shows them.", argument="hit_id")
        return _told(row)

    def allow(self, hit_id: str, by: str, *, allowed: bool = True) -> dict[str, Any]:
        """Let this one value be kept from now on, or no more; the hit as it is then. What is stored stays as it is."""
        hit = self.found(hit_id)
        if hit["allowed"] is not allowed:
            with self.ops.writing() as tx:
                tx.run(
                    "UPDATE secret_hit SET allowed_at = :at WHERE id = :id",
                    at=self.clock.now() if allowed else None,
                    id=hit_id,
                )
                tx.log("secret_allowed" if allowed else "secret_disallowed", by, hit_id, kind=hit["kind"])
        return self.found(hit_id)

    def _keyed(self, value: bytes) -> str:
        return hmac.digest(self._key, value, "sha256").hex()

    @cached_property
    def _key(self) -> bytes:
        return hmac.digest(self.seal, b"secrets", "sha256")

    def _allowed(self, keyed: Collection[str]) -> set[str]:
        with self.ops.reading() as rows:
            found = rows.rows(_KNOWN, ids=json.dumps([hit_id(each) for each in keyed]))
        return {row["keyed"] for row in found if row["allowed_at"] is not None}.intersection(keyed)

    def _generation(self) -> str:
        with self.ops.reading() as rows:
            return _digest(row["keyed"] for row in rows.rows(_ALLOWED))


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "hit_id": row["id"], "kind": row["kind"], "last_four": row["last_four"], "found_at": rfc3339(row["found_at"]),
        "found_by": row["found_by"], "found_in": row["found_in"], "allowed": row["allowed_at"] is not None,
    }  # fmt: skip
