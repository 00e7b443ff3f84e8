"""The Python client lists, calls, meets errors and a 401, in both eras."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from tests.support.fixture_door import BEARER, TOOLS
from tests.support.wire import Wire, running

MODES = ["auto", "2026-07-28", "legacy"]


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with running() as wire:
        yield wire


@asynccontextmanager
async def connected(url: str, bearer: str, mode: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {bearer}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", MODES)
def test_it_lists_and_calls(wire: Wire, mode: str) -> None:
    async def main() -> None:
        async with connected(wire.url, BEARER, mode) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools] == list(TOOLS)

            answer = await client.call_tool("sophia.echo", {"words": "Grüße, 世界"})
            assert not answer.is_error
            assert answer.structured_content == {"echo": {"words": "Grüße, 世界"}, "_inbox_unread": 0}
            assert json.loads(answer.content[0].text) == answer.structured_content  # type: ignore[union-attr]

            failed = await client.call_tool("sophia.always_fails", {})
            assert failed.is_error
            assert failed.structured_content is not None
            assert failed.structured_content["error"]["code"] == "not_found"

            with pytest.raises(MCPError, match="unknown tool") as unknown:
                await client.call_tool("no_such_tool", {})
            assert unknown.value.error.code == -32602

            assert (await client.list_prompts()).prompts == []
            assert (await client.list_resources()).resources == []
            assert (await client.list_resource_templates()).resource_templates == []

    asyncio.run(main())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_wrong_bearer_is_an_error_that_ends_the_connection(wire: Wire, mode: str) -> None:
    async def main() -> None:
        async with connected(wire.url, "wrong", mode):
            pytest.fail("a wrong bearer got in")

    with pytest.raises(Exception) as raised:  # noqa: PT011 - each mode wraps it differently
        asyncio.run(main())
    assert "Authentication required. Provide a valid Bearer token." in _told(raised.value)


def test_a_restart_of_the_server_is_invisible() -> None:
    """No session is minted, so a client that initialized with one process goes on with the next."""
    with running() as first, running() as second:
        opened = first.legacy("initialize", {"protocolVersion": "2025-11-25"}, headers={"Mcp-Session-Id": "old"})
        assert "mcp-session-id" not in opened.headers
        went_on = second.legacy("tools/call", {"name": "sophia.whoami"}, headers={"Mcp-Session-Id": "old"})
        assert went_on.json["result"]["structuredContent"]["name"] == "first"


def _told(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        return " ".join(_told(inner) for inner in error.exceptions)
    return f"{error!r} {_told(error.__cause__) if error.__cause__ else ''}"
