"""Every read tool under every shape of scope: what is not the caller's never shows, in any byte."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.store.engine import connect
from sophia.surface import GROUPS
from tests.support.asking import askings
from tests.support.house import House, house
from tests.support.world import CANARY, World, peopled

pytestmark = pytest.mark.long

READS = [tool for group in GROUPS for tool in group.tools if tool.access is Access.READ]
PAGED = {"limit": 1}


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def world(home: House) -> World:
    return peopled(home)


@pytest.fixture(scope="module")
def callers(home: House, world: World) -> dict[str, Agent]:
    """One connection for each shape that a stored scope can have, the broken ones made by hand in the row itself."""
    found = {
        "all": home.agent("full"),
        "one": home.agent("observer", scope=[world.open_entity]),
        "list": home.agent("full", scope=[world.open_entity, world.hidden_entity]),
        "empty": home.agent("full", scope=[]),
        "unknown id": home.agent("assistant", scope=["e-00000000000000000000000zzz"]),
    }
    db = connect(home.ownership, home.directory / "data" / "ops.db", home.keys.ops)
    for name, text in (
        ("broken JSON", '["e-'),
        ("wrong type", '{"all": true}'),
        ("bare word", "all"),
        ("null", "null"),
    ):
        agent = home.agent("full", scope=[world.hidden_entity])
        db.execute("UPDATE connection SET entity_scope = ? WHERE id = ?", (text, agent.connection_id))
        again = home.again(agent.connection_id)
        assert again is not None
        found[name] = again
    db.close()
    return found


BLIND = ("one", "empty", "unknown id", "broken JSON", "wrong type", "bare word", "null")


@pytest.mark.guarantee("C1", "C2", "C4", "C6", "C12")
@pytest.mark.parametrize("tool", READS, ids=lambda tool: tool.short)
@pytest.mark.parametrize("shape", BLIND)
def test_what_is_out_of_scope_shows_in_no_byte(
    home: House, world: World, callers: dict[str, Agent], tool: Tool, shape: str
) -> None:
    for arguments in askings(home.parts.catalog, tool, world.probes):
        for more in ({}, PAGED if tool.row else {}):
            payload = home.answer(callers[shape], tool.name, {**arguments, **more}).payload
            assert CANARY not in payload.decode(), arguments
            told = json.loads(payload)
            if shape != "one" and "total" in told and tool.group != "system" and tool.short != "list_predicates":
                assert told["total"] == 0, arguments


@pytest.mark.guarantee("C2")
@pytest.mark.parametrize("shape", ["all", "list"])
def test_whoever_may_see_it_does_see_it(home: House, world: World, callers: dict[str, Agent], shape: str) -> None:
    """The positive control: the same questions bring the canary up, tool by tool."""
    seen = {
        tool.short
        for tool in READS
        for arguments in askings(home.parts.catalog, tool, world.probes)
        if CANARY in home.answer(callers[shape], tool.name, arguments).payload.decode()
    }
    assert seen >= {"get_entity", "list_entities", "resolve_entity", "fetch_document", "search_documents", "get_fact",
                    "list_documents", "get_document", "query_knowledge", "get_mutation", "list_mutations",
                    "list_goals", "list_decisions", "list_open_questions", "list_interrupts", "list_briefings",
                    "get_briefing", "orient", "list_wiki_pages", "get_wiki_page", "search_wiki", "wiki_backlinks",
                    "wiki_history", "wiki_diff"}  # fmt: skip


@pytest.mark.guarantee("C3")
@pytest.mark.parametrize("tool", READS, ids=lambda tool: tool.short)
def test_hidden_and_missing_are_told_in_the_same_words(
    home: House, world: World, callers: dict[str, Agent], tool: Tool
) -> None:
    stranger = callers["one"]
    for kind, hidden in {"entity_id": world.hidden_entity, **world.ids}.items():
        missing = hidden[: hidden.index("-") + 1] + "0" * 25 + "z"
        for asked in askings(home.parts.catalog, tool, [hidden]):
            other = json.loads(json.dumps(asked).replace(hidden, missing))
            first, second = (home.answer(stranger, tool.name, one).payload.decode() for one in (asked, other))
            assert _plain(first, hidden) == _plain(second, missing), (kind, asked)


def _plain(payload: str, asked: str) -> str:
    own = r'"(error_id|at|cursor)":"[^"]*"|"(request_count|uptime_s|calls|errors|bytes|tools)":\d+|"by_tool":\[[^]]*\]'
    return re.sub(own, "", payload).replace(asked, "?")


@pytest.mark.guarantee("C7")
def test_a_narrowed_scope_holds_from_the_very_next_page(home: House, world: World) -> None:
    agent = home.agent("observer", scope=[world.open_entity, world.hidden_entity])
    first = home.call(agent, "list_entities", limit=1)
    home.parts.mint.rescope(agent.connection_id, replace(agent.scope, entities=frozenset([world.open_entity])), "owner")
    narrowed = home.again(agent.connection_id)
    assert narrowed is not None
    error = home.refused(narrowed, "list_entities", limit=1, cursor=first["cursor"])
    assert error["code"] == "invalid_cursor"
    assert home.call(narrowed, "list_entities")["total"] == 1
