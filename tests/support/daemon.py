"""A daemon as it is really run: its own process, in directories of its own, stopped by its own number."""

import hashlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from sophia.cli.main import main

SOPHIA = [sys.executable, "-c", "from sophia.cli.main import main; main()"]
"""The command, under the interpreter that runs the tests: as in `.venv/bin/sophia`."""


def prints(files: Iterable[Path]) -> list[tuple[str, str, int]]:
    """Of each file its name, the digest of its bytes, and when it was changed: what is compared with a later look."""
    return [(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files]


@dataclass(frozen=True)
class Said:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it answered under --json."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error that it told under --json, with the exit code that says so."""
        assert self.code == 1, self
        error: dict[str, Any] = self.json["error"]
        return error


@dataclass(frozen=True)
class Place:
    """A data directory and the environment in which commands mean it."""

    root: Path
    environ: dict[str, str]

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.root / "data"

    @property
    def keys(self) -> Path:
        """The key directory."""
        return self.root / "keys"

    def command(self, *words: str) -> list[str]:
        """The words that run a command."""
        return [*SOPHIA, *words]

    def sophia(self, *words: str, **environ: str) -> Said:
        """Run a command to its end."""
        told = subprocess.run(
            self.command(*words), env=self.environ | environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, check=False, start_new_session=True,
        )  # fmt: skip
        return Said(told.returncode, told.stdout, told.stderr)

    def ask(self, *words: str, **environ: str) -> Any:
        """What a command answers under --json, which must be no error."""
        said = self.sophia(*words, "--json", **environ)
        assert said.code == 0, said
        return said.json


@dataclass(frozen=True)
class Daemon(Place):
    """A running daemon."""

    process: "subprocess.Popen[str]"
    ready: dict[str, Any]
    ready_after_s: float

    def sophia(self, *words: str, **environ: str) -> Said:
        """Run a command to its end: in this process, which is quicker and the same, as the daemon does the work."""
        if environ or words[0] == "serve":
            return Place.sophia(self, *words, **environ)
        told = CliRunner(env=self.environ).invoke(main, list(words))
        if told.exception and not isinstance(told.exception, SystemExit):
            raise told.exception
        return Said(told.exit_code, told.stdout, told.stderr)

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    @property
    def mcp(self) -> str:
        """Where agents reach it."""
        return str(self.ready["mcp"])

    def stopped(self, number: int = signal.SIGTERM, within_s: float = 20.0) -> Said:
        """What it came to, after the signal."""
        self.process.send_signal(number)
        return self.ended(within_s)

    def ended(self, within_s: float = 20.0) -> Said:
        """What it came to, by itself."""
        out, err = self.process.communicate(timeout=within_s)
        return Said(self.process.returncode, out, err)


@contextmanager
def place(root: Path | None = None, **environ: str) -> Generator[Place]:
    """Directories for a state that is not there yet. Sockets need short paths, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="sophia-") as made:
        at = root or Path(made)
        named = {"SOPHIA_DATA_DIR": str(at / "data"), "SOPHIA_KEY_DIR": str(at / "keys"), "SOPHIA_PORT": "0"}
        quiet = {"SOPHIA_PRESENCE": "unattended", "SOPHIA_KEYRING": "off", "SOPHIA_APPROVAL_WAIT_S": "0"}
        quiet["SOPHIA_EMBEDDINGS"] = "none"  # a model takes a second of both cores: whoever tests it asks for it
        yield Place(at, {**os.environ, **named, **quiet, **environ})


@contextmanager
def running(
    at: Place | None = None, *options: str, umask: int = -1, said: str = "", **environ: str
) -> Generator[Daemon]:
    """A daemon that is ready, in a place of its own unless one is given."""
    if at is None:
        with place(None, **environ) as made, running(made, *options, umask=umask, said=said) as daemon:
            yield daemon
        return
    begun = time.monotonic()
    process = subprocess.Popen(
        [*SOPHIA, "serve", *(options or ("--port", "0"))], env=at.environ | environ, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, umask=umask,
    )  # fmt: skip
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as given:
        given.write(said)
    process.stdin = None
    try:
        line = _first_line(process)
        yield Daemon(at.root, at.environ, process, json.loads(line), time.monotonic() - begun)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
        process.communicate()


def _first_line(process: "subprocess.Popen[str]", within_s: float = 20.0) -> str:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        assert selector.select(within_s), "the daemon did not become ready in time"
    line = process.stdout.readline()
    assert line, process.communicate(timeout=10)
    return line
