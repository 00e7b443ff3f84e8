"""The place where it is measured: folders, interpreters, servers that run for a while, and the client."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import wire
from benchmarks.ground import plain

ROOT = Path(__file__).parents[1]
OWN = Path(sys.executable)
PEERS = ROOT / "build" / "peers" / "bin" / "python"


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    name: str
    port: int
    pid: int
    token: str

    def calls(self, tool: str, arguments: list[dict[str, Any]]) -> list[str]:
        """The requests for these calls."""
        return [wire.called(self.port, self.token, tool, each).decode() for each in arguments]

    def lists(self) -> list[str]:
        """The request for the list of tools."""
        return [wire.listed(self.port, self.token).decode()]


@dataclass(frozen=True)
class Bench:
    """Where everything is, and for how many rounds it is measured."""

    place: Path
    rounds: int
    say: Callable[[str], None]

    @classmethod
    def made(cls, rounds: int, say: Callable[[str], None]) -> "Bench":
        """A bench with its data: Sophia's own directory, and the same rows in an ordinary SQLite file."""
        place = ROOT / "build" / "bench"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        say("filling the state")
        subprocess.run(command(OWN, "house", "prepare", str(place)), check=True, env=environ())
        plain(place / "plain.db")
        return cls(place, rounds, say)

    @contextmanager
    def server(self, name: str, python: Path = OWN) -> Iterator[Server]:
        """One of the servers that are measured against, for the block."""
        with running(command(python, name, str(self.place / "plain.db"), str(self.place / "tools.json"))) as told:
            yield Server(name, told["port"], told["pid"], told["token"])

    @contextmanager
    def sophia(self) -> Iterator[dict[str, Server]]:
        """Sophia, for the block: as a connection that sees everything, and as one that is scoped to a list."""
        bearers = json.loads((self.place / "bearers.json").read_text())
        with running(command(OWN, "house", "serve", str(self.place))) as told:
            yield {scope: Server("sophia", told["port"], told["pid"], token) for scope, token in bearers.items()}

    @contextmanager
    def client(self) -> Iterator["Client"]:
        """A client in its own process, for the block."""
        arguments = [str(OWN), "-m", "benchmarks.client"]
        with subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environ()
        ) as process:
            yield Client(process)
            assert process.stdin is not None
            process.stdin.close()


@dataclass(frozen=True)
class Client:
    """Makes requests, and tells what they cost the server."""

    process: subprocess.Popen[str]

    def run(self, server: Server, requests: list[str], *, clients: int, calls: int) -> dict[str, Any]:
        """`cpu_us` for each call, `times_us` of every one, `bytes` of an answer."""
        order = {
            "port": server.port, "pid": server.pid, "requests": requests, "clients": clients, "calls": calls,
            "expect": 'facts_of"' if "tools/list" in requests[0] else '"isError":false',
        }  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


@contextmanager
def running(arguments: list[str]) -> Iterator[dict[str, Any]]:
    """A process, for the block, and the line that it prints when it is ready."""
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environ()) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)


def command(python: Path, server: str, *arguments: str) -> list[str]:
    """How one of the programs of `serving` is started."""
    return [str(python), "-m", f"benchmarks.serving.{server}", *arguments]


def environ() -> dict[str, str]:
    """The environment of every process here. Each keeps its bytecode, as an installation does."""
    told = {**os.environ, "PYTHONPATH": str(ROOT)}
    told.pop("PYTHONDONTWRITEBYTECODE", None)
    return told
