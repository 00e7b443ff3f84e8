"""How far the state had got, kept beside the key and outside the state: an older copy put back is told by it."""

import hashlib
import hmac
import os
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Annotated

import msgspec

from sophia.store import durable

_MOST_BYTES = 4096


@dataclass(frozen=True)
class Anchor:
    """The last journal row that was acknowledged, its hash, and the owner's epoch; the same of the security log."""

    seq: int
    hash: str
    epoch: int
    event: int = 0
    event_hash: str = ""
    accepted: int = 0
    """The last mutation that the owner accepted as it is, whatever is wrong with it or before it."""
    accepted_event: int = 0
    """The same of the security log."""


@dataclass(frozen=True)
class Missing:
    """There is no anchor: the state is new, or its anchor was lost."""


@dataclass(frozen=True)
class Tampered:
    """There is an anchor that this state's key did not seal."""

    why: str


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seq: Annotated[int, msgspec.Meta(ge=0)]
    hash: str
    epoch: Annotated[int, msgspec.Meta(ge=0)]
    event: Annotated[int, msgspec.Meta(ge=0)]
    event_hash: str
    accepted: Annotated[int, msgspec.Meta(ge=0)]
    accepted_event: Annotated[int, msgspec.Meta(ge=0)]
    mac: str


def path(key_dir: Path, key_id: str) -> Path:
    """Where the anchor of the state with this key is."""
    return key_dir / f"{key_id}.anchor"


def write(key_dir: Path, key_id: str, seal: bytes, anchor: Anchor) -> None:
    """Returns when `anchor` is on the disk in place of the one before. One writer at a time."""
    written = _Written(**asdict(anchor), mac=_mac(seal, key_id, anchor))
    durable.write(path(key_dir, key_id), msgspec.json.encode(written) + b"\n")


def read(key_dir: Path, key_id: str, seal: bytes) -> Anchor | Missing | Tampered:
    """The anchor as it was written, or why there is none to go by."""
    try:
        fd = os.open(path(key_dir, key_id), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return Missing()
    except OSError as error:
        return Tampered(f"cannot be read: {error.strerror}")
    try:
        with os.fdopen(fd, "rb") as file:
            written = msgspec.json.decode(file.read(_MOST_BYTES), type=_Written)
    except OSError as error:
        return Tampered(f"cannot be read: {error.strerror}")
    except ValueError:
        return Tampered("is not an anchor")
    anchor = Anchor(**{each.name: getattr(written, each.name) for each in fields(Anchor)})
    if not hmac.compare_digest(written.mac.encode(), _mac(seal, key_id, anchor).encode()):
        return Tampered("was not sealed with this state's key")
    return anchor


def _mac(seal: bytes, key_id: str, anchor: Anchor) -> str:
    """The seal over the anchor and over which state it is of. Its key is no other seal's."""
    key = hmac.digest(seal, b"sophia/anchor/1", hashlib.sha256)
    said = msgspec.json.encode([key_id, *astuple(anchor)])
    return hmac.digest(key, said, hashlib.sha256).hex()
