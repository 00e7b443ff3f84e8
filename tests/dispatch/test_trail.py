"""What agents touch is kept, once for each entity, and shown to whoever may know it."""

import signal
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import apsw
import pytest

from sophia.core.access import ACCESS_LOGGED_TOOLS, Access
from sophia.core.caller import Agent
from sophia.core.clock import MINUTE
from sophia.core.errors import Conflict, SophiaError
from sophia.core.scope import Scope
from sophia.dispatch import trail
from sophia.dispatch.touched import Showing
from sophia.surface import GROUPS
from tests.support.asking import askings
from tests.support.beneath import bare, owned
from tests.support.house import House, house
from tests.support.process import prepared, running
from tests.support.world import peopled

TOOLS = [tool for group in GROUPS for tool in group.tools]
REGISTERED_READS = [tool for tool in TOOLS if tool.logged and tool.access is Access.READ]


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def entries(home: House, caller: Any = None, **asked: Any) -> list[tuple[str, str]]:
    """(tool, entity) of each entry that the caller is shown, oldest first."""
    told = home.call(caller or home.owner, "agent_trail", order="oldest", limit=200, **asked)
    assert told["total"] == len(told["items"])
    return [(item["tool"].removeprefix("sophia."), item["entity_id"]) for item in told["items"]]


def counters(home: House) -> dict[str, int]:
    home.parts.trail.flush()
    with home.databases.ops.reading() as rows:
        return {row["entity_id"]: row["accesses"] for row in rows.rows("SELECT * FROM entity_access_count")}


def fact(home: House, entity_id: str, object_id: str) -> tuple[str, str]:
    """A fact about two entities, and its document, which is linked to both."""
    body = "Ada sailed on the Terra Nova.\n"
    made = home.call(home.owner, "add_document", title="Log", body=body, entity_ids=[entity_id, object_id])
    source = made["document"]["document_id"]
    claim = {"id": "c", "entity": entity_id, "predicate": "sailed_on", "object": object_id, "object_type": "entity",
             "quote": body.strip()}  # fmt: skip
    verdict = home.call(home.owner, "submit_claim_graph", source_id=source, claims=[claim])["verdicts"][0]
    return verdict["fact_id"], source


@pytest.mark.guarantee("A1")
def test_a_call_that_touches_three_entities_leaves_three_entries_and_counts_each(home: House):
    ada, bob, ship = (home.entity(name) for name in ("Ada", "Bob", "Ship"))
    fact(home, ada, ship)
    fact(home, bob, ship)
    agent = home.agent("observer")
    assert home.call(agent, "query_knowledge")["total"] == 2
    assert sorted(entries(home)) == sorted([("query_knowledge", one) for one in (ada, bob, ship)])
    assert counters(home) == {ada: 1, bob: 1, ship: 1}
    home.call(agent, "query_knowledge", entity=ada)
    assert counters(home) == {ada: 2, bob: 1, ship: 2}
    told = home.call(home.owner, "entity_access_history", entity_id="Ship")
    assert (told["total"], told["accesses"]) == (2, 2)
    assert {item["call_id"] for item in told["items"]} == {item["call_id"] for item in home.call(
        agent, "agent_trail")["items"]}  # fmt: skip
    assert told["items"][0] | {"access_id": "", "call_id": "", "at": ""} == {
        "access_id": "", "call_id": "", "at": "", "tool": "sophia.query_knowledge", "entity_id": ship,
        "entity_name": "Ship", "connection_id": agent.connection_id, "connection_name": "agent",
    }  # fmt: skip


CALLS: dict[str, Callable[[dict[str, str]], dict[str, Any]]] = {
    "get_entity": lambda ids: {"entity_id": ids["ada"]},
    "query_knowledge": lambda ids: {"entity": ids["ada"]},
    "explain_fact": lambda ids: {"fact_id": ids["fact"]},
    "fetch_document": lambda ids: {"document_id": ids["document"]},
    "update_entity": lambda ids: {"entity_id": ids["ada"], "summary": "A sailor"},
    "submit_claim_graph": lambda ids: {
        "source_id": ids["document"],
        "claims": [{"id": "c", "entity": ids["ada"], "predicate": "ship", "object": ids["ship"],
                    "object_type": "entity", "quote": "Ada sailed on the Terra Nova."}],
    },
}  # fmt: skip


