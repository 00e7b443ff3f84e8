"""What was forgotten, known again by keyed hashes alone, which nobody makes who only has the file."""

import hashlib
import hmac
from collections.abc import Callable
from typing import Any

import apsw


def hashing(seal: bytes) -> Callable[[Any, Any], str]:
    """The keyed hash of a value of a kind, as 64 hex digits: BLAKE2b under a key that no other seal has.

    The kinds: `name`, the folded name of an entity; `bytes`, the digest of a document's bytes; `text`, its text.
    """
    key = hmac.digest(seal, b"sophia/forgotten/1", hashlib.sha256)

    def keyed(kind: Any, value: Any) -> str:
        return hashlib.blake2b(f"{kind}\0{value}".encode("utf-8", "surrogatepass"), key=key, digest_size=32).hexdigest()

    return keyed


def known(db: apsw.Connection, seal: bytes) -> None:
    """Let the schema's guards ask whether a value is one that was forgotten."""
    keyed: Any = hashing(seal)
    db.create_scalar_function("forgotten_hash", keyed, 2, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)
