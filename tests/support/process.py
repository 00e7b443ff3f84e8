"""The daemon as a process of its own, on a directory of its own, and the plainest client for it."""

import contextlib
import http.client
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sophia.opening import opened
from sophia.settings import Settings
from tests.support.terms import FULL
from tests.support.wire import META

PROGRAM = """
import json, os, sys
from sophia.core.refusals import Refusal, line
from sophia.daemon import serve
from sophia.settings import Settings
settings = Settings.from_environ(os.environ, None).overridden(port="0")
try:
    code = serve(settings, ready=lambda told: print(json.dumps(told), flush=True))
except Refusal as refusal:
    print(line(refusal), file=sys.stderr)
    code = refusal.exit_code
sys.exit(code)
"""


@dataclass
class Process:
    """A daemon that was started, whether it runs or not."""

    child: "subprocess.Popen[str]"
    port: int = 0
    pid: int = 0
    token: str = ""
    _kept: list[http.client.HTTPConnection] = field(default_factory=list)

    def call(self, tool: str, *, timeout: float = 20, **arguments: Any) -> dict[str, Any]:
        """The structured answer of one call; `OSError` or `HTTPException` where the daemon is gone."""
        if not self._kept:
            self._kept.append(http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout))
        asked = {"_meta": META, "name": f"sophia.{tool}", "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked})
        headers = {"Authorization": f"Bearer {self.token}", "MCP-Protocol-Version": "2026-07-28",
                   "Mcp-Method": "tools/call", "Mcp-Name": f"sophia.{tool}"}  # fmt: skip
        try:
            self._kept[0].request("POST", "/mcp", body, headers)
            answer = self._kept[0].getresponse()
            told = json.loads(answer.read())
        except BaseException:
            self.hang_up()
            raise
        if answer.status != 200:
            return {"status": answer.status}
        result: dict[str, Any] = told["result"]["structuredContent"]
        return result

    def hang_up(self) -> None:
        for connection in self._kept:
            connection.close()
        self._kept.clear()

    def another(self) -> "Process":
        """The same daemon for another client."""
        return Process(self.child, self.port, self.pid, self.token)

    def status(self, path: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        with contextlib.closing(connection):
            connection.request("GET", path)
            return connection.getresponse().status

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def ended(self, within_s: float = 30) -> int:
        """Its exit code, once it has ended."""
        code = self.child.wait(within_s)
        self.hang_up()
        return code

    def errors(self) -> str:
        assert self.child.stderr
        return self.child.stderr.read()


def environment(place: Path, **more: str) -> dict[str, str]:
    """What a daemon on this directory is started with."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SOPHIA_")}
    return kept | {
        "SOPHIA_DATA_DIR": str(place / "data"), "SOPHIA_KEY_DIR": str(place / "keys"), "SOPHIA_KEYRING": "off",
        "SOPHIA_PRESENCE": "unattended", "SOPHIA_APPROVAL_WAIT_S": "0", "SOPHIA_EMBEDDINGS": "none",
    } | more  # fmt: skip


def start(place: Path, token: str = "", before: tuple[str, ...] = (), program: str = PROGRAM, **more: str) -> Process:
    """A daemon whose ready line was read, or that ended before it said one."""
    pipe = subprocess.PIPE
    child = subprocess.Popen(
        [*before, sys.executable, "-c", program], stdout=pipe, stderr=pipe, text=True, env=environment(place, **more)
    )
    assert child.stdout
    if not select.select([child.stdout], [], [], 60)[0]:
        child.kill()
        raise AssertionError("the daemon was not ready in a minute")
    line = child.stdout.readline()
    if not line:
        child.wait(20)
        return Process(child)
    told = json.loads(line)
    return Process(child, int(told["url"].rpartition(":")[2]), told["pid"], token)


def refused(place: Path, before: tuple[str, ...] = (), **more: str) -> tuple[int, str]:
    """The exit code and the words of a daemon that does not start."""
    done = subprocess.run(
        [*before, sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False,
        env=environment(place, **more),
    )  # fmt: skip
    assert not done.stdout
    return done.returncode, done.stderr


@contextmanager
def running(
    place: Path, token: str = "", before: tuple[str, ...] = (), program: str = PROGRAM, **more: str
) -> Iterator[Process]:
    """A daemon for the block, killed at its end if it still runs."""
    process = start(place, token, before, program, **more)
    try:
        assert process.port, process.errors()
        yield process
    finally:
        process.hang_up()
        process.child.kill()
        process.child.wait(20)
        for stream in (process.child.stdout, process.child.stderr):
            if stream:
                stream.close()


def settings(place: Path) -> Settings:
    return Settings(data_dir=place / "data", key_dir=place / "keys", keyring=False, embeddings="none")


def prepared(place: Path, *names: str) -> tuple[str, list[str]]:
    """A directory with these entities and a full connection in it: its bearer, and the entities' ids."""
    house = opened(settings(place))
    try:
        ids = []
        for name in names:
            answer = house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": name})
            ids.append(json.loads(answer.payload)["entity"]["entity_id"])
        return house.parts.mint.mint(FULL, "owner").bearer_token, ids
    finally:
        house.close()


def eventually(within_s: float = 15.0) -> Iterator[float]:
    """Ticks until the time is up, for a loop that breaks when it has seen what it waits for."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        yield end - time.monotonic()
        time.sleep(0.02)
    raise AssertionError(f"it did not happen in {within_s} s")
