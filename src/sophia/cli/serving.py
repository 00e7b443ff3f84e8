"""The command that serves: the daemon, in the foreground."""

import json
import sys
from typing import Any

import click

from sophia import daemon
from sophia.cli.environment import settings_of


@click.command()
@click.option("--port", type=int, help="The port to listen on; 0 takes a free one.")
@click.option("--host", help="A loopback address to listen on.")
def serve(port: int | None, host: str | None) -> None:
    """Serve in the foreground until SIGTERM. Prints one JSON line when it is ready."""
    given: dict[str, Any] = {"port": port, "host": host}
    settings = settings_of().overridden(**{name: value for name, value in given.items() if value is not None})
    sys.exit(daemon.serve(settings, ready=_ready))


def _ready(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()
