"""What opens a backup: the owner's key of the time, and a passphrase that was given for it."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sophia.core.errors import BadArguments
from sophia.core.refusals import DbUnavailable
from sophia.store import keyfile
from sophia.store.keyfile import Source, normal
from sophia.store.keyhome import Vault, os_keyring, refused
from sophia.store.keys import Keys
from sophia.store.ownership import Ownership, proven
from sophia.store.wrapping import NONCE_BYTES, SALT_BYTES, Home, Kdf, Wrapped, unwrap_with, wrap


def slots(
    ownership: Ownership, keys: Keys, passphrase: str | None, entropy: Callable[[int], bytes] = secrets.token_bytes
) -> list[Wrapped]:
    """The data key under the owner's key, and under the passphrase where there is one. Takes a tenth of a second."""
    own = keyfile.stored(proven(ownership).directory)
    if own is None:
        raise refused("key_file_missing", f"{keyfile.KEY_FILE} is gone; put it back from a backup.")
    if passphrase is None:
        return [own]
    if not passphrase.strip():
        raise BadArguments("The passphrase of the backup is blank.", argument="passphrase")
    kdf = Kdf(salt=entropy(SALT_BYTES).hex())
    key, nonce = kdf.key(normal(passphrase)), entropy(NONCE_BYTES)
    return [own, wrap(keys.data, key, nonce, key_id=own.key_id, turn=own.turn, home="passphrase", kdf=kdf)]


@dataclass(frozen=True)
class Opener:
    """What there is to open a backup with."""

    key_dir: Path
    keyring_allowed: bool
    ask: Callable[[], str] | None
    """Asks for the passphrase; `None` where nobody can be asked."""
    given: str | None = None
    """The passphrase, where it was said at once."""
    find_keyring: Callable[[], Vault | None] = os_keyring


@dataclass(frozen=True)
class Unlocked:
    """The data key of a backup, and the passphrase that opened it, where one did."""

    data_key: bytes
    passphrase: str | None


def unlocked(found: list[Wrapped], opener: Opener) -> Unlocked:
    """The data key; `DbUnavailable` where nothing at hand opens the backup, saying what would."""
    if opener.given is not None:
        return _by_passphrase(found, opener.given)
    source = Source(opener.key_dir, opener.keyring_allowed, None, opener.find_keyring, secrets.token_bytes)
    for one in found:
        if one.home != "passphrase":
            with suppress(DbUnavailable):
                return Unlocked(keyfile.data_key(one, source, exposed=False), None)
    if not any(one.home == "passphrase" for one in found):
        raise refused("key_missing", f"This backup opens with {needed(found[0], opener.key_dir)}, which is not here.")
    if opener.ask is None:
        raise refused("passphrase_needed", "This backup opens with a passphrase, and nobody can be asked for it.")
    return _by_passphrase(found, opener.ask())


def _by_passphrase(found: list[Wrapped], passphrase: str) -> Unlocked:
    for one in found:
        data_key = unwrap_with(one, normal(passphrase))
        if data_key is not None:
            return Unlocked(data_key, passphrase)
    raise refused("passphrase_wrong", "This passphrase does not open the backup.")


def needed(slot: Wrapped, key_dir: Path) -> str:
    """What a key of this home is, in words."""
    homes: dict[Home, str] = {
        "file": f"the owner's key file {key_dir / slot.slot}.key",
        "keyring": f"the secret sophia/{slot.slot} of the keyring of the machine that it was made on",
        "passphrase": "the passphrase that the data was under when it was made",
    }
    return homes[slot.home]
