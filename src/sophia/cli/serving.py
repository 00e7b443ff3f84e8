"""Commands over the daemon's life: serve, stop, service, completion."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from sophia import daemon
from sophia.cli import client, service as units
from sophia.cli.environment import settings_of
from sophia.cli.failed import Failed
from sophia.cli.running import run_of, with_json
from sophia.core.refusals import OwnerLive

STOPS_WITHIN_S = 20.0
SHELLS = ("bash", "zsh", "fish")


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


@click.command()
@with_json
def stop() -> None:
    """Stop the daemon, and wait until it has ended."""
    run = run_of()
    settings = settings_of()
    pid = None
    if settings.data_dir.exists():
        try:
            client.owner_refusal(settings)
        except OwnerLive as live:
            pid = live.details.get("pid")
            if pid is None:
                raise
    if pid is None:
        told: dict[str, Any] = {"stopped": False, "message": "Sophia was not running."}
    else:
        _ended(int(pid))
        told = {"stopped": True, "pid": pid, "message": f"Stopped process {pid}."}
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.line(told["message"])


def _ended(pid: int) -> None:
    """Return when the process has ended; `Failed` where it does not within its time to drain."""
    try:
        os.kill(pid, signal.SIGTERM)
        until = time.monotonic() + STOPS_WITHIN_S
        while time.monotonic() < until:
            os.kill(pid, 0)
            if _is_zombie(pid):
                return
            time.sleep(0.02)
    except ProcessLookupError:
        return
    raise Failed(
        {
            "code": "unavailable",
            "message": f"Process {pid} has not ended in {STOPS_WITHIN_S:g} seconds.",
            "hint": f"If it is stopped, continue it with `kill -CONT {pid}`.",
        }
    )


def _is_zombie(pid: int) -> bool:
    """Whether the process has ended and only waits for whoever started it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return False


@click.group()
def service() -> None:
    """Have your system's supervisor run Sophia."""


@service.command(name="show")
@click.option("--kind", type=click.Choice(["systemd", "launchd"]), default=units.kind, show_default=True)
def service_show(kind: str) -> None:
    """Print the unit file."""
    click.echo(units.text(kind, settings_of()), nl=False)


@service.command(name="install")
@with_json
def service_install() -> None:
    """Write the unit file to where your supervisor looks for it."""
    run = run_of()
    path, then = units.install(settings_of())
    told = {"written": str(path), "then": then}
    if run.screen.json:
        run.screen.value(told)
    else:
        run.screen.pairs(told)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion of SHELL; `sophia completion bash >> ~/.bashrc` and its like keep it."""
    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    if kind is not None:
        click.echo(kind(root, {}, "sophia", "_SOPHIA_COMPLETE").source())
