"""Only this machine's own names are answered, and no other origin is."""

import pytest

from sophia.agent.guard import loopback
from tests.support.fixture_door import BEARER
from tests.support.wire import Wire

ROUTES = ["/mcp", "/mcp/connections", "/healthz", "/readyz", "/", "/api/connections", "/nowhere", "/.well-known/x"]


def request(host: str | None, path: str, *more: str, method: str = "GET") -> bytes:
    hosts = [] if host is None else [f"Host: {host}"]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *hosts, f"Authorization: Bearer {BEARER}", *more, "", ""]).encode()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.guarantee("T12", "4.16")
@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "host",
    [
        "evil.com", "evil.com:{port}", "127.0.0.1:{port}.evil.com", "127.0.0.1:1@evil.com", "0.0.0.0:{port}",
        "127.0.0.1", "localhost", "127.0.0.1:{other}", "LOCALHOST:{port}", "127.1:{port}", "2130706433:{port}",
        "[::ffff:127.0.0.1]:{port}", "localhost.:{port}", "127.0.0.1:{port},evil.com", "", None,
    ],
)  # fmt: skip
def test_a_foreign_host_is_misdirected_on_every_route(wire: Wire, path: str, host: str | None):
    named = None if host is None else host.format(port=wire.port, other=wire.port % 65535 + 1)

    assert status(wire.raw(request(named, path))) == 421


@pytest.mark.guarantee("T12", "4.15")
@pytest.mark.parametrize("path", ROUTES)
def test_two_hosts_are_a_bad_request(wire: Wire, path: str):
    for second in (wire.host, "evil.com"):
        assert status(wire.raw(request(wire.host, path, f"Host: {second}"))) == 400


@pytest.mark.guarantee("T12")
@pytest.mark.parametrize(
    "target", ["http://evil.com/mcp", "http://127.0.0.1/mcp", "//evil.com/mcp", "*", "evil.com:80"]
)
def test_a_target_that_names_a_host_reaches_nothing(wire: Wire, target: str):
    assert status(wire.raw(request(wire.host, target))) in (400, 404, 421)
    assert status(wire.raw(request(wire.host, f"http://{wire.host}/healthz"))) == 421


@pytest.mark.guarantee("T13", "4.16")
@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.com", "null", "file://", "http://localhost:{other}", "http://127.0.0.1:{other}",
        "http://127.0.0.1:{port}.evil.com", "https://127.0.0.1:{port}", "http://127.0.0.1", "", "http://127.0.0.1:{port}/",
        "http://127.0.0.1:{port} http://evil.com",
    ],
)  # fmt: skip
def test_a_foreign_origin_is_forbidden_on_every_route(wire: Wire, path: str, origin: str):
    named = origin.format(port=wire.port, other=wire.port % 65535 + 1)
    answer = wire.raw(request(wire.host, path, f"Origin: {named}"))

    assert status(answer) == 403
    assert b"access-control" not in answer.lower()


@pytest.mark.guarantee("T13")
def test_an_own_origin_passes_and_an_absent_one_needs_the_bearer(wire: Wire):
    for name in ("127.0.0.1", "localhost", "[::1]"):
        own = {"Host": f"{name}:{wire.port}", "Origin": f"http://{name}:{wire.port}"}
        assert wire.call("sophia.echo", headers=own).status == 200
    assert wire.call("sophia.echo").status == 200
    assert wire.call("sophia.echo", bearer=None, headers={"Cookie": f"bearer={BEARER}; session=1"}).status == 401


@pytest.mark.guarantee("T13")
def test_two_origins_are_none(wire: Wire):
    own = f"Origin: http://{wire.host}"
    assert status(wire.raw(request(wire.host, "/healthz", "Origin: http://evil.com", own))) == 403


@pytest.mark.guarantee("T14", "4.16")
@pytest.mark.parametrize("path", ROUTES)
def test_a_preflight_invites_nobody(wire: Wire, path: str):
    asks = ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization")
    for origin in ("http://evil.com", f"http://{wire.host}"):
        answer = wire.raw(request(wire.host, path, f"Origin: {origin}", *asks, method="OPTIONS")).lower()
        assert status(answer) in (403, 404, 405)
        assert b"access-control" not in answer
    assert b"access-control" not in wire.raw(request(wire.host, path, f"Origin: http://{wire.host}")).lower()


@pytest.mark.guarantee("T15", "4.16")
@pytest.mark.parametrize("path", ROUTES)
def test_a_web_socket_is_refused(wire: Wire, path: str):
    asks = (
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAA",
    )
    answer = wire.raw(request(wire.host, path, *asks))

    assert 400 <= status(answer) < 500
    assert b"\r\nupgrade:" not in answer.lower()


def test_port_80_may_go_unsaid():
    assert b"localhost" in loopback(80).hosts
    assert b"localhost" not in loopback(8080).hosts


def test_what_is_turned_away_is_taken_note_of(wire: Wire):
    wire.door.refusals.clear()
    wire.raw(request("evil.com", "/mcp"))

    assert wire.door.refusals == [("misdirected", {"path": "/mcp", "host": "evil.com"})]
