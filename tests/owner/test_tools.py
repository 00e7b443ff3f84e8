"""The owner's use of the agents' tools."""

from collections.abc import Iterator

import pytest

from tests.support.desk import AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


def test_a_call_is_the_owners_and_asks_nobody(at: AtDesk):
    told = at.ask("call", {"tool": "create_entity", "arguments": {"kind": "person", "name": "Grace"}})
    assert told["mutation_seq"]
    with at.house.databases.state.reading(at.house.owner) as db:
        row = db.row("SELECT connection_id, actor_name FROM mutation WHERE seq = :seq", seq=told["mutation_seq"])
    assert row == {"connection_id": "owner", "actor_name": "owner"}


@pytest.mark.parametrize("name", ["list_entities", "sophia.list_entities", "sophia_list_entities", "listEntities"])
def test_a_tool_answers_to_every_spelling(at: AtDesk, name: str):
    assert "items" in at.ask("call", {"tool": name})


def test_an_error_of_a_tool_is_told_as_the_tool_told_it(at: AtDesk):
    error = at.refused("call", {"tool": "list_entities", "arguments": {"limt": 1}})
    assert error["code"] == "bad_arguments"
    assert "limit" in error["valid"]
    assert at.refused("call", {"tool": "no_such_tool"})["code"] == "unknown_tool"


def test_a_connections_scope_can_be_looked_through_and_nothing_done_with_it(at: AtDesk):
    one, other = at.house.entity("Seen"), at.house.entity("Unseen")
    full = at.mint(profile="full", write_approval_mode="pre_approved", entity_scope=[one], name="narrow")
    through = {"as_connection": full["connection_id"]}
    seen = at.ask("call", {"tool": "list_entities", **through})
    assert [row["entity_id"] for row in seen["items"]] == [one]
    hidden = {"tool": "get_entity", "arguments": {"entity_id": other}, **through}
    assert at.refused("call", hidden)["code"] == "not_found"
    writing = {"tool": "update_entity", "arguments": {"entity_id": one, "name": "Changed"}, **through}
    assert at.refused("call", writing)["code"] == "write_not_permitted"
    at.ask("revoke", {"connection_id": full["connection_id"]})
    assert at.refused("call", {"tool": "list_entities", **through})["code"] == "not_found"


def test_a_write_is_confirmed_and_a_read_is_not(at: AtDesk):
    careful = desk(at.house, "terminal")
    writing = {"tool": "create_entity", "arguments": {"kind": "person", "name": "Long", "summary": "x" * 900}}
    details = careful.refused("call", writing)["details"]
    assert details["type"] == "call create_entity"
    assert len(details["sentence"]) < 600
    assert careful.ask("call", {"tool": "list_entities"})["total"] is not None


def test_an_id_shows_what_it_names(at: AtDesk):
    entity_id = at.house.entity("Shown")
    assert at.ask("show", {"id": entity_id})["name"] == "Shown"
    assert not any(key.startswith("_") for key in at.ask("show", {"id": entity_id}))
    assert at.refused("show", {"id": "e-none"})["code"] == "not_found"
    assert at.refused("show", {"id": "nonsense"})["code"] == "bad_arguments"


def test_a_search_answers_as_the_tool_does(at: AtDesk):
    told = at.ask("search", {"query": "nothing like this"})
    assert told.keys() >= {"items", "total", "fusion"}
