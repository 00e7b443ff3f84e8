"""The keys of the two databases: derived from one random data key, which only the owner's key unwraps."""

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from argon2.exceptions import HashingError

from sophia.core.refusals import DatadirUntrusted
from sophia.store import keyfile
from sophia.store.directory import trusted
from sophia.store.keyfile import KEY_FILE, Source, normal
from sophia.store.keyhome import Vault, os_keyring, refused
from sophia.store.ownership import Ownership, proven
from sophia.store.wrapping import KEY_BYTES, Home, Wrapped, unwrap_with


@dataclass(frozen=True)
class Keys:
    """What opens the databases (64 hex characters each) and seals the chains: never shown."""

    state: str = field(repr=False)
    ops: str = field(repr=False)
    seal: bytes = field(repr=False)
    data: bytes = field(repr=False)
    """What the others are derived from, to be put under one more key for a backup."""
    key_id: str
    home: Home
    notices: tuple[str, ...] = ()


def unlock(
    ownership: Ownership,
    key_dir: Path,
    keyring_allowed: bool,
    passphrase: Callable[[], str] | None = None,
    *,
    find_keyring: Callable[[], Vault | None] = os_keyring,
    entropy: Callable[[int], bytes] = secrets.token_bytes,
) -> Keys:
    """The keys of an owned data directory, made on its first start; `DbUnavailable` where they cannot be had.

    `passphrase` asks the owner; it is called only where a passphrase wraps the data key.
    """
    place = proven(ownership).directory
    with _as_refusal():
        folder, notices = _prepared(key_dir)
        source = Source(folder, keyring_allowed, passphrase, find_keyring, entropy)
        found = keyfile.stored(place) or keyfile.resumed(place, source)
        if found is None:
            data_key = entropy(KEY_BYTES)
            found = keyfile.sealed(place, source, data_key, entropy(16).hex(), turn=0)
        else:
            data_key = keyfile.data_key(found, source, exposed=False)
            keyfile.swept(place, source, found)
    return derived(data_key, found, notices)


def derived(data_key: bytes, found: Wrapped, notices: tuple[str, ...] = ()) -> Keys:
    """The keys that come of a data key, which `found` wraps."""
    return Keys(
        state=_derived(data_key, "state").hex(),
        ops=_derived(data_key, "ops").hex(),
        seal=_derived(data_key, "seal"),
        data=data_key,
        key_id=found.key_id,
        home=found.home,
        notices=notices,
    )


def rewrap(
    ownership: Ownership,
    key_dir: Path,
    keyring_allowed: bool,
    passphrase: Callable[[], str] | None = None,
    *,
    new_passphrase: str | None = None,
    find_keyring: Callable[[], Vault | None] = os_keyring,
    entropy: Callable[[int], bytes] = secrets.token_bytes,
) -> Home:
    """Where the new owner's key lives: under `new_passphrase` if given, else in the keyring or a file.

    The old one opens the data directory until the new one does, and then no more. The databases are not touched.
    """
    place = proven(ownership).directory
    with _as_refusal():
        folder, _ = _prepared(key_dir)
        source = Source(folder, keyring_allowed, passphrase, find_keyring, entropy)
        old = keyfile.stored(place)
        if old is None:
            raise refused("key_missing", f"There is no {KEY_FILE} to put under a new key yet: start Sophia once.")
        # An exposed key may still be read here, because this is how it is replaced.
        data_key = keyfile.data_key(old, source, exposed=True)
        new = keyfile.sealed(place, source, data_key, old.key_id, turn=old.turn + 1, passphrase=new_passphrase)
        keyfile.retired(source, old)
        return new.home


def set_passphrase(
    ownership: Ownership,
    key_dir: Path,
    keyring_allowed: bool,
    new_passphrase: str,
    passphrase: Callable[[], str] | None = None,
) -> None:
    """From now on the data directory opens with `new_passphrase`; `BadArguments` for a blank one."""
    rewrap(ownership, key_dir, keyring_allowed, passphrase, new_passphrase=new_passphrase)


def home_of(ownership: Ownership) -> Home | None:
    """Where the owner's key lives; `None` before the first start."""
    with _as_refusal():
        found = keyfile.stored(proven(ownership).directory)
    return found.home if found else None


def passphrase_holds(ownership: Ownership, passphrase: str) -> bool:
    """Whether the data directory opens with this passphrase. Takes about a tenth of a second, on purpose."""
    with _as_refusal():
        found = keyfile.stored(proven(ownership).directory)
        return found is not None and unwrap_with(found, normal(passphrase)) is not None


def prepared(key_dir: Path) -> Path:
    """The key directory, made if need be; `DbUnavailable` where it cannot be trusted."""
    with _as_refusal():
        return _prepared(key_dir)[0]


def _prepared(key_dir: Path) -> tuple[Path, tuple[str, ...]]:
    try:
        place = trusted(key_dir, "key directory")
    except DatadirUntrusted as error:
        raise refused("key_dir_untrusted", error.message) from None
    os.close(place.fd)
    return place.path, place.notices


@contextmanager
def _as_refusal() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refused("key_unreadable", f"{error.filename or 'A key file'}: {error.strerror}.") from None
    except HashingError:
        message = "To check the passphrase takes more memory than there is: free some and try again."
        raise refused("passphrase_unchecked", message) from None


def _derived(data_key: bytes, label: str) -> bytes:
    return hmac.digest(data_key, f"sophia/{label}/1".encode(), hashlib.sha256)
