"""Slow, oversized and crooked clients are closed, and the others do not notice."""

import json
import os
import socket
import statistics
import time
from functools import partial
from pathlib import Path

import pytest

from sophia.agent.http import Limits
from tests.support.fixture_door import BEARER, FixtureDoor
from tests.support.wire import Wire, eventually, head_of, read_answer, running

QUICK = Limits(head_s=1.0, body_s=1.5, write_s=2.0, idle_s=30, stop_s=1)


def closed(sock: socket.socket) -> bool:
    """Whether the server has closed this connection; what it said before is read."""
    sock.setblocking(False)
    try:
        while sock.recv(65536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_the_limits_are_those_of_the_specification():
    assert (Limits().head_s, Limits().body_s, Limits().write_s, Limits().stop_s) == (5, 15, 30, 10)
    assert (Limits().head, Limits().connections) == (64 * 1024, 512)


@pytest.mark.guarantee("4.12")
def test_slow_clients_are_closed_while_others_are_served():
    door = FixtureDoor()
    door.tools["sophia.echo"] = "Long. " * 60_000
    with running(door, limits=QUICK, send_buffer=16_384) as wire:
        before = open_files()
        half_heads = [wire.connect() for _ in range(300)]
        for sock in half_heads:
            sock.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0")
        half_bodies = [wire.connect() for _ in range(100)]
        for sock in half_bodies:
            sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", "Content-Length: 100") + b'{"jsonrpc"')
        deaf = [_deaf(wire) for _ in range(50)]

        took = []
        for _ in range(60):
            started = time.monotonic()
            assert wire.call("sophia.whoami").status == 200
            took.append(time.monotonic() - started)
        assert statistics.quantiles(took, n=20)[-1] < 0.25

        assert eventually(lambda: all(closed(sock) for sock in half_heads), 8)
        assert eventually(lambda: all(closed(sock) for sock in half_bodies), 8)
        assert eventually(lambda: len(os.listdir("/proc/self/fd")) <= before + 450, 8)  # the deaf ones were cut off
        for sock in (*half_heads, *half_bodies, *deaf):
            sock.close()
        assert eventually(lambda: open_files() <= before, 5)


def _deaf(wire: Wire) -> socket.socket:
    """A client that asks for a long list and never reads it."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.connect(("127.0.0.1", wire.port))
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {len(body)}") + body)
    return sock


@pytest.mark.guarantee("4.12")
def test_a_head_that_trickles_is_closed_at_its_deadline_and_told_so():
    with running(limits=QUICK) as wire, wire.connect() as sock:
        started = time.monotonic()
        answer = b""
        head = iter(head_of(wire.port, "GET /healthz HTTP/1.1", "X-Slow: " + "a" * 200))
        sock.settimeout(0.1)
        while time.monotonic() - started < 5:
            try:
                sock.send(bytes([next(head)]))
                answer = sock.recv(4096)
                break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert answer.startswith(b"HTTP/1.1 408")
        assert time.monotonic() - started < 3


def test_a_second_request_that_trickles_does_not_cut_the_first_off():
    with running(limits=Limits(head_s=0.3, stop_s=1)) as wire, wire.connect() as sock:
        params = {"name": "read_slowly", "arguments": {"seconds": 1}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {len(body)}") + body + b"POST /mcp HT")
        assert b'"read":true' in read_answer(sock)


def test_a_connection_serves_many_requests_and_pipelined_ones_in_order(wire: Wire):
    with wire.connect() as sock:
        for number in range(50):
            body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()
            sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {len(body)}") + body)
            assert f'"id":{number},'.encode() in read_answer(sock)
        burst = b""
        for number in range(5):
            body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode()
            burst += head_of(wire.port, "POST /mcp HTTP/1.1", f"Content-Length: {len(body)}") + body
        sock.sendall(burst)
        got = b""
        while got.count(b"HTTP/1.1 200") < 5 or not got.endswith(b"}}"):
            got += sock.recv(65536)
        assert [got.find(f'"id":{number},'.encode()) for number in range(5)] == sorted(
            got.find(f'"id":{number},'.encode()) for number in range(5)
        )


@pytest.mark.guarantee("4.12")
def test_there_are_only_so_many_connections():
    with running(limits=Limits(connections=5, stop_s=1)) as wire:
        held = [wire.connect() for _ in range(5)]
        assert eventually(lambda: wire.ask("GET", "/healthz", bearer=None).status == 503)
        for sock in held:
            sock.close()
        assert eventually(lambda: wire.ask("GET", "/healthz", bearer=None).status == 200)


OVERSIZED = {
    "a URL of a megabyte": ("GET /" + "a" * 1_000_000 + " HTTP/1.1", [], 414),
    "a query of a megabyte": ("GET /healthz?" + "a" * 1_000_000 + " HTTP/1.1", [], 414),
    "one header of 64 KiB": ("GET /healthz HTTP/1.1", ["X: " + "a" * 65536], 431),
    "many headers of 64 KiB": ("GET /healthz HTTP/1.1", [f"X-{n}: " + "a" * 1000 for n in range(80)], 431),
    "ten thousand headers": ("GET /healthz HTTP/1.1", [f"X-{n}: a" for n in range(10_000)], 431),
}


@pytest.mark.guarantee("4.13")
@pytest.mark.parametrize(("line", "headers", "status"), OVERSIZED.values(), ids=OVERSIZED)
def test_what_is_too_large_is_refused_and_the_connection_closed(wire: Wire, line: str, headers: list[str], status: int):
    sent = head_of(wire.port, line, *headers)
    for cut in (len(sent), len(sent) - 4):  # with its end, and without
        with wire.connect() as sock:
            try:
                sock.sendall(sent[:cut])
            except ConnectionError:
                continue
            answer = read_answer(sock)
            assert answer.startswith(f"HTTP/1.1 {status} ".encode())
            assert b"connection: close" in answer
            assert eventually(partial(closed, sock))


CROOKED = {
    "Content-Length and Transfer-Encoding": (["Content-Length: 5", "Transfer-Encoding: chunked"], b"0\r\n\r\n"),
    "Transfer-Encoding and Content-Length": (["Transfer-Encoding: chunked", "Content-Length: 5"], b"0\r\n\r\n"),
    "a negative Content-Length": (["Content-Length: -1"], b""),
    "a signed Content-Length": (["Content-Length: +2"], b"{}"),
    "a hexadecimal Content-Length": (["Content-Length: 0x2"], b"{}"),
    "a huge Content-Length": (["Content-Length: 99999999999999999999999"], b""),
    "two lengths": (["Content-Length: 2", "Content-Length: 3"], b"{}"),
    "a list of lengths": (["Content-Length: 2, 2"], b"{}"),
    "an unknown transfer coding": (["Transfer-Encoding: xchunked"], b"{}"),
    "chunked that is not last": (["Transfer-Encoding: chunked, identity"], b"{}"),
    "two transfer codings": (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], b"0\r\n\r\n"),
    "a vertical tab before chunked": (["Transfer-Encoding: \x0bchunked"], b"0\r\n\r\n"),
    "a negative chunk": (["Transfer-Encoding: chunked"], b"-1\r\n\r\n"),
    "a chunk with a bare line feed": (["Transfer-Encoding: chunked"], b"2\n{}\n0\n\n"),
    "a chunk size of 20 digits": (["Transfer-Encoding: chunked"], b"fffffffffffffffffff\r\n{}\r\n"),
    "a folded header": (["X: a\r\n b", "Content-Length: 2"], b"{}"),
    "a bare line feed": (["X: a\nY: b", "Content-Length: 2"], b"{}"),
    "a bare carriage return": (["X: a\rY: b", "Content-Length: 2"], b"{}"),
    "a NUL in a value": (["X: a\0b", "Content-Length: 2"], b"{}"),
    "a NUL in a name": (["X\0: a", "Content-Length: 2"], b"{}"),
    "a space before the colon": (["X : a", "Content-Length: 2"], b"{}"),
    "a space in a name": (["X Y: a", "Content-Length: 2"], b"{}"),
    "no name": ([": a", "Content-Length: 2"], b"{}"),
    "no colon": (["X", "Content-Length: 2"], b"{}"),
}


@pytest.mark.guarantee("4.15", "T23", "T21")
@pytest.mark.parametrize(("headers", "body"), CROOKED.values(), ids=CROOKED)
def test_what_two_servers_could_read_differently_is_refused_and_closed(wire: Wire, headers: list[str], body: bytes):
    smuggled = b"GET /healthz HTTP/1.1\r\nHost: " + wire.host.encode() + b"\r\n\r\n"
    with wire.connect() as sock:
        sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", *headers) + body + smuggled)
        got = b""
        while part := _received(sock):
            got += part
    assert got.startswith(b"HTTP/1.1 400 ")
    assert b'"status"' not in got
    assert got.count(b"HTTP/1.1") == 1


def _received(sock: socket.socket) -> bytes:
    try:
        return sock.recv(65536)
    except ConnectionError:
        return b""


@pytest.mark.guarantee("4.15")
@pytest.mark.parametrize(
    "sent",
    [
        b"GET /healthz HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"get /healthz HTTP/1.1\r\n\r\n",
        b"GET /h\x80 HTTP/1.1\r\n\r\n",
        b"GET /a b HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"FOO /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\nHost: x\n\n",
    ],
)
def test_what_is_no_request_is_refused(wire: Wire, sent: bytes):
    assert wire.raw(sent).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "sent", [b"GET  /healthz HTTP/1.1\r\n\r\n", b"GET /healthz\r\n\r\n", b"GET /healthz HTTP/1.0\r\n\r\n"]
)
def test_what_names_no_host_is_misdirected(wire: Wire, sent: bytes):
    assert wire.raw(sent).startswith(b"HTTP/1.1 421 ")


@pytest.mark.guarantee("4.15")
def test_a_trailer_is_no_header(wire: Wire):
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    chunked = b"%x\r\n%s\r\n0\r\n" % (len(body), body)
    for trailer, status in ((f"Authorization: Bearer {BEARER}", 401), ("Host: evil.com", 200), ("Origin: null", 200)):
        bearer = None if status == 401 else BEARER
        head = head_of(wire.port, "POST /mcp HTTP/1.1", "Transfer-Encoding: chunked", bearer=bearer)
        answer = wire.raw(head + chunked + trailer.encode() + b"\r\n\r\n")
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())


@pytest.mark.guarantee("4.13", "4.15")
@pytest.mark.parametrize("endless", [b"0\r\nX: ", b"1;", b"0\r\n"], ids=["a trailer", "an extension", "many trailers"])
def test_what_frames_a_body_has_an_end(wire: Wire, endless: bytes):
    more = b"X: a\r\n" * 11_000 if endless == b"0\r\n" else b"a" * 66_000
    with wire.connect() as sock:
        sock.sendall(head_of(wire.port, "POST /mcp HTTP/1.1", "Transfer-Encoding: chunked"))
        sock.sendall(endless)
        sock.sendall(more)
        assert eventually(partial(closed, sock), 3)


def test_a_body_may_come_in_single_bytes(wire: Wire):
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}' + b" " * 100_000
    head = head_of(wire.port, "POST /mcp HTTP/1.1", "Transfer-Encoding: chunked")
    answer = wire.raw(head + b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.guarantee("T23")
def test_a_line_break_in_what_is_sent_splits_no_header(wire: Wire):
    evil = "x\r\nX-Injected: yes\r\n\r\n<script>"
    answers = [
        wire.ask("GET", "/%0d%0aX-Injected:%20yes", bearer=None),
        wire.call("sophia.echo", {"words": evil}),
        wire.legacy(evil),
        wire.modern("tools/list", {"cursor": evil}),
        wire.ask("POST", "/mcp?names=%0d%0aX-Injected:%20yes", body=b"{}"),
    ]
    for heard in answers:
        assert "x-injected" not in heard.headers
        assert b"\r\nX-Injected" not in heard.body


@pytest.mark.guarantee("T21")
def test_hostile_bodies_leave_no_memory_behind():
    from tests.agent.test_strict_json import HOSTILE

    with running() as wire:

        def send_all() -> None:
            for body in HOSTILE.values():
                heard = wire.ask(body=body)
                assert (heard.status, heard.error["code"]) == (400, -32700)
            for _ in range(5):
                assert wire.ask(body=b" " * (4 * 1024 * 1024)).status == 400

        send_all()
        before = resident()
        for _ in range(3):
            send_all()
        assert resident() - before < 20 * 1024 * 1024
        assert wire.call("whoami").status == 200


def test_a_bearer_never_stands_in_the_log(wire: Wire, caplog: pytest.LogCaptureFixture):
    caplog.set_level("DEBUG")
    wire.raw(head_of(wire.port, f"GET /?token={BEARER} HTTP/1.1", "X: a\0"))
    wire.ask("GET", f"/x?token={BEARER}")

    assert BEARER not in caplog.text
