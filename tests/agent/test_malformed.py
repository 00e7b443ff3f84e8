"""Whatever JSON arrives, the protocol answers it in its own terms, and never with a failure of its own."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sophia.agent.protocol import Asked, Protocol
from sophia.core.access import NameStyle, SurfaceSize
from tests.agent.test_strict_json import VALUES
from tests.support.fixture_door import FixtureDoor, agent
from tests.support.wire import META

DOOR = FixtureDoor(tools={"sophia.echo": "Echo.", "sophia.always_fails": "Fail."})
PROTOCOL = Protocol(DOOR)
CALLER = agent("fuzz")
METHODS = ["initialize", "ping", "tools/list", "tools/call", "server/discover", "prompts/list", "resources/list", "x"]


async def nothing(message: dict[str, Any]) -> None:
    pytest.fail("nothing is said ahead of an answer")


def answered(body: bytes, headers: dict[bytes, bytes]) -> tuple[int, Any]:
    asked = Asked(CALLER, headers, frozenset(), SurfaceSize.FULL, NameStyle.DOTTED, nothing)
    reply = asyncio.run(PROTOCOL.answer(asked, body))
    return reply.status, json.loads(reply.body) if reply.body else None


MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0", "2.0", "2.0", "1.0"]) | VALUES,
        "id": st.integers() | st.text(max_size=5) | VALUES,
        "method": st.sampled_from(METHODS) | VALUES,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["sophia.echo", "echo", "always_fails"]) | VALUES,
                "arguments": VALUES,
                "cursor": VALUES,
                "protocolVersion": VALUES,
                "_meta": st.just(META) | st.dictionaries(st.sampled_from(list(META)), VALUES) | VALUES,
            },
        )
        | VALUES,
        "result": VALUES,
        "error": VALUES,
    },
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        b"mcp-protocol-version": st.sampled_from([b"2026-07-28", b"2025-11-25", b"2025-06-18", b"x", b"\xff"]),
        b"mcp-method": st.sampled_from([method.encode() for method in METHODS]) | st.binary(max_size=8),
        b"mcp-name": st.sampled_from([b"sophia.echo", b"echo", b"=?base64?ZWNobw==?="]) | st.binary(max_size=8),
    },
)


@pytest.mark.guarantee("4.14", "T20")
@given(MESSAGES | VALUES, HEADERS)
def test_any_message_is_answered_in_the_protocols_terms(message: Any, headers: dict[bytes, bytes]):
    status, told = answered(json.dumps(message).encode(), headers)

    assert status in (200, 202, 400, 404)
    if told is None:
        assert status == 202
    elif "error" in told:
        assert told["error"]["code"] in (-32700, -32600, -32601, -32602, -32020, -32022)
        assert "Traceback" not in told["error"]["message"]
    else:
        assert status == 200
        assert told["id"] == message["id"]


@pytest.mark.guarantee("4.14")
@given(st.binary(max_size=80), HEADERS)
def test_any_bytes_are_answered(body: bytes, headers: dict[bytes, bytes]):
    status, told = answered(body, headers)

    assert status == 400
    assert told["error"]["code"] in (-32700, -32600)
