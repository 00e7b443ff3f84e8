"""The `sophia` command."""

import click

from sophia.version import VERSION


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="sophia")
def main() -> None:
    """One local place where your agents share what is true, who is doing what, and what you allowed."""
