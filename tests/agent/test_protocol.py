"""MCP in both eras: what each demands, what each answers, and in which order wrong is told."""

import base64
import json
from typing import Any

import pytest

from tests.support.fixture_door import BEARER, CORE, OTHER_BEARER, TOOLS
from tests.support.wire import META, Heard, Wire

VERSION = "io.modelcontextprotocol/protocolVersion"
SUPPORTED = ["2026-07-28", "2025-11-25", "2025-06-18"]


def sent(wire: Wire, message: Any, headers: dict[str, str] | None = None, **more: Any) -> Heard:
    return wire.ask(body=json.dumps(message).encode(), headers=headers, **more)


def stateless(wire: Wire, method: str, params: dict[str, Any], headers: dict[str, str]) -> Heard:
    return sent(wire, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}, headers)


def refusal(heard: Heard) -> tuple[int, int]:
    return heard.status, heard.error["code"]


def test_discover_tells_what_is_served(wire: Wire):
    told = wire.modern("server/discover").json["result"]

    assert told["supportedVersions"] == SUPPORTED
    assert told["resultType"] == "complete"
    assert told["cacheScope"] == "private"
    assert 0 <= told["ttlMs"] <= 60_000
    assert told["_meta"]["io.modelcontextprotocol/serverInfo"] == wire.door.server_info
    assert told["instructions"] == wire.door.instructions


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-11-25"),
     ("2024-11-05", "2025-11-25"), ("2026-07-28", "2025-11-25"), (None, "2025-11-25"), (7, "2025-11-25")],
)  # fmt: skip
def test_initialize_selects_the_legacy_era_and_mints_no_session(wire: Wire, asked: Any, answered: str):
    params = {"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    heard = sent(wire, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})

    assert heard.status == 200
    assert heard.json["result"]["protocolVersion"] == answered
    assert heard.json["result"]["serverInfo"] == wire.door.server_info
    assert "mcp-session-id" not in heard.headers


def test_a_legacy_client_is_answered_without_the_stateless_members(wire: Wire):
    assert wire.legacy("ping").json == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert set(wire.legacy("tools/list").json["result"]) == {"tools"}
    assert set(wire.legacy("tools/call", {"name": "echo"}).json["result"]) == {
        "content",
        "structuredContent",
        "isError",
    }
    without_header = sent(wire, {"jsonrpc": "2.0", "id": "a", "method": "ping"})
    assert without_header.json == {"jsonrpc": "2.0", "id": "a", "result": {}}


@pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"])
def test_a_method_that_the_stateless_era_has_not_is_not_found(wire: Wire, method: str):
    assert refusal(wire.modern(method)) == (404, -32601)


def test_an_unknown_method_of_the_legacy_era_is_an_error_in_a_200(wire: Wire):
    assert refusal(wire.legacy("no/such")) == (200, -32601)
    assert refusal(wire.legacy("server/discover")) == (200, -32601)


@pytest.mark.guarantee("T19")
@pytest.mark.parametrize("missing", ["params", "_meta", VERSION, "io.modelcontextprotocol/clientCapabilities"])
def test_missing_metadata_is_named_before_anything_else(wire: Wire, missing: str):
    meta = {key: value for key, value in META.items() if key != missing}
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}}
    if missing == "params":
        del message["params"]
    if missing == "_meta":
        message["params"] = {}

    heard = sent(wire, message, {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "wrong"})

    assert refusal(heard) == (400, -32602)
    assert "_meta" in heard.error["message"]
    assert heard.json["id"] == 7


@pytest.mark.guarantee("T19")
@pytest.mark.parametrize("version", ["2099-01-01", "v999", "2024-11-05", ""])
def test_an_unsupported_version_is_told_what_is_supported(wire: Wire, version: str):
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": "wrong"}
    heard = stateless(wire, "tools/list", {"_meta": {**META, VERSION: version}}, headers)

    assert refusal(heard) == (400, -32022)
    discovered = wire.modern("server/discover").json["result"]["supportedVersions"]
    assert heard.error["data"] == {"supported": discovered, "requested": version}


