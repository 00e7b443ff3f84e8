"""The command that gives one process a connection of its own, for as long as it runs: run."""

import json
import os
import shutil
import signal
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import click

from sophia.broker import protocol
from sophia.cli import client as lines
from sophia.cli.client import Client, Silent
from sophia.cli.clients import project_of
from sophia.cli.connections import scope_of
from sophia.cli.environment import settings_of
from sophia.cli.failed import Failed
from sophia.cli.merging import NAME
from sophia.cli.running import Run, run_of
from sophia.core.errors import BadArguments
from sophia.core.names import free_name
from sophia.settings import Settings

VARIABLE = "SOPHIA_RUN_TOKEN"
PROGRAMS = {"claude-code": "claude", "codex": "codex"}
MINUTES = 7 * 24 * 60
"""How long such a connection lives at most: it ends with its process, and this is for when nothing could end it."""
_FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_HEARD_BY_BOTH = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
"""What a terminal sends to the client as well, which decides by itself what it means."""


@click.command(name="run", context_settings={"ignore_unknown_options": True})
@click.argument("client", type=click.Choice([*PROGRAMS]))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@click.option("--profile", default="assistant", show_default=True, help="observer, assistant or full.")
@click.option("--scope", default="all", show_default=True, help="all, or entities between commas.")
def run(client: str, args: tuple[str, ...], profile: str, scope: str) -> None:
    """Run CLIENT with a connection for this one process; behind `--`, ARGS are the client's own.

    Two windows are two parties. The connection ends when the process does.
    """
    program = shutil.which(PROGRAMS[client])
    if program is None:
        raise Failed({"code": "not_found", "message": f"There is no `{PROGRAMS[client]}` on your PATH."})
    here, settings = run_of(), settings_of()
    window = Window()
    window.listen()
    if (sock := lines.connected(settings.data_dir)) is None:
        message = "Sophia does not run, so there is nothing to connect to."
        raise Failed({"code": "unavailable", "message": message, "hint": "Start it with `sophia up`."})
    sock.close()
    minted = _minted(here, _name(client), profile, scope)
    holding = None
    try:
        holding = _held(settings, minted["connection_id"])
        code = window.ran([program, *_options(client, minted["mcp_url"]), *args], minted["bearer_token"])
    finally:
        _revoked(here, minted)
        if holding is not None:
            holding.close()
    click.get_current_context().exit(code)


def _name(client: str) -> str:
    """What the connection is called: windows are told apart by their process."""
    project = project_of(Path.cwd())
    try:
        return free_name(f"{client} in {project.name} {os.getpid()}")
    except BadArguments:
        return f"{client} {os.getpid()}"


def _minted(here: Run, name: str, profile: str, scope: str) -> dict[str, Any]:
    with here.client() as asking:
        minted: dict[str, Any] = asking.ask(
            "mint", name=name, profile=profile, write_approval_mode="per_call", entity_scope=scope_of(scope),
            can_delegate=False, can_post=False, ttl_minutes=MINUTES, surface="core", name_style="underscore",
            siblings_may_review=False,
        )  # fmt: skip
        try:
            asking.ask("delivered", connection_id=minted["connection_id"])
        except BaseException:
            asking.ask("revoke", connection_id=minted["connection_id"], reason="`sophia run` did not begin")
            raise
    return minted


def _held(settings: Settings, connection_id: str) -> socket.socket | None:
    """The line by which the daemon knows that this process is there: when it breaks, the connection ends."""
    sock = lines.connected(settings.data_dir)
    if sock is not None:
        request = {"command": "hold", "arguments": {"connection_id": connection_id}}
        sock.sendall(protocol.framed(request))
    return sock


def _revoked(here: Run, minted: dict[str, Any]) -> None:
    """End the connection; where the daemon is gone, it ends by its time."""
    sock = lines.connected(settings_of().data_dir)
    try:
        if sock is None:
            raise Silent
        with sock:
            asking = Client(lines.SocketLine(sock), _unheard, _unasked)
            asking.ask("revoke", connection_id=minted["connection_id"], reason="`sophia run` ended")
    except Silent:
        here.screen.note(f"Sophia is gone: this window's connection ends at {minted['expires_at']}.")
    except Failed:
        pass  # it was revoked before


def _unheard(_step: dict[str, Any]) -> None:
    """Nothing is shown while it ends."""


def _unasked() -> None:
    """To end a connection, nobody is asked."""


def _options(client: str, url: str) -> list[str]:
    """What tells the client of this one server, beside those that it knows. The bearer is in none of it."""
    if client == "codex":
        own = {"url": url, "bearer_token_env_var": VARIABLE}
        return [word for key, value in own.items() for word in ("-c", f"mcp_servers.{NAME}.{key}={json.dumps(value)}")]
    headers = {"Authorization": f"Bearer ${{{VARIABLE}}}"}
    config = {"mcpServers": {NAME: {"type": "http", "url": url, "headers": headers}}}
    # As one word: behind a blank, the client would take the words that follow for more such files.
    return [f"--mcp-config={json.dumps(config, separators=(',', ':'))}"]


@dataclass
class Window:
    """One process at this terminal, which hears what we hear, and ends as it likes."""

    child: "subprocess.Popen[bytes] | None" = None

    def listen(self) -> None:
        """From here on, nothing ends this process before it has cleaned up."""
        for number in _FORWARDED:
            signal.signal(number, self._forward)
        for number in _HEARD_BY_BOTH:
            signal.signal(number, self._heard)

    def _forward(self, number: int, _frame: FrameType | None) -> None:
        if self.child is None:
            raise SystemExit(128 + number)
        self.child.send_signal(number)

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        if self.child is None and number != signal.SIGTSTP:
            raise SystemExit(128 + number)

    def ran(self, words: list[str], bearer: str) -> int:
        """The exit code of the process, as a shell would tell it."""
        self.child = subprocess.Popen(words, env={**os.environ, VARIABLE: bearer})
        while True:
            _, status = os.waitpid(self.child.pid, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                # A client that puts itself aside takes us along: the shell waits for us.
                os.kill(os.getpid(), signal.SIGSTOP)
                self.child.send_signal(signal.SIGCONT)
                continue
            code = os.waitstatus_to_exitcode(status)
            self.child.returncode = code
            return code if code >= 0 else 128 - code
