"""The command that stops the daemon, and waits until it has ended."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import click

from sophia.cli import client
from sophia.cli.environment import settings_of
from sophia.cli.failed import Failed
from sophia.cli.running import run_of, with_json
from sophia.core.refusals import OwnerLive

STOPS_WITHIN_S = 20.0


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
