"""The table of the owner's commands: the whole of what the command line can ask, here and nowhere else."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from sophia.core.errors import BadArguments
from sophia.owner import (
    approvals,
    backups,
    connections,
    exported,
    exporting,
    folders,
    forgetting,
    health,
    imports,
    passphrase,
    past,
    secrets,
    tools,
    trails,
    undoing,
)
from sophia.owner.command import Command, Nothing, parameters_sha256
from sophia.owner.grants import Grants
from sophia.owner.office import Office
from sophia.owner.presence import Confirmation

_UNGRANTED = frozenset({"grant", "passphrase", "rekey", "backup"})
"""A code is not made by a code, and no digest of a passphrase is kept."""


class Granting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """For what a code is good: one command with exactly these arguments."""

    command: str
    arguments: dict[str, Any]


def grant(office: Office, granting: Granting) -> dict[str, Any]:
    """The code, shown this once."""
    command, arguments = _granted(granting)
    grants = grants_of(office)
    issued = grants.issue(granting.command, parameters_sha256(granting.command, arguments))
    told = command.confirmed(office, arguments) if command.confirmed else None
    return {
        "code": issued.code,
        "expires_at": issued.expires_at,
        "command": granting.command,
        "for": told.sentence if told else granting.command,
    }


def grant_confirmed(office: Office, granting: Granting) -> Confirmation:
    """What a code confirms: the very act that it will stand for."""
    command, arguments = _granted(granting)
    told = command.confirmed(office, arguments) if command.confirmed else None
    if told is None:
        raise BadArguments(f"{granting.command} asks for nothing; it needs no code.", argument="command")
    return Confirmation(f"Make a code that is good once, for five minutes, for this: {told.sentence}", told.phrase)


def _granted(granting: Granting) -> tuple[Command[Any], msgspec.Struct]:
    command = COMMANDS.get(granting.command)
    if command is None or command.confirmed is None or granting.command in _UNGRANTED:
        raise BadArguments(
            f"There is no code for {granting.command[:80]!r}.",
            argument="command",
            valid=sorted(name for name, one in COMMANDS.items() if one.confirmed and name not in _UNGRANTED),
        )
    return command, command.read(granting.command, granting.arguments)


def grants_of(office: Office) -> Grants:
    """The one-time codes of this data directory."""
    return Grants(office.parts.databases.ops, office.parts.clock, office.parts.mint.entropy)


COMMANDS: Mapping[str, Command[Any]] = MappingProxyType(
    {
        "status": Command(Nothing, health.status),
        "doctor": Command(health.Asked, health.doctor),
        "verify": Command(health.Verifying, health.verify, health.verify_confirmed),
        "backup": Command(backups.Backup, backups.run, backups.confirmed),
        "export": Command(exporting.Export, exporting.run, exporting.confirmed),
        "import-export": Command(exporting.Export, exported.run, exported.confirmed),
        "mint": Command(connections.MintTerms, connections.mint, connections.mint_confirmed),
        "delivered": Command(connections.Which, connections.delivered),
        "connections": Command(connections.Listing, connections.listed),
        "revoke": Command(connections.Ending, connections.revoke),
        "rename": Command(connections.Naming, connections.rename),
        "scope": Command(connections.Scoping, connections.rescope, connections.rescope_confirmed),
        "rotate": Command(connections.Which, connections.rotate, connections.rotate_confirmed),
        "grant": Command(Granting, grant, grant_confirmed),
        "approvals": Command(approvals.Listing, approvals.listed),
        "approval": Command(approvals.Which, approvals.shown),
        "approve": Command(approvals.Which, approvals.approve, approvals.approve_confirmed),
        "deny": Command(approvals.Denial, approvals.deny, approvals.deny_confirmed),
        "allow": Command(approvals.Allowance, approvals.allow, approvals.allow_confirmed),
        "folders list": Command(Nothing, folders.listed),
        "folders grant": Command(folders.Which, folders.grant, folders.grant_confirmed),
        "folders revoke": Command(folders.Which, folders.revoke),
        "secrets list": Command(Nothing, secrets.listed),
        "secrets allow": Command(secrets.Which, secrets.allow, secrets.allow_confirmed),
        "secrets disallow": Command(secrets.Which, secrets.disallow),
        "forget plan": Command(forgetting.Which, forgetting.planned),
        "forget": Command(forgetting.Which, forgetting.forget, forgetting.forget_confirmed),
        "forgotten list": Command(Nothing, forgetting.listed),
        "forgotten allow": Command(forgetting.Tombstone, forgetting.allow, forgetting.allow_confirmed),
        "passphrase": Command(passphrase.Changing, passphrase.change, passphrase.confirmed),
        "rekey": Command(passphrase.Rekeying, passphrase.rekey, passphrase.rekey_confirmed),
        "import": Command(imports.Import, imports.run, imports.confirmed),
        "timeline": Command(past.Asked, past.timeline),
        "revert": Command(undoing.Reverting, undoing.revert, undoing.revert_confirmed),
        "undo": Command(undoing.Undoing, undoing.undo, undoing.undo_confirmed),
        "call": Command(tools.Call, tools.call, tools.call_confirmed),
        "search": Command(tools.Search, tools.search),
        "show": Command(tools.Which, tools.show),
        "trail": Command(trails.Asked, trails.listed),
    }
)
"""By name: its arguments, what it does, and what has to be confirmed before it gives power away."""