@pytest.mark.guarantee("T18")
@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp-Name": "sophia.whoami"},
        {"Mcp-Name": "SOPHIA.ECHO"},
        {"Mcp-Name": "echo"},
        {"Mcp-Name": ""},
        {"Mcp-Name": "=?base64?c29waGlhLndob2FtaQ==?="},
        {"Mcp-Name": "=?base64?c29waGlhLmVjaG8?="},
        {"Mcp-Name": "=?base64?!!?="},
        {"Mcp-Method": "tools/list"},
        {"Mcp-Method": "TOOLS/CALL"},
        {"MCP-Protocol-Version": "2026-07-29"},
    ],
)
def test_a_header_that_contradicts_the_body_stops_the_call(wire: Wire, headers: dict[str, str]):
    wire.door.calls.clear()
    heard = wire.call("sophia.echo", headers=headers)

    assert refusal(heard) == (400, -32020)
    assert wire.door.calls == []


@pytest.mark.guarantee("T18")
@pytest.mark.parametrize("name", ["Mcp-Name", "Mcp-Method", "MCP-Protocol-Version"])
def test_a_missing_or_doubled_header_stops_the_call(wire: Wire, name: str):
    wire.door.calls.clear()
    told = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "sophia.echo"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sophia.echo", "_meta": META}}

    without = sent(wire, message, {key: value for key, value in told.items() if key != name})
    assert refusal(without) == (400, -32020)
    for second in (told[name], "other"):
        lines = [f"{key}: {value}" for key, value in told.items()] + [f"{name}: {second}"]
        body = json.dumps(message)
        head = [f"POST /mcp HTTP/1.1\r\nHost: {wire.host}", f"Authorization: Bearer {BEARER}", *lines]
        answer = wire.raw("\r\n".join([*head, f"Content-Length: {len(body)}", "", body]).encode())
        assert b" 400 " in answer[:20]
        assert b"-32020" in answer
    assert wire.door.calls == []


@pytest.mark.guarantee("T18")
def test_the_body_decides_and_headers_may_be_padded_or_coded(wire: Wire):
    coded = base64.b64encode(b"sophia.whoami").decode()
    for name in ("  sophia.whoami \t", f"=?base64?{coded}?="):
        heard = wire.call("sophia.whoami", headers={"Mcp-Name": name})
        assert heard.json["result"]["structuredContent"]["name"] == "first"


def test_every_spelling_of_a_tool_is_called_and_no_other(wire: Wire):
    for name in ("sophia.always_fails", "sophia_always_fails", "always_fails", "alwaysFails"):
        assert wire.call(name).json["result"]["isError"] is True
    for name in (
        "sophia.Always_fails",
        "sophia.always-fails",
        "sophia..always_fails",
        "always fails",
        "",
        "ѕophia.echo",
    ):
        heard = wire.call(name, headers={"Mcp-Name": f"=?base64?{base64.b64encode(name.encode()).decode()}?="})
        assert refusal(heard) == (400, -32602)
        assert heard.error["message"] == "unknown tool"
        told = wire.legacy("tools/call", {"name": name})
        assert refusal(told) == (200, -32602)