@pytest.mark.guarantee("A1")
@pytest.mark.parametrize("tool", CALLS)
def test_every_kind_of_answer_and_of_write_tells_what_it_touched(home: House, tool: str):
    ids = {"ada": home.entity("Ada"), "ship": home.entity("Ship")}
    ids["fact"], ids["document"] = fact(home, ids["ada"], ids["ship"])
    agent = home.agent()
    home.call(agent, tool, **CALLS[tool](ids))
    both = tool not in ("get_entity", "update_entity")
    expected = [(tool, ids["ada"]), *([(tool, ids["ship"])] if both else [])]
    assert sorted(entries(home, agent)) == sorted(expected)


@pytest.mark.guarantee("A1")
@pytest.mark.parametrize("tool", REGISTERED_READS, ids=lambda tool: tool.short)
def test_every_registered_read_answers_with_what_tells_its_entities(tool: Any):
    showing = Showing.of(tool)
    assert showing.add is not None or showing.linked


@pytest.mark.guarantee("A1")
def test_a_write_that_the_owner_approved_is_the_agents_own(home: House):
    agent = home.agent("assistant")
    pending = home.refused(agent, "create_entity", kind="thing", name="New")
    assert entries(home) == []
    home.parts.approvals.approve(pending["details"]["approval_id"], "owner")
    made = home.call(home.owner, "resolve_entity", name="New")["entity_id"]
    assert entries(home, agent) == [("create_entity", made)]


@pytest.mark.guarantee("A2")
def test_the_registry_is_this_list_and_agents_are_told_it(home: House):
    assert sorted(ACCESS_LOGGED_TOOLS) == [
        "create_entity", "explain_fact", "fetch_document", "get_entity", "get_entity_profile", "get_event",
        "get_transaction", "merge_entities", "query_knowledge", "read_source", "remember_fact", "revert_mutation",
        "submit_claim_graph", "update_entity",
    ]  # fmt: skip
    told = home.call(home.agent("observer"), "capability_catalog")["access_log_registry"]
    assert set(told) == {f"sophia.{name}" for name in ACCESS_LOGGED_TOOLS & {tool.short for tool in TOOLS}}


@pytest.mark.guarantee("A2")
def test_no_other_tool_leaves_an_entry(home: House):
    world = peopled(home)
    agent = home.agent()
    for tool in TOOLS:
        if not tool.logged:
            for arguments in islice(askings(home.parts.catalog, tool, [world.hidden_entity]), 3):
                home.answer(agent, tool.name, arguments)
    home.call(agent, "add_alias", entity_id=world.open_entity, alias="The orchard")
    assert entries(home) == []
    assert counters(home) == {}
    home.call(agent, "get_entity", entity_id=world.hidden_entity)
    assert entries(home) == [("get_entity", world.hidden_entity)]


def test_only_what_was_shown_counts(home: House):
    ids = [home.entity(f"Thing {n}") for n in range(8)]
    ship = home.entity("Ship")
    for one in ids:
        fact(home, one, ship)
    agent = home.agent("observer")
    page = home.call(agent, "query_knowledge", max_bytes=2500)
    assert 0 < len(page["items"]) < 8
    seen = {item["entity_id"] for item in page["items"]} | {ship}
    assert {entity_id for _, entity_id in entries(home)} == seen


def test_what_was_refused_changed_nothing_or_was_the_owners_leaves_no_entry(home: House):
    ada = home.entity("Ada")
    agent = home.agent(scope=[ada])
    home.call(home.owner, "get_entity", entity_id=ada)
    home.call(home.owner, "update_entity", entity_id=ada, summary="A sailor")
    home.refused(agent, "get_entity", entity_id="Nobody")
    home.call(agent, "update_entity", entity_id=ada, summary="A sailor")
    home.refused(agent, "update_entity", entity_id="e-none", summary="A sailor")
    assert entries(home) == []


def test_a_page_goes_on_and_the_times_bound_it(home: House):
    ada = home.entity("Ada")
    agent = home.agent("observer")
    for _ in range(5):
        home.clock.turn(MINUTE)
        home.call(agent, "get_entity", entity_id=ada)
    first = home.call(agent, "entity_access_history", entity_id=ada, limit=2)
    second = home.call(agent, "entity_access_history", entity_id=ada, limit=2, cursor=first["cursor"])
    assert len({item["access_id"] for item in first["items"] + second["items"]}) == 4
    bounded = home.call(agent, "agent_trail", since=second["items"][-1]["at"])
    assert bounded["total"] == 4


# --- who is shown what ---


def under(home: House, worker: Agent, parent: Agent) -> None:
    with home.databases.ops.writing() as tx:
        tx.run("UPDATE connection SET parent_id = :p WHERE id = :id", p=parent.connection_id, id=worker.connection_id)


