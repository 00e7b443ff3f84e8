"""The data key as it lies in the data directory: wrapped by the owner's key, beside what is needed to unwrap it."""

from typing import Annotated, Literal

import msgspec
from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from msgspec import Meta

KEY_BYTES = 32
NONCE_BYTES = 12
SALT_BYTES = 16
Home = Literal["keyring", "file", "passphrase"]


class Kdf(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a passphrase becomes a key: Argon2id, by default at the cost that RFC 9106 names for ordinary machines."""

    salt: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    algorithm: Literal["argon2id"] = "argon2id"
    passes: Annotated[int, Meta(ge=1, le=100)] = 3
    memory_kib: Annotated[int, Meta(ge=64, le=1024 * 1024)] = 64 * 1024
    lanes: Annotated[int, Meta(ge=1, le=8)] = 4

    def key(self, passphrase: str) -> bytes:
        """The owner's key that the passphrase stands for."""
        return hash_secret_raw(
            passphrase.encode("utf-8", "surrogatepass"),
            bytes.fromhex(self.salt),
            time_cost=self.passes,
            memory_cost=self.memory_kib,
            parallelism=self.lanes,
            hash_len=KEY_BYTES,
            type=Type.ID,
        )


class Wrapped(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What `key.json` holds. `key_id` names the data key, which never changes; `turn` counts the owner's keys."""

    version: Literal[1] = 1
    key_id: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    turn: Annotated[int, Meta(ge=0, le=1_000_000)]
    home: Home
    kdf: Kdf | None
    nonce: Annotated[str, Meta(pattern="^[0-9a-f]{24}$")]
    wrapped: Annotated[str, Meta(pattern="^[0-9a-f]{96}$")]

    @property
    def slot(self) -> str:
        """The name under which the owner's key of this turn is kept."""
        return slot(self.key_id, self.turn)

    def told(self) -> bytes:
        """The text of `key.json`."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"


def slot(key_id: str, turn: int) -> str:
    """The name of the owner's key of a turn: until the first rotation, the data key's own."""
    return key_id if turn == 0 else f"{key_id}.{turn}"


def wrap(
    data_key: bytes, owner_key: bytes, nonce: bytes, *, key_id: str, turn: int, home: Home, kdf: Kdf | None
) -> Wrapped:
    """The data key under the owner's key. What stands beside it is sealed with it."""
    sealed = ChaCha20Poly1305(owner_key).encrypt(nonce, data_key, _beside(key_id, turn, home, kdf))
    return Wrapped(key_id=key_id, turn=turn, home=home, kdf=kdf, nonce=nonce.hex(), wrapped=sealed.hex())


def unwrap(wrapped: Wrapped, owner_key: bytes) -> bytes | None:
    """The data key, or `None` where this is not the key that it was wrapped with, or not what was wrapped."""
    beside = _beside(wrapped.key_id, wrapped.turn, wrapped.home, wrapped.kdf)
    try:
        return ChaCha20Poly1305(owner_key).decrypt(bytes.fromhex(wrapped.nonce), bytes.fromhex(wrapped.wrapped), beside)
    except InvalidTag:
        return None


def unwrap_with(wrapped: Wrapped, passphrase: str) -> bytes | None:
    """The data key, or `None` where no passphrase wraps it or this is not the one; `HashingError` without memory."""
    return None if wrapped.kdf is None else unwrap(wrapped, wrapped.kdf.key(passphrase))


def parsed(text: bytes) -> Wrapped:
    """What `told` wrote; `ValueError` for anything else."""
    return msgspec.json.decode(text, type=Wrapped)


def _beside(key_id: str, turn: int, home: Home, kdf: Kdf | None) -> bytes:
    return msgspec.json.encode(["sophia/key/1", key_id, turn, home, kdf])
