"""The `sophia` command."""

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

import click

from sophia.cli.running import Sophia
from sophia.version import VERSION

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "up": "up:up",
        "serve": "serving:serve",
        "status": "health:status",
        "stop": "stopping:stop",
        "passphrase": "passphrase:passphrase",
        "rekey": "passphrase:rekey",
        "connect": "connect:connect",
        "disconnect": "connect:disconnect",
        "run": "windows:run",
        "mint": "connections:mint",
        "connections": "connections:connections",
        "revoke": "connections:revoke",
        "rename": "connections:rename",
        "scope": "connections:scope",
        "rotate": "connections:rotate",
        "grant": "connections:grant",
        "approvals": "approvals:approvals",
        "approve": "approvals:approve",
        "deny": "approvals:deny",
        "allow": "approvals:allow",
        "import": "content:import_",
        "folders": "content:folders",
        "secrets": "secrets:secrets",
        "search": "content:search",
        "show": "content:show",
        "entities": "content:entities",
        "timeline": "past:timeline",
        "revert": "past:revert",
        "undo": "past:undo",
        "forget": "forgetting:forget",
        "forgotten": "forgetting:forgotten",
        "trail": "content:trail",
        "call": "content:call",
        "doctor": "health:doctor",
        "verify": "health:verify",
        "backup": "backups:backup",
        "restore": "backups:restore",
        "export": "exporting:export",
        "import-export": "exporting:import_export",
        "service": "service:service",
        "completion": "completion:completion",
    }
)
"""Every command by its name, with the module of this package that holds it, in the order in which they are listed."""


class Commands(Sophia):
    """The group that loads a command when it is run: most of them need little of what there is."""

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002 (click hands it over)
        """The names of all commands."""
        return [*COMMANDS]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:  # noqa: ARG002 (the same)
        """The command of this name, or `None`."""
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].partition(":")
        return cast("click.Command", getattr(importlib.import_module(f"sophia.cli.{module}"), attribute))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="sophia")
def main() -> None:
    """One local place that your agents share: what is true, the sentence it stands on, and what you allowed each."""
