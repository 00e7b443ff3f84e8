"""Waiting for what agents ask: each request as it comes in, on the terminal and on the desktop."""

import html
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sophia.cli import client as lines
from sophia.cli.client import Client, Silent
from sophia.cli.environment import settings_of
from sophia.cli.failed import Failed
from sophia.cli.plain import plain
from sophia.cli.running import Run

WAIT_S = 50
_ENDED = {"code": "unavailable", "message": "The daemon ended.", "hint": "Start it with `sophia up`, and watch again."}
_NOBODY = {
    "code": "unavailable",
    "message": "Sophia does not run, so nothing can come in.",
    "hint": "Start it with `sophia up`.",
}


def watch(run: Run, show: Callable[[dict[str, Any]], None]) -> None:
    """Show each request that waits, and each that comes in, until interrupted; `Failed` where the daemon ends."""
    sock = lines.connected(settings_of().data_dir)
    if sock is None:
        raise Failed(_NOBODY)
    try:
        with sock:
            _watched(Client(lines.SocketLine(sock), _unheard, _unasked), show)
    except Silent:
        raise Failed(_ENDED) from None
    except KeyboardInterrupt:
        if not run.screen.json:
            run.screen.note("")


def _watched(asking: Client, show: Callable[[dict[str, Any]], None]) -> None:
    shown: set[str] = set()
    count = asking.ask("news", after=-1, seconds=0)["count"]
    while True:
        waiting = asking.ask("approvals", status="pending")
        for one in reversed(waiting):
            if one["approval_id"] not in shown:
                show(one)
                notify(one)
        shown = {one["approval_id"] for one in waiting}
        count = asking.ask("news", after=count, seconds=WAIT_S)["count"]


def notify(one: dict[str, Any]) -> None:
    """Say so on the desktop, where there is one. What agents named is shown as text, never as markup or options."""
    title = "Sophia: an agent asks"
    text = plain(f"{one['connection_name']} asks for {one['tool']}")[:200]
    words = _notifier(title, text)
    if words is not None:
        silent = subprocess.DEVNULL
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(words, stdin=silent, stdout=silent, stderr=silent, timeout=5, check=False)


def _notifier(title: str, text: str) -> list[str] | None:
    if sys.platform == "darwin":
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        return ["/usr/bin/osascript", "-e", script, title, text]
    program = shutil.which("notify-send")
    return None if program is None else [program, "--app-name=Sophia", "--", title, html.escape(text)]


def _unheard(_step: dict[str, Any]) -> None:
    """A list has no steps."""


def _unasked() -> None:
    """To look, nobody is asked."""
