"""Import sessions: one approval for many writes, bounded in rows and in time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.core.caller import Agent
from sophia.core.clock import MINUTE
from sophia.core.errors import ApprovalVoid
from sophia.core.scope import Scope
from sophia.dispatch.arguments import validated
from sophia.dispatch.writes import Order
from tests.support.house import House, house
from tests.support.imports import imported


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def agent(home: House) -> Agent:
    """An assistant, whose every write is asked for."""
    return home.agent("assistant")


TERMS: dict[str, Any] = {"source": "notes of a sailing club", "kind": "Notes", "max_rows": 40}


def begun(home: House, agent: Agent, **terms: Any) -> dict[str, Any]:
    """An import session that the owner approved."""
    session = imported(home, agent, **(TERMS | terms))
    return home.call(agent, "get_import_session", import_session_id=session)


def noted(home: House, agent: Agent, title: str) -> dict[str, Any]:
    return home.call(agent, "add_document", title=title, body=f"{title} sails at noon.")


def mutations(home: House, session_id: str) -> list[int]:
    with home.databases.state.reading(home.owner) as db:
        rows = db.rows("SELECT m.seq FROM mutation m WHERE m.import_session_id = :id ORDER BY m.seq", id=session_id)
    return [row["seq"] for row in rows]


def test_one_approval_covers_the_ordinary_writes_of_that_connection(home: House, agent: Agent):
    other = home.agent("assistant", name="other")
    told = begun(home, agent)
    assert told["import_session_id"].startswith("imp-")
    assert (told["status"], told["kind"], told["left"], told["connection_name"]) == ("open", "notes", 40, "agent")
    written = [noted(home, agent, name)["mutation_seq"] for name in ("Avocet", "Bunting")]
    assert mutations(home, told["import_session_id"]) == written
    assert home.refused(other, "add_document", title="x", body="y")["code"] == "approval_pending"
    found = home.call(agent, "get_import_session", import_session_id=told["import_session_id"])
    assert (found["writes"], found["rows"], found["left"]) == (2, 4, 36)
    assert found["mutations"] == written[::-1]


def test_a_graph_may_make_entities_within_a_session_and_no_elevated_tool_runs(home: House, agent: Agent):
    begun(home, agent)
    document = noted(home, agent, "Avocet")["document"]["document_id"]
    claim = {"id": "c", "entity": "Avocet", "predicate": "departs", "object": "noon", "quote": "Avocet sails at noon."}
    graph = {"source_id": document, "claims": [claim], "entities": [{"name": "Avocet", "kind": "ship"}]}
    told = home.call(agent, "submit_claim_graph", **graph)
    assert (told["accepted"], told["verdicts"][0]["trust_tier"]) == (1, "inferred")
    ship = told["entities"][0]["entity_id"]
    for tool, asked, code in (
        ("create_entity", {"kind": "ship", "name": "Bunting"}, "approval_pending"),
        ("remember_fact", {"entity_id": ship, "predicate": "colour", "object": "red"}, "approval_pending"),
        ("begin_import_session", TERMS | {"max_rows": 900}, "conflict"),
    ):
        assert home.refused(agent, tool, **asked)["code"] == code, tool
    assert home.call(home.owner, "list_entities", kind="ship")["total"] == 1


def test_outside_of_a_session_a_graph_that_makes_entities_is_asked_for(home: House):
    full = home.agent("full")
    document = noted(home, full, "Avocet")["document"]["document_id"]
    graph = {
        "source_id": document,
        "claims": [{"id": "c", "entity": "Avocet", "predicate": "departs", "object": "noon", "quote": "sails at noon"}],
        "entities": [{"name": "Avocet", "kind": "ship"}],
    }
    assert home.refused(full, "submit_claim_graph", **graph)["code"] == "approval_pending"
    begun(home, full)
    assert home.call(full, "submit_claim_graph", **graph)["accepted"] == 1


def test_a_session_takes_its_rows_and_no_more_and_a_full_one_can_be_committed(home: House, agent: Agent):
    session = begun(home, agent, max_rows=5)["import_session_id"]
    noted(home, agent, "Avocet")
    noted(home, agent, "Bunting")
    refused = home.refused(agent, "add_document", title="Curlew", body="It calls.")
    assert refused["code"] == "limit_reached"
    assert refused["details"] == {"limit": 5, "left": 1}
    assert home.call(home.owner, "list_documents")["total"] == 2
    told = home.call(agent, "commit_import_session", import_session_id=session)
    assert (told["status"], told["rows"], told["writes"]) == ("committed", 4, 2)
    assert told["mutation_seq"] == mutations(home, session)[-1]


def test_after_the_commit_the_owner_is_asked_again(home: House, agent: Agent):
    session = begun(home, agent)["import_session_id"]
    home.call(agent, "commit_import_session", import_session_id=session)
    assert home.refused(agent, "add_document", title="x", body="y")["code"] == "approval_pending"
    full = home.agent("full", name="second")
    other = begun(home, full)["import_session_id"]
    home.call(full, "commit_import_session", import_session_id=other)
    noted(home, full, "Avocet")
    assert len(mutations(home, other)) == 1  # its end


def test_a_session_ends_by_time_that_no_clock_setting_moves(home: House, agent: Agent):
    session = begun(home, agent, ttl_minutes=10)["import_session_id"]
    home.clock.set_wall(home.clock.wall + 60 * MINUTE)
    noted(home, agent, "Avocet")
    home.clock.set_wall(home.clock.wall - 60 * MINUTE)
    home.clock.turn(10 * MINUTE)
    assert home.refused(agent, "add_document", title="x", body="y")["code"] == "approval_pending"
    found = home.call(agent, "get_import_session", import_session_id=session)
    assert (found["status"], found["writes"]) == ("expired", 1)
    assert begun(home, agent)["import_session_id"] != session


def test_a_boot_ends_a_session_and_a_restart_does_not(tmp_path: Path):
    with house(directory=tmp_path) as home:
        agent = home.agent("assistant")
        session = begun(home, agent)["import_session_id"]
        noted(home, agent, "Avocet")
        tokens, clock = home.tokens, home.clock
    with house(directory=tmp_path) as again:
        again.tokens |= tokens
        again.clock.wall, again.clock.since_boot = clock.wall, clock.since_boot
        same = again.again(agent.connection_id)
        assert same is not None
        again.parts.ids.made = 500  # type: ignore[attr-defined]
        assert again.call(same, "list_import_sessions")["items"][0]["status"] == "open"
        noted(again, same, "Bunting")
        assert len(mutations(again, session)) == 2
        again.clock.reboot()
        found = again.call(same, "get_import_session", import_session_id=session)
        assert found["status"] == "expired"


def test_narrowed_rights_end_the_session(home: House, agent: Agent):
    session = begun(home, agent)["import_session_id"]
    ship = home.entity("Avocet")
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset({ship})), "owner")
    narrowed = home.again(agent.connection_id)
    assert narrowed is not None
    asked = {"title": "x", "body": "y", "entity_ids": [ship]}
    assert home.refused(narrowed, "add_document", **asked)["code"] == "approval_pending"
    assert home.call(narrowed, "get_import_session", import_session_id=session)["status"] == "expired"


def test_a_connection_of_a_list_sees_its_own_sessions_and_no_others(home: House, agent: Agent):
    ship = home.entity("Avocet")
    listed = home.agent("assistant", scope=[ship], name="listed")
    theirs = begun(home, agent)["import_session_id"]
    mine = begun(home, listed)["import_session_id"]
    told = home.call(listed, "add_document", title="x", body="y", entity_ids=[ship])
    assert mutations(home, mine) == [told["mutation_seq"]]
    assert [one["import_session_id"] for one in home.call(listed, "list_import_sessions")["items"]] == [mine]
    assert home.call(agent, "list_import_sessions")["total"] == 2
    assert home.refused(listed, "get_import_session", import_session_id=theirs)["code"] == "not_found"
    assert home.refused(agent, "commit_import_session", import_session_id=mine)["code"] == "not_permitted"
    assert home.call(home.owner, "commit_import_session", import_session_id=mine)["status"] == "committed"


def test_a_write_of_a_session_that_ended_before_it_ran_is_refused(home: House, agent: Agent):
    """What let the write through is looked at again in its own transaction."""
    session = begun(home, agent)["import_session_id"]
    tool = home.parts.catalog.find("add_document")
    assert tool is not None
    arguments = validated(tool, {"title": "Curlew", "body": "It calls."})
    order = Order(agent, tool, arguments, "call-1", import_session_id=session)
    home.call(agent, "commit_import_session", import_session_id=session)
    with pytest.raises(ApprovalVoid):
        home.parts.dispatcher.writes.run(order)
    assert home.call(home.owner, "list_documents")["total"] == 0


def test_whoever_asks_ahead_is_told_that_the_session_covers_it(home: House, agent: Agent):
    asked = {"tool": "add_document", "arguments": {"title": "x", "body": "y"}}
    assert home.call(agent, "check_write", **asked)["needs_approval"] is True
    begun(home, agent)
    told = home.call(agent, "check_write", **asked)
    assert (told["allowed"], told["needs_approval"]) == (True, False)


def test_the_owner_needs_no_session(home: House):
    assert home.refused(home.owner, "begin_import_session", **TERMS)["code"] == "unsupported"


def test_an_abort_undoes_all_of_a_session_as_one_write(home: House, agent: Agent):
    before = home.dump()
    session = begun(home, agent)["import_session_id"]
    document = noted(home, agent, "Avocet")["document"]["document_id"]
    claim = {"id": "c", "entity": "Avocet", "predicate": "departs", "object": "noon", "quote": "Avocet sails at noon."}
    graph = {"source_id": document, "claims": [claim], "entities": [{"name": "Avocet", "kind": "ship"}]}
    home.call(agent, "submit_claim_graph", **graph)
    home.call(agent, "tag_document", document_id=document, add_tags=["sea"])
    told = home.call(agent, "abort_import_session", import_session_id=session)
    assert (told["status"], told["writes"]) == ("aborted", 3)
    after = home.dump()
    for table in ("entity", "fact", "document", "document_text", "document_tag", "chunk"):
        assert after[table] == before[table], table
    assert home.call(home.owner, "search_documents", query="Avocet")["total"] == 0
    assert home.refused(agent, "add_document", title="x", body="y")["code"] == "approval_pending"
    home.call(home.owner, "revert_mutation", mutation_seq=told["mutation_seq"])
    assert home.call(home.owner, "search_documents", query="Avocet")["total"] == 1


def test_an_abort_waits_for_what_others_built_on_it(home: House, agent: Agent):
    session = begun(home, agent)["import_session_id"]
    document = noted(home, agent, "Avocet")["document"]["document_id"]
    home.call(home.owner, "tag_document", document_id=document, add_tags=["mine"])
    assert home.refused(agent, "abort_import_session", import_session_id=session)["code"] == "conflict"
    assert home.call(agent, "get_import_session", import_session_id=session)["status"] == "open"


def test_an_expired_session_is_aborted_with_the_owners_approval(home: House, agent: Agent):
    session = begun(home, agent)["import_session_id"]
    noted(home, agent, "Avocet")
    home.clock.turn(61 * MINUTE)
    pending = home.refused(agent, "abort_import_session", import_session_id=session)
    assert pending["code"] == "approval_pending"
    home.parts.approvals.approve(pending["details"]["approval_id"], "owner")
    assert home.call(home.owner, "list_documents")["total"] == 0


def test_a_revert_of_the_commit_undoes_the_session_and_does_not_open_it_again(home: House, agent: Agent):
    session = begun(home, agent)["import_session_id"]
    noted(home, agent, "Avocet")
    noted(home, agent, "Bunting")
    told = home.call(agent, "commit_import_session", import_session_id=session)
    home.call(home.owner, "revert_mutation", mutation_seq=told["mutation_seq"])
    assert home.call(home.owner, "list_documents")["total"] == 0
    assert home.call(agent, "get_import_session", import_session_id=session)["status"] == "reverted"
    assert home.refused(agent, "add_document", title="x", body="y")["code"] == "approval_pending"
    assert home.refused(agent, "commit_import_session", import_session_id=session)["code"] == "conflict"


def test_nobody_aborts_what_they_see_only_a_part_of(home: House, agent: Agent):
    session = begun(home, agent)["import_session_id"]
    ship = home.entity("Avocet")
    home.call(agent, "add_document", title="Seen", body="y", entity_ids=[ship])
    noted(home, agent, "Hidden")
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset({ship})), "owner")
    narrowed = home.again(agent.connection_id)
    assert narrowed is not None
    assert home.refused(narrowed, "abort_import_session", import_session_id=session)["code"] == "not_permitted"
    assert home.call(home.owner, "abort_import_session", import_session_id=session)["status"] == "aborted"
    assert home.call(home.owner, "list_documents")["total"] == 0
