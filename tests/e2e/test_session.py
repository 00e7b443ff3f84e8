"""The session that the README shows: find a passage, state a fact with its quote, read it back."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.support.daemon import Daemon, running

NOTES = """# Harbour notes

The lighthouse at Skagen was built in 1858 and is 46 metres high.

Its keeper wrote the log by hand until 1962.
"""


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with running() as standing:
        yield standing


@asynccontextmanager
async def agent(daemon: Daemon, era: str, /, **terms: str) -> AsyncIterator[Client]:
    options = [word for name, value in terms.items() for word in (f"--{name}", value)]
    minted = daemon.ask("mint", "--name", "keeper", *options)
    headers = {"Authorization": f"Bearer {minted['bearer_token']}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=20) as http,
        Client(streamable_http_client(daemon.mcp, http_client=http), mode=era) as client,
    ):
        yield client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = await client.call_tool(f"sophia.{tool}", arguments)
    assert answer.structured_content is not None
    assert not answer.is_error, answer.structured_content
    told: dict[str, Any] = answer.structured_content
    return told


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_an_agent_states_what_a_real_file_says(daemon: Daemon, tmp_path: Path, mode: str) -> None:
    folder = tmp_path / f"harbour-{mode}"
    folder.mkdir()
    (folder / "notes.md").write_text(NOTES, "utf-8")
    taken = daemon.ask("import", str(folder))
    assert (taken["documents"], taken["entities"], taken["skipped"]) == (1, 1, [])

    async def session() -> None:
        async with agent(daemon, mode, profile="full", mode="pre_approved") as client:
            oriented = await call(client, "orient", goal="when was the lighthouse built")
            assert oriented["sections"]["recent_documents"]["total"] >= 1
            folder_id = (await call(client, "resolve_entity", name=folder.name))["entity_id"]
            found = await call(client, "search_documents", query="lighthouse height", entity_id=folder_id)
            assert found["fusion"]["signals"] == ["bm25"]
            hit = found["items"][0]
            stated = await call(
                client,
                "submit_claim_graph",
                source_id=hit["document_id"],
                claims=[
                    {"id": "built", "entity": folder_id, "predicate": "built_in", "object": "1858",
                     "quote": "was built in 1858"},
                    {"id": "wrong", "entity": folder_id, "predicate": "built_in", "object": "1900",
                     "quote": "was built in 1900"},
                ],
            )  # fmt: skip
            built, wrong = stated["verdicts"]
            assert (built["accepted"], built["trust_tier"], built["quote_match"]) == (True, "quoted", "exact")
            assert (wrong["accepted"], wrong["reason"]) == (False, "quote_not_found")
            known = await call(client, "query_knowledge", entity=folder_id, predicate="built_in")
            fact = known["items"][0]
            assert (fact["object"], fact["quote"]) == ("1858", "was built in 1858")
            text = (await call(client, "fetch_document", document_id=hit["document_id"]))["text"]
            assert text[fact["quote_start"] : fact["quote_end"]] == "was built in 1858"
            changed = await call(client, "get_mutation", mutation_seq=stated["mutation_seq"])
            assert {change["table"] for change in changed["changes"]} == {"fact"}
            assert changed["tool"] == "sophia.submit_claim_graph"

    asyncio.run(session())


def test_an_assistant_waits_for_the_owner_and_an_observer_cannot_ask(daemon: Daemon) -> None:
    async def session() -> None:
        async with agent(daemon, "2026-07-28", profile="assistant") as client:
            asked = await client.call_tool("sophia.create_entity", {"kind": "person", "name": "Anna Ancher"})
            assert asked.is_error
            assert asked.structured_content is not None
            details = asked.structured_content["error"]["details"]
            waiting = {one["approval_id"]: one for one in daemon.ask("approvals")}
            request = waiting[details["approval_id"]]
            assert (request["tool"], request["arguments"]["name"]) == ("sophia.create_entity", "Anna Ancher")
            assert request["preview"]["changes"][0]["after"]["name"] == "Anna Ancher"
            daemon.ask("approve", details["approval_id"])
            made = await call(client, "create_entity", kind="person", name="Anna Ancher")
            assert made["entity"]["name"] == "Anna Ancher"
        async with agent(daemon, "2026-07-28", profile="observer") as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert "sophia.create_entity" not in tools
            refused = await client.call_tool("sophia.create_entity", {"kind": "person", "name": "Nobody"})
            assert refused.structured_content is not None
            assert refused.structured_content["error"]["code"] == "write_not_permitted"

    asyncio.run(session())


def test_a_restart_is_invisible_to_a_client_and_loses_nothing() -> None:
    with running() as first:
        minted = first.ask("mint", "--name", "steady", "--profile", "full", "--mode", "pre_approved")
        first.ask("call", "create_entity", '{"kind": "person", "name": "Michael"}')
        assert first.stopped().code == 0
        with running(first) as second:
            headers = {"Authorization": f"Bearer {minted['bearer_token']}"}

            async def session() -> None:
                async with (
                    httpx2.AsyncClient(headers=headers, timeout=20) as http,
                    Client(streamable_http_client(second.mcp, http_client=http), mode="2026-07-28") as client,
                ):
                    assert (await call(client, "list_entities"))["items"][0]["name"] == "Michael"

            asyncio.run(session())