@pytest.mark.guarantee("A5")
def test_a_listed_scope_is_shown_its_own_line_and_of_the_others_a_count(home: House):
    ada, bob = home.entity("Ada"), home.entity("Bob")
    parent, worker, sibling, other = (home.agent("observer", scope=[ada, bob], name=name) for name in "pwso")
    under(home, worker, parent)
    under(home, sibling, parent)
    every = home.agent("observer", name="every")
    for agent in (parent, worker, sibling, other, every):
        home.call(agent, "get_entity", entity_id=ada)

    def shown_to(caller: Agent) -> tuple[str, int]:
        told = home.call(caller, "entity_access_history", entity_id=ada)
        assert told["total"] == len(told["items"])
        return "".join(sorted(item["connection_name"][0] for item in told["items"])), told["accesses"]

    assert [shown_to(one) for one in (worker, parent, other, every)] == [("pw", 5), ("psw", 5), ("o", 5), ("eopsw", 5)]

    missing = home.refused(worker, "agent_trail", connection_id="0" * 36)
    for hidden in (sibling, other, every):
        told = home.refused(worker, "agent_trail", connection_id=hidden.connection_id)
        assert told | {"error_id": ""} == missing | {"error_id": ""}
        assert entries(home, every, connection_id=hidden.connection_id) == [("get_entity", ada)]
    assert entries(home, worker, connection_id=parent.connection_id) == [("get_entity", ada)]
    assert entries(home, parent, connection_id=worker.connection_id) == [("get_entity", ada)]
    assert len(entries(home)) == 5
    assert home.refused(every, "agent_trail", connection_id="0" * 36)["code"] == "not_found"


@pytest.mark.guarantee("A5")
def test_what_left_the_scope_is_in_no_trail_any_more(home: House):
    ada, bob = home.entity("Ada"), home.entity("Bob")
    agent = home.agent("observer", scope=[ada, bob])
    home.call(agent, "get_entity", entity_id=ada)
    home.call(agent, "get_entity", entity_id=bob)
    assert len(entries(home, agent)) == 2
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset([ada])), "owner")
    narrowed = home.again(agent.connection_id)
    assert narrowed is not None
    assert entries(home, narrowed) == [("get_entity", ada)]
    hidden = home.refused(narrowed, "entity_access_history", entity_id=bob)
    missing = home.refused(narrowed, "entity_access_history", entity_id=bob[:-1] + "z")
    assert hidden["code"] == "not_found"
    same = {"error_id": "", "message": ""}
    assert hidden | same == missing | same
    assert hidden["message"].replace(bob, "?") == missing["message"].replace(bob[:-1] + "z", "?")


# --- nothing is lost, and nothing twice ---


def test_what_cannot_be_written_waits_and_is_written_once(home: House):
    ada = home.entity("Ada")
    agent = home.agent()
    home.call(agent, "get_entity", entity_id=ada)
    home.call(agent, "update_entity", entity_id=ada, summary="A sailor")
    db = home.databases.ops.writer.db
    db.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.subscriber_agent_entity_access_log"
        " BEGIN SELECT raise(ABORT, 'no'); END"
    )
    with pytest.raises((SophiaError, apsw.Error)):
        home.parts.trail.flush()
    assert entries(home) == [], "the history is shown as far as it goes"
    db.execute("DROP TRIGGER temp.full")
    home.parts.trail.flush()
    assert sorted(entries(home)) == [("get_entity", ada), ("update_entity", ada)]


def test_memory_is_bounded_while_nothing_can_be_written_and_health_says_what_was_lost(
    home: House, monkeypatch: pytest.MonkeyPatch
):
    ada = home.entity("Ada")
    agent = home.agent()
    monkeypatch.setattr(trail, "MOST", 3)
    for _ in range(5):
        home.call(agent, "get_entity", entity_id=ada)
    assert "2 entries of the access log were lost" in home.call(agent, "health")["reasons"]
    assert len(entries(home)) == 3


@pytest.mark.guarantee("A1")
def test_a_writes_entries_outlive_a_crash_right_after_it(tmp_path: Path):
    with house(directory=tmp_path) as home:
        ada = home.entity("Ada")
        agent = home.agent()
        home.call(agent, "update_entity", entity_id=ada, summary="A sailor")
        assert home.parts.trail._waiting == [], "nothing of a write is in memory alone"
    for _ in range(2):
        with house(directory=tmp_path) as home:
            assert entries(home) == [("update_entity", ada)]
            assert counters(home) == {ada: 1}


def test_many_writes_are_taken_from_the_journal_in_batches(home: House, monkeypatch: pytest.MonkeyPatch):
    ada = home.entity("Ada")
    agent = home.agent()
    monkeypatch.setattr(trail, "AT_ONCE", 2)
    for n in range(7):
        home.call(agent, "update_entity", entity_id=ada, summary=f"A sailor of {n} ships")
    assert entries(home) == [("update_entity", ada)] * 7


