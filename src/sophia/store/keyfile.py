"""`key.json` and the owner's key that opens it: made, found again after a crash, and replaced."""

import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from sophia.core.errors import BadArguments
from sophia.core.refusals import DbUnavailable
from sophia.store import durable
from sophia.store.keyhome import InFile, InKeyring, KeyHome, Vault, refused
from sophia.store.wrapping import (
    KEY_BYTES,
    NONCE_BYTES,
    SALT_BYTES,
    Kdf,
    Wrapped,
    parsed,
    slot,
    unwrap,
    unwrap_with,
    wrap,
)

KEY_FILE = "key.json"
STAGED = "key.json.new"
DATABASES = ("state.db", "ops.db")
LOOKED_FOR_S = 3.0
"""How long a keyring may take when a home for a new key is looked for."""
WAITED_FOR_S = 60.0
"""How long it may take when it has the key: a person may have to unlock it."""


@dataclass(frozen=True)
class Source:
    """Where owner keys come from: what is allowed, whom to ask, and chance."""

    key_dir: Path
    keyring_allowed: bool
    passphrase: Callable[[], str] | None
    find_keyring: Callable[[], Vault | None]
    entropy: Callable[[int], bytes]


def stored(place: Path, name: str = KEY_FILE) -> Wrapped | None:
    """What `key.json` says; `None` where there is none, `DbUnavailable` where it says nothing that can be used."""
    path = place / name
    try:
        return parsed(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise refused(
            "key_file_damaged", f"{path} is damaged or from a newer Sophia; put it back from a backup."
        ) from None


def resumed(place: Path, source: Source) -> Wrapped | None:
    """What a first start had got to when it was cut off; `None` where there is nothing to go on from."""
    staged = place / STAGED
    with suppress(FileNotFoundError, ValueError, DbUnavailable):
        found = parsed(staged.read_bytes())
        if unwrap(found, _home(found, source).fetch(found.slot)):
            durable.commit(staged, place / KEY_FILE)
            return found
    for name in DATABASES:
        if (place / name).exists():
            raise refused(
                "key_file_missing", f"{place / KEY_FILE} is missing and {name} is there: put it back from a backup."
            )
    _discard(staged, source)
    return None


def data_key(found: Wrapped, source: Source, *, exposed: bool) -> bytes:
    """What is wrapped; `DbUnavailable` where the owner key cannot be had or was open to others (unless `exposed`)."""
    if found.home == "passphrase":
        if source.passphrase is None:
            raise refused("passphrase_needed", "This data directory opens with a passphrase, and nobody can be asked.")
        opened = unwrap_with(found, normal(source.passphrase()))
        if opened is None:
            raise refused("passphrase_wrong", "This passphrase does not open the data directory; try again.")
        return opened
    opened = unwrap(found, _home(found, source).fetch(found.slot, exposed=exposed))
    if opened is None:
        raise refused(
            "key_wrong",
            f"The owner key {found.slot} ({found.home}) does not open {KEY_FILE}: one of the two is the wrong one; "
            "put both back from where you keep copies.",
        )
    return opened


def sealed(
    place: Path, source: Source, data_key: bytes, key_id: str, *, turn: int, passphrase: str | None = None
) -> Wrapped:
    """The data key under a new owner's key, which is on the disk before `key.json` says so."""
    if passphrase is not None:
        return _sealed_by_passphrase(place, source, data_key, key_id, turn, passphrase)
    staged = place / STAGED
    vault = source.find_keyring() if source.keyring_allowed else None
    if vault:
        owner_key = source.entropy(KEY_BYTES)
        made = wrap(
            data_key, owner_key, source.entropy(NONCE_BYTES), key_id=key_id, turn=turn, home="keyring", kdf=None
        )
        durable.stage(staged, made.told())
        with suppress(DbUnavailable):  # a keyring that does not keep it is as good as none
            InKeyring(vault, LOOKED_FOR_S).keep(made.slot, owner_key)
            durable.commit(staged, place / KEY_FILE)
            return made
    owner_key = source.entropy(KEY_BYTES)
    made = wrap(data_key, owner_key, source.entropy(NONCE_BYTES), key_id=key_id, turn=turn, home="file", kdf=None)
    durable.stage(staged, made.told())
    InFile(source.key_dir).keep(made.slot, owner_key)
    durable.commit(staged, place / KEY_FILE)
    return made


def swept(place: Path, source: Source, found: Wrapped) -> None:
    """Takes away what a rotation left that was cut off: the new key before its moment, the old one after it."""
    if (place / STAGED).exists():
        _discard(place / STAGED, source, in_use=found.slot)
    if found.turn > 0:
        InFile(source.key_dir).drop(slot(found.key_id, found.turn - 1))


def retired(source: Source, old: Wrapped) -> None:
    """Takes away an owner's key that opens nothing any more. A keyring that does not answer keeps it."""
    if old.home != "passphrase":
        with suppress(DbUnavailable):
            _home(old, source).drop(old.slot)


def abandoned(place: Path, source: Source) -> None:
    """Takes away the owner's key of a data directory that was never finished, and what names it."""
    for name in (STAGED, KEY_FILE):
        _discard(place / name, source)


def normal(passphrase: str) -> str:
    """The passphrase as one keyboard and another would both spell it."""
    return unicodedata.normalize("NFC", passphrase)


def _sealed_by_passphrase(
    place: Path, source: Source, data_key: bytes, key_id: str, turn: int, passphrase: str
) -> Wrapped:
    if not passphrase.strip():
        raise BadArguments("The passphrase is blank.", argument="passphrase")
    kdf = Kdf(salt=source.entropy(SALT_BYTES).hex())
    owner_key, nonce = kdf.key(normal(passphrase)), source.entropy(NONCE_BYTES)
    made = wrap(data_key, owner_key, nonce, key_id=key_id, turn=turn, home="passphrase", kdf=kdf)
    durable.write(place / KEY_FILE, made.told())
    return made


def _discard(staged: Path, source: Source, in_use: str | None = None) -> None:
    with suppress(FileNotFoundError, ValueError, DbUnavailable):
        found = parsed(staged.read_bytes())
        if found.home != "passphrase" and found.slot != in_use:
            _home(found, source).drop(found.slot)
    durable.remove(staged)


def _home(found: Wrapped, source: Source) -> KeyHome:
    match found.home:
        case "file":
            return InFile(source.key_dir)
        case "keyring":
            if not source.keyring_allowed:
                raise refused("keyring_forbidden", "The owner key is in the keyring, which SOPHIA_KEYRING=off forbids.")
            vault = source.find_keyring()
            if vault is None:
                raise refused("keyring_missing", "The owner key is in the keyring, and there is none here to ask.")
            return InKeyring(vault, WAITED_FOR_S)
        case "passphrase":
            raise refused("passphrase_needed", "The owner key is a passphrase, which is kept nowhere.")
        case other:
            assert_never(other)
