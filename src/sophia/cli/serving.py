"""The command that serves: the daemon, in the foreground."""

import json
import sys
from typing import Any

import click

from sophia import daemon
from sophia.cli import owner_asked
from sophia.cli.environment import settings_of


@click.command()
@click.option("--port", type=int, help="The port to listen on; 0 takes a free one.")
@click.option("--host", help="A loopback address to listen on.")
@click.option("--passphrase-stdin", is_flag=True, help="Read the passphrase from standard input, as one line.")
def serve(port: int | None, host: str | None, passphrase_stdin: bool) -> None:
    """Serve in the foreground until SIGTERM. Prints one JSON line when it is ready."""
    given: dict[str, Any] = {"port": port, "host": host}
    settings = settings_of().overridden(**{name: value for name, value in given.items() if value is not None})
    ask = _from_stdin if passphrase_stdin else owner_asked.passphrase if owner_asked.is_there() else None
    sys.exit(daemon.serve(settings, ready=_ready, passphrase=ask))


def _from_stdin() -> str:
    return sys.stdin.readline().rstrip("\n")


def _ready(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
