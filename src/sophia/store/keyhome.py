"""Where the owner's key lives: in the keyring of the operating system, or in a file that nobody else can read."""

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol, TypeVar

from sophia.core.refusals import DbUnavailable
from sophia.store import durable
from sophia.store.wrapping import KEY_BYTES

T = TypeVar("T")
SERVICE = "sophia"


class KeyHome(Protocol):
    """A place that keeps keys by name."""

    def keep(self, slot: str, key: bytes) -> None:
        """Returns when the key would survive a power loss."""

    def fetch(self, slot: str, *, exposed: bool = False) -> bytes:
        """The key; `DbUnavailable` where it is missing, damaged, or was open to others (unless `exposed`)."""

    def drop(self, slot: str) -> None:
        """Forgets the key, if it is there."""


class Vault(Protocol):
    """What Sophia asks of an operating system's keyring."""

    def get_password(self, service: str, username: str, /) -> str | None:
        """The secret kept for `username`, if there is one."""

    def set_password(self, service: str, username: str, password: str, /) -> None:
        """Keeps a secret."""

    def delete_password(self, service: str, username: str, /) -> None:
        """Forgets a secret."""


def os_keyring() -> Vault | None:
    """The operating system's keyring, or `None` where there is none that keeps secrets safe."""
    import keyring  # noqa: PLC0415  (a quarter of a second that only who allows a keyring should pay)

    try:
        found = keyring.get_keyring()
        return found if found.priority >= 1 else None
    except Exception:  # noqa: BLE001  (a backend that is broken, in whatever way, is none)
        return None


@dataclass(frozen=True)
class InFile:
    """Keys as files of mode 0600."""

    folder: Path

    def path(self, slot: str) -> Path:
        """Where a key is kept."""
        return self.folder / f"{slot}.key"

    def keep(self, slot: str, key: bytes) -> None:
        """Returns when the key would survive a power loss."""
        durable.write(self.path(slot), key.hex().encode() + b"\n")

    def fetch(self, slot: str, *, exposed: bool = False) -> bytes:
        """The key; `DbUnavailable` where it is missing, damaged, or was open to others (unless `exposed`)."""
        path = self.path(slot)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            raise refused(
                "key_missing", f"The owner key {path} is missing; put it back from where you keep a copy."
            ) from None
        except OSError as error:
            raise refused("key_unreadable", f"The owner key {path} cannot be read: {error.strerror}.") from None
        with os.fdopen(fd, "rb") as file:
            _check(path, os.fstat(fd), exposed=exposed)
            return _key(file.read(4 * KEY_BYTES), f"The owner key {path}")

    def drop(self, slot: str) -> None:
        """Forgets the key, if it is there."""
        durable.remove(self.path(slot))


@dataclass(frozen=True)
class InKeyring:
    """Keys in a keyring, which may be locked, ask a person, or never answer."""

    vault: Vault
    patience_s: float

    def keep(self, slot: str, key: bytes) -> None:
        """Returns when the keyring gives the key back."""
        self._asked(lambda: self.vault.set_password(SERVICE, slot, key.hex()))
        if self.fetch(slot) != key:
            raise refused("keyring_silent", "The keyring does not give back what it was given.")

    def fetch(self, slot: str, *, exposed: bool = False) -> bytes:  # noqa: ARG002  (a keyring has no file modes)
        """The key kept as `slot`; `DbUnavailable` where the keyring has none or does not answer."""
        found = self._asked(lambda: self.vault.get_password(SERVICE, slot))
        if found is None:
            raise refused(
                "key_missing", f"The keyring holds no secret {SERVICE}/{slot}; unlock the keyring that it was put in."
            )
        return _key(found.encode(), "The owner key in the keyring")

    def drop(self, slot: str) -> None:
        """Forgets the key, if it is there."""
        if self._asked(lambda: self.vault.get_password(SERVICE, slot)) is not None:
            self._asked(lambda: self.vault.delete_password(SERVICE, slot))

    def _asked(self, question: Callable[[], T]) -> T:
        """The keyring's answer. It is asked in a thread of its own: a locked one can wait for a person for ever."""
        answers: SimpleQueue[T | Exception] = SimpleQueue()

        def ask() -> None:
            try:
                answers.put(question())
            except Exception as error:  # noqa: BLE001  (backends raise whatever their bus or vendor does)
                answers.put(error)

        Thread(target=ask, name="keyring", daemon=True).start()
        try:
            answer = answers.get(timeout=self.patience_s)
        except Empty:
            raise refused(
                "keyring_silent", f"The keyring did not answer in {self.patience_s:g} s; unlock it and start again."
            ) from None
        if isinstance(answer, Exception):
            raise refused(
                "keyring_silent", f"The keyring failed ({type(answer).__name__}); unlock it and start again."
            ) from None
        return answer


def refused(reason: str, message: str) -> DbUnavailable:
    """A refusal that says, for scripts too, what is wrong with the key."""
    return DbUnavailable(message, reason=reason)


def _check(path: Path, found: os.stat_result, *, exposed: bool) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        raise refused("key_unreadable", f"The owner key {path} is not an ordinary file of this user.")
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO) and not exposed:
        raise refused(
            "key_exposed",
            f"The owner key {path} could be read by others (mode {stat.S_IMODE(found.st_mode):04o}). Take that away "
            "(`chmod 600` on it) and start again; if somebody may have read it, then put a passphrase in its place "
            "(`sophia passphrase`).",
        )


def _key(text: bytes, what: str) -> bytes:
    try:
        key = bytes.fromhex(text.decode().strip())
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise refused("key_damaged", f"{what} is damaged; put it back from where you keep a copy.")
    return key
