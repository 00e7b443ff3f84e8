"""The owner's commands that put the data under another key: a passphrase, or a fresh one of the same kind."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sophia.core.errors import NotPermitted
from sophia.core.refusals import DbUnavailable
from sophia.owner.office import OWNER, Office
from sophia.owner.presence import Confirmation
from sophia.store.keys import home_of, rewrap, set_passphrase

Secret = Annotated[str, Meta(max_length=10_000)]


class Changing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The passphrase from now on, and the one until now, where there is one."""

    new: Secret
    current: Secret | None = None


def change(office: Office, changing: Changing) -> dict[str, Any]:
    """The data opens with the new passphrase from now on, and with nothing else."""
    try:
        set_passphrase(
            office.ownership,
            office.settings.key_dir,
            office.settings.keyring,
            changing.new,
            lambda: changing.current or "",
        )
    except DbUnavailable:
        raise NotPermitted("The current passphrase is not that one.", argument="current") from None
    with office.parts.databases.ops.writing() as tx:
        tx.log("passphrase_set", OWNER)
    return {"set": True, "presence": office.presence, "presence_from_next_start": "passphrase"}


def confirmed(office: Office, _changing: Changing) -> Confirmation:
    """What a new passphrase confirms."""
    told = "another passphrase" if home_of(office.ownership) == "passphrase" else "a passphrase, in place of the key"
    return Confirmation(f"Put the data of {office.ownership.directory} under {told}.", "passphrase")


class Rekeying(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The passphrase, where the data is under one."""

    current: Secret | None = None


def rekey(office: Office, rekeying: Rekeying) -> dict[str, Any]:
    """The data is under a fresh key of the same kind: one in the same place, or one made anew of the passphrase.

    The old one opens it until the new one does. The databases are not touched, and go on as they are.
    """
    under = home_of(office.ownership) == "passphrase"
    try:
        home = rewrap(
            office.ownership,
            office.settings.key_dir,
            office.settings.keyring,
            lambda: rekeying.current or "",
            new_passphrase=rekeying.current if under else None,
        )
    except DbUnavailable:
        raise NotPermitted("The current passphrase is not that one.", argument="current") from None
    with office.parts.databases.ops.writing() as tx:
        tx.log("rekeyed", OWNER, home)
    return {"key_home": home, "warning": "Backups made before open with the key of before, if at all: make a new one."}


def rekey_confirmed(office: Office, _rekeying: Rekeying) -> Confirmation:
    """What a fresh key confirms."""
    return Confirmation(f"Put the data of {office.ownership.directory} under a fresh key.", "rekey")
