"""The `sophia` command."""

import click

from sophia.cli import approvals, connections, content, health, serving, up
from sophia.cli.running import Sophia
from sophia.version import VERSION


@click.group(cls=Sophia, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="sophia")
def main() -> None:
    """One local place where your agents share what is true, who is doing what, and what you allowed."""


for command in (
    up.up,
    serving.serve,
    health.status,
    serving.stop,
    connections.mint,
    connections.connections,
    connections.revoke,
    connections.rename,
    connections.scope,
    connections.rotate,
    connections.grant,
    approvals.approvals,
    approvals.approve,
    approvals.deny,
    approvals.allow,
    content.import_,
    content.folders,
    content.search,
    content.show,
    content.call,
    health.doctor,
    health.verify,
    serving.service,
    serving.completion,
):
    main.add_command(command)
