"""What the owner had forgotten, beside the key and outside of every backup: keyed hashes and ids, nothing else."""

import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from sophia.core.errors import Unavailable
from sophia.store import durable

_MOST_BYTES = 256 * 1024 * 1024


class Forgot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entity or document that is to be gone from every state of this data key."""

    tombstone_id: str
    forgotten_id: str
    noun: str
    at: int
    keyed: tuple[str, ...]
    """What is refused when it is offered again; none once the owner allowed it."""


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    entries: tuple[Forgot, ...]
    mac: str
    version: Literal[1] = 1


@dataclass(frozen=True)
class ForgetList:
    """The list of one data key, which a restored backup shares with the state that it was made of."""

    key_dir: Path
    seal: bytes

    @property
    def path(self) -> Path:
        """Where the list is: its name tells which data key it belongs to, and nothing of the key."""
        return self.key_dir / f"{hmac.digest(self.seal, b'sophia/forget-list/1', hashlib.sha256)[:16].hex()}.forgotten"

    def entries(self) -> tuple[Forgot, ...]:
        """All of it, in the order in which it was forgotten; `Unavailable` where it is not what was written."""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
            with os.fdopen(fd, "rb") as file:
                written = msgspec.json.decode(file.read(_MOST_BYTES), type=_Written)
        except FileNotFoundError:
            return ()
        except OSError:
            raise Unavailable("The list of what was forgotten, beside the key, cannot be read.") from None
        except ValueError:
            written = None
        if written is None or not hmac.compare_digest(written.mac, self._mac(written.entries)):
            raise Unavailable("The list of what was forgotten, beside the key, is not one that Sophia wrote.")
        return written.entries

    def add(self, forgot: Forgot) -> None:
        """Returns when it would survive a power loss; one of the same tombstone is replaced."""
        others = [entry for entry in self.entries() if entry.tombstone_id != forgot.tombstone_id]
        self._write([*others, forgot])

    def _write(self, entries: Sequence[Forgot]) -> None:
        durable.write(self.path, msgspec.json.encode(_Written(tuple(entries), self._mac(entries))) + b"\n")

    def _mac(self, entries: Sequence[Forgot]) -> str:
        key = hmac.digest(self.seal, b"sophia/forget-list/2", hashlib.sha256)
        return hmac.digest(key, msgspec.json.encode(list(entries)), hashlib.sha256).hex()
