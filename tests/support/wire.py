"""A real server of the agent plane on a random loopback port, and the plainest clients for it."""

import asyncio
import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import uvloop

from sophia.agent.app import application
from sophia.agent.door import Extras
from sophia.agent.guard import loopback
from sophia.agent.http import Limits, serve
from tests.support.fixture_door import BEARER, FixtureDoor

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True)
class Heard:
    """One HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> Any:
        return self.json["error"]


@dataclass
class Wire:
    """A running server, and how to talk to it."""

    port: int
    door: FixtureDoor
    limits: Limits
    stop: Callable[[], None]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}/mcp"

    def connect(self, timeout: float = 10.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)

    def raw(self, sent: bytes, timeout: float = 10.0) -> bytes:
        """All that comes back for these bytes, until the server closes or an answer is whole."""
        with self.connect(timeout) as sock:
            with contextlib.suppress(ConnectionError):
                sock.sendall(sent)
            return read_answer(sock)

    def ask(
        self,
        method: str = "POST",
        path: str = "/mcp",
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        bearer: str | None = BEARER,
    ) -> Heard:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        told = {"Authorization": f"Bearer {bearer}"} if bearer is not None else {}
        try:
            connection.request(method, path, body, {**told, **(headers or {})})
            answer = connection.getresponse()
            return Heard(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def modern(self, method: str, params: dict[str, Any] | None = None, *, path: str = "/mcp", **more: Any) -> Heard:
        """One stateless request with everything that it needs."""
        asked = {"_meta": META, **(params or {})}
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
        if "name" in asked:
            headers["Mcp-Name"] = str(asked["name"])
        headers.update(more.pop("headers", {}))
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": asked}
        return self.ask(path=path, body=json.dumps(message).encode(), headers=headers, **more)

    def legacy(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> Heard:
        """One request of the legacy era, as a client sends it after its initialize."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, **({"params": params} if params is not None else {})}
        headers = {"MCP-Protocol-Version": "2025-11-25", **more.pop("headers", {})}
        return self.ask(body=json.dumps(message).encode(), headers=headers, **more)

    def call(self, name: str, arguments: dict[str, Any] | None = None, **more: Any) -> Heard:
        return self.modern("tools/call", {"name": name, "arguments": arguments or {}}, **more)


def read_answer(sock: socket.socket) -> bytes:
    """One response, read until it is whole, or until the server closes."""
    got = b""
    with contextlib.suppress(ConnectionError):
        while not _is_whole(got):
            part = sock.recv(65536)
            if not part:
                break
            got += part
    return got


def _is_whole(got: bytes) -> bool:
    head, found, body = got.partition(b"\r\n\r\n")
    if not found:
        return False
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(lengths) and len(body) >= int(lengths[0].partition(b":")[2])


def head_of(port: int, line: str = "POST /mcp HTTP/1.1", *more: str, bearer: str | None = BEARER) -> bytes:
    """The head of a raw request, up to and with the empty line."""
    lines = [line, f"Host: 127.0.0.1:{port}"]
    if bearer is not None:
        lines.append(f"Authorization: Bearer {bearer}")
    return "\r\n".join([*lines, *more, "", ""]).encode()


def eventually(holds: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Whether it holds before the time is up."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


@contextlib.contextmanager
def running(
    door: FixtureDoor | None = None,
    *,
    extras: Extras | None = None,
    limits: Limits | None = None,
    ready: Callable[[], bool] = lambda: True,
    send_buffer: int | None = None,
) -> Iterator[Wire]:
    """A server in a thread of its own, stopped at the end."""
    door, limits = door or FixtureDoor(), limits or Limits(stop_s=1)
    sock = socket.create_server(("127.0.0.1", 0))
    if send_buffer is not None:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_buffer)
    port = sock.getsockname()[1]
    up = threading.Event()
    held: dict[str, Any] = {}

    async def main() -> None:
        held["loop"], held["stopping"] = asyncio.get_running_loop(), asyncio.Event()
        app = application(door, loopback(port), extras=extras, ready=ready)
        await serve(app, sock, stopping=held["stopping"], started=up.set, limits=limits)

    def stop() -> None:
        with contextlib.suppress(RuntimeError):  # it was stopped before
            held["loop"].call_soon_threadsafe(held["stopping"].set)

    thread = threading.Thread(target=lambda: uvloop.run(main()), daemon=True)
    thread.start()
    assert up.wait(10), "the server did not start"
    try:
        yield Wire(port, door, limits, stop)
    finally:
        stop()
        thread.join(15)
        assert not thread.is_alive(), "the server did not stop"