def test_a_daemon_that_is_stopped_loses_nothing(tmp_path: Path):
    token, (ada, *_) = prepared(tmp_path, "Ada")
    with running(tmp_path, token) as daemon:
        daemon.call("get_entity", entity_id=ada)
        assert "mutation_seq" in daemon.call("update_entity", entity_id=ada, summary="A sailor")
        daemon.signal(signal.SIGTERM)
        assert daemon.ended() == 0
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys, "ops") as db:
        found = db.execute("SELECT tool, entity_id FROM subscriber_agent_entity_access_log ORDER BY tool").fetchall()
    assert found == [("sophia.get_entity", ada), ("sophia.update_entity", ada)]


# --- how often was called ---


def test_calls_are_counted_by_tool_and_by_connection_with_errors_and_bytes(home: House):
    ada = home.entity("Ada")
    busy, quiet = home.agent("assistant", name="busy"), home.agent("observer", scope=[ada], name="quiet")
    home.clock.set_wall(home.clock.now() // (60 * MINUTE) * 60 * MINUTE)
    size = len(home.answer(busy, "get_entity", {"entity_id": ada}).payload)
    home.refused(busy, "get_entity", entity_id="Nobody")
    assert home.refused(busy, "create_entity", kind="k", name="n")["code"] == "approval_pending"
    home.clock.turn(60 * MINUTE)
    home.call(quiet, "get_entity", entity_id=ada)
    told = home.call(home.owner, "usage_stats")
    assert (told["calls"], told["errors"], told["tools"], told["connections"]) == (4, 1, 2, 2)
    by_tool = {row.pop("tool"): row for row in told["by_tool"]}
    assert by_tool["sophia.get_entity"]["calls"] == 3
    assert by_tool["sophia.get_entity"]["bytes"] > 2 * size
    assert by_tool["sophia.create_entity"] | {"bytes": 0} == {"calls": 1, "errors": 0, "bytes": 0}
    assert [row["connection_name"] for row in told["by_connection"]] == ["busy", "quiet"]
    later = home.call(home.owner, "usage_stats", since=told["since"].replace(":00:00.000Z", ":59:59.000Z"))
    assert later["since"] == told["since"]
    assert later["calls"] == 4
    assert home.call(home.owner, "usage_stats", since="2100-01-01T00:00:00Z")["calls"] == 0
    assert home.refused(home.owner, "usage_stats", since="yesterday")["argument"] == "since"


@pytest.mark.guarantee("A5")
def test_a_listed_scope_is_shown_the_calls_of_its_own_line_alone(home: House):
    ada = home.entity("Ada")
    parent, worker, other = (home.agent("observer", scope=[ada], name=name) for name in "pwo")
    under(home, worker, parent)
    for agent, times in ((parent, 1), (worker, 2), (other, 4)):
        for _ in range(times):
            home.call(agent, "health")
    told = home.call(parent, "usage_stats")
    assert {row["connection_name"]: row["calls"] for row in told["by_connection"]} == {"p": 1, "w": 2}
    assert told["calls"] == 3
    assert {row["connection_name"] for row in home.call(other, "usage_stats")["by_connection"]} == {"o"}


def test_counts_of_calls_that_cannot_be_written_wait(home: House):
    agent = home.agent()
    home.call(agent, "health")
    db = home.databases.ops.writer.db
    db.execute("CREATE TEMP TRIGGER full BEFORE INSERT ON main.tool_usage BEGIN SELECT raise(ABORT, 'no'); END")
    assert home.call(agent, "usage_stats")["calls"] == 0
    db.execute("DROP TRIGGER temp.full")
    assert home.call(agent, "usage_stats")["calls"] == 2


# --- kept as it was written ---


@pytest.mark.guarantee("A6")
@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE subscriber_agent_entity_access_log SET entity_id = 'e-other'",
        "DELETE FROM subscriber_agent_entity_access_log",
        "DELETE FROM entity_access_count",
        "UPDATE entity_access_count SET accesses = 0",
        "UPDATE entity_access_count SET entity_id = 'e-other'",
    ],
)
def test_neither_entries_nor_counters_can_be_changed_or_taken_away(home: House, sql: str):
    home.call(home.agent(), "get_entity", entity_id=home.entity("Ada"))
    home.parts.trail.flush()
    before = counters(home), entries(home)
    with pytest.raises(Conflict), home.databases.ops.writing() as tx:
        tx.run(sql)
    assert (counters(home), entries(home)) == before