def test_text_and_structured_content_are_the_same_bytes(wire: Wire):
    for heard in (
        wire.call("echo", {"a": 'é " \\ \U0001f30d'}),
        wire.call("always_fails"),
        wire.legacy("tools/call", {"name": "echo"}),
    ):
        result = heard.json["result"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        assert result["content"][0]["text"].encode() in heard.body.replace(b'\\"', b'"').replace(b"\\\\", b"\\")
        assert result["structuredContent"]["_inbox_unread"] == 0


@pytest.mark.parametrize(
    ("query", "names", "tools"),
    [("", "sophia.echo", TOOLS), ("?names=underscore", "sophia_echo", TOOLS), ("?surface=core", "sophia.echo", CORE),
     ("?surface=core&names=underscore", "sophia_echo", CORE), ("?names=dotted&surface=full&x=1", "sophia.echo", TOOLS)],
)  # fmt: skip
def test_the_url_chooses_surface_and_spelling(wire: Wire, query: str, names: str, tools: Any):
    listed = wire.modern("tools/list", path=f"/mcp{query}").json["result"]["tools"]

    assert listed[0]["name"] == names
    assert len(listed) == len(tools)


@pytest.mark.parametrize(
    "query", ["?names=camel", "?surface=", "?names=dotted&names=underscore", "?surface=core&surface=core"]
)
def test_a_url_that_asks_for_what_is_not_there_is_told(wire: Wire, query: str):
    heard = wire.modern("tools/list", path=f"/mcp{query}")
    assert (heard.status, heard.error) == (400, "bad_arguments")


@pytest.mark.parametrize(
    ("method", "key"),
    [("prompts/list", "prompts"), ("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")],
)
def test_what_is_not_offered_is_listed_as_nothing(wire: Wire, method: str, key: str):
    assert wire.legacy(method).json["result"] == {key: []}
    assert wire.modern(method).json["result"][key] == []
    assert refusal(wire.modern(method, {"cursor": "x"})) == (400, -32602)


@pytest.mark.guarantee("T16")
def test_a_session_id_is_ignored(wire: Wire):
    """Whatever session a client claims, the bearer alone says who it is, and no session is ever told."""
    for bearer, name in ((BEARER, "first"), (OTHER_BEARER, "second")):
        for session in ("a" * 32, "", "../../x", "first"):
            heard = wire.call("whoami", headers={"Mcp-Session-Id": session}, bearer=bearer)
            assert heard.json["result"]["structuredContent"]["name"] == name
            assert "mcp-session-id" not in heard.headers
    assert wire.ask("DELETE", headers={"Mcp-Session-Id": "a" * 32}).status == 405


@pytest.mark.guarantee("T20")
@pytest.mark.parametrize(
    "message",
    [
        [], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], "ping", 1, None, True, {},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"}, {"id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"}, {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, {"jsonrpc": "2.0", "id": 2**64, "method": "ping"},
        {"jsonrpc": "2.0", "id": "x" * 5000, "method": "ping"}, {"jsonrpc": "2.0", "id": [1], "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": 7}, {"jsonrpc": "2.0", "id": 1, "method": None},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"},
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": [1]},
        {"jsonrpc": "2.0", "id": 1},
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_and_the_daemon_lives_on(wire: Wire, message: Any):
    for headers in ({}, {"MCP-Protocol-Version": "2025-11-25"}, {"MCP-Protocol-Version": "2026-07-28"}):
        heard = sent(wire, message, headers)
        assert heard.status == 400
        assert heard.error["code"] in (-32600, -32602)
    assert wire.legacy("ping").status == 200


@pytest.mark.guarantee("T20")
@pytest.mark.parametrize(
    "params", [{"name": 7}, {}, {"name": "echo", "arguments": []}, {"name": None}, {"name": "echo", "arguments": "x"}]
)
def test_a_call_without_a_name_or_with_no_object_is_invalid(wire: Wire, params: dict[str, Any]):
    assert refusal(wire.legacy("tools/call", params)) == (200, -32602)


def test_notifications_and_replies_are_taken_note_of_and_run_nothing(wire: Wire):
    wire.door.calls.clear()
    for message in (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "sophia.echo"}},
        {"jsonrpc": "2.0", "id": 1, "result": {"action": "accept"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}},
    ):
        for version in ("2025-11-25", "2026-07-28"):
            heard = sent(wire, message, {"MCP-Protocol-Version": version})
            assert (heard.status, heard.body) == (202, b"")
    assert wire.door.calls == []


def test_a_tool_that_breaks_is_an_error_that_tells_nothing(wire: Wire):
    for heard in (wire.call("breaks"), wire.legacy("tools/call", {"name": "breaks"})):
        assert refusal(heard) == (200, -32603)
        assert b"canary" not in heard.body
        assert b"Traceback" not in heard.body


@pytest.mark.guarantee("4.18")
def test_what_an_exception_says_stays_out_of_the_log(wire: Wire, caplog: pytest.LogCaptureFixture):
    wire.call("breaks", {"secret": "canary-in-arguments"})

    assert "RuntimeError" in caplog.text
    assert "canary" not in caplog.text
