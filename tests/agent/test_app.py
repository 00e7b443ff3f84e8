"""Routes, bodies and clients that leave."""

import json
import socket
import time

import pytest

from sophia.agent.body import MAX_BODY
from sophia.agent.http import Limits
from tests.support.fixture_door import BEARER
from tests.support.wire import META, Wire, eventually, head_of, read_answer, running


@pytest.mark.guarantee("T24")
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_says_a_status_and_nothing_else(wire: Wire, path: str):
    for bearer in (None, BEARER, "wrong"):
        heard = wire.ask("GET", path, bearer=bearer)
        assert (heard.status, heard.json) == (200, {"status": "ok"})
        assert set(heard.headers) == {"content-type", "content-length", "cache-control", "x-content-type-options"}
    assert wire.ask("HEAD", path, bearer=None).body == b""
    assert wire.ask("POST", path, bearer=None).status == 405


@pytest.mark.guarantee("T24")
def test_a_house_that_is_not_ready_says_only_that():
    with running(ready=lambda: False) as wire:
        heard = wire.ask("GET", "/readyz", bearer=None)
        assert (heard.status, heard.json) == (503, {"status": "starting"})
        assert wire.ask("GET", "/healthz", bearer=None).json == {"status": "ok"}


@pytest.mark.parametrize(
    "path",
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/register", "/authorize",
     "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration", "/token", "/", "/api/x", "/mcp/",
     "/MCP", "/mcp%00", "/mcp/connections/x"],
)  # fmt: skip
def test_there_is_no_login_to_be_found(wire: Wire, path: str):
    for method in ("GET", "POST"):
        heard = wire.ask(method, path, bearer=None)
        assert heard.status == 404
        assert heard.headers["content-type"] == "application/json"
        assert heard.error == "not_found"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
def test_only_post_is_served_at_mcp(wire: Wire, method: str):
    for bearer in (None, BEARER):
        heard = wire.ask(method, "/mcp", bearer=bearer)
        assert (heard.status, heard.headers["allow"]) == (405, "POST")


def test_every_answer_is_guarded(wire: Wire):
    answers = [wire.modern("tools/list"), wire.ask(bearer=None), wire.ask("GET", "/x"), wire.ask("GET", "/healthz"),
               wire.ask("GET"), wire.ask(body=b"{"), wire.ask("GET", "/healthz", headers={"Host": "evil"})]  # fmt: skip
    for heard in answers:
        assert heard.headers["x-content-type-options"] == "nosniff"
        assert heard.headers["cache-control"] == "no-store"
        assert heard.headers["content-type"] == "application/json"
        assert "server" not in heard.headers


@pytest.mark.guarantee("T21", "4.13")
def test_a_body_over_four_mebibytes_is_refused_before_and_while_it_comes(wire: Wire):
    told = wire.raw(head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {MAX_BODY + 1}") + b" " * (MAX_BODY + 1))
    assert told.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in told

    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with wire.connect() as sock:
        sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", "Transfer-Encoding: chunked"))
        for _ in range(MAX_BODY // 65536 + 1):
            sock.sendall(chunk)
        assert read_answer(sock).startswith(b"HTTP/1.1 413")


@pytest.mark.guarantee("T21")
def test_a_stranger_is_refused_before_its_body_is_read(wire: Wire):
    head = head_of(wire.port, "POST /mcp HTTP/1.1", "Content-Length: 4000000", bearer=None)
    assert wire.raw(head, timeout=2).startswith(b"HTTP/1.1 401")


def test_a_body_of_four_mebibytes_is_taken(wire: Wire):
    params = {"name": "echo", "arguments": {"words": ""}, "_meta": META}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    room = MAX_BODY - len(json.dumps(message))
    params["arguments"] = {"words": "w" * room}
    heard = wire.ask(body=json.dumps(message).encode(), headers={
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo"})  # fmt: skip

    assert heard.status == 200
    assert len(heard.json["result"]["structuredContent"]["echo"]["words"]) == room


def leave_during(wire: Wire, tool: str, seconds: float) -> None:
    """Send a call, wait until it runs, and go."""
    params = {"name": tool, "arguments": {"seconds": seconds}, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    lines = [
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        f"Mcp-Name: {tool}",
        f"Content-Length: {len(body)}",
    ]
    with wire.connect() as sock:
        sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", *lines) + body)
        assert eventually(lambda: bool(wire.door.calls))


def test_a_read_stops_when_its_client_leaves():
    with running() as wire:
        leave_during(wire, "sophia.read_slowly", 30)
        assert eventually(lambda: wire.door.ended == ["cancelled"])


def test_a_started_write_runs_to_its_end_when_its_client_leaves():
    with running() as wire:
        leave_during(wire, "sophia.write_slowly", 0.2)
        assert eventually(lambda: wire.door.ended == ["sophia.write_slowly"])


def test_a_stop_waits_for_the_call_that_runs():
    with running(limits=Limits(stop_s=5)) as wire:
        params = {"name": "write_slowly", "arguments": {"seconds": 0.4}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        with wire.connect() as sock, wire.connect() as idle:
            idle.sendall(b"")
            sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {len(body)}") + body)
            assert eventually(lambda: bool(wire.door.calls))
            started = time.monotonic()
            wire.stop()
            assert b'"written":true' in read_answer(sock)
            assert time.monotonic() - started < 4
        with pytest.raises(OSError):  # noqa: PT011 - the port is closed, however the system puts it
            socket.create_connection(("127.0.0.1", wire.port), timeout=1)


def test_a_call_that_outlasts_the_stop_is_told():
    with running(limits=Limits(stop_s=1)) as wire:
        body = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read_slowly"}}
        ).encode()
        with wire.connect() as sock:
            sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {len(body)}") + body)
            assert eventually(lambda: bool(wire.door.calls))
            wire.stop()
            answer = read_answer(sock)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b'"error":"stopping"' in answer
        assert wire.door.ended == ["cancelled"]
