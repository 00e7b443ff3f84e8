"""What agents ask of the owner, at the owner's desk."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.core.caller import Agent
from sophia.core.clock import MINUTE
from tests.support.desk import AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


@pytest.fixture
def agent(at: AtDesk) -> Agent:
    return at.house.agent("assistant", name="Scribe")


@pytest.fixture
def ada(at: AtDesk) -> str:
    return at.house.entity("Ada")


def filed(at: AtDesk, agent: Agent, entity_id: str, name: str = "Ada L.") -> str:
    error = at.house.refused(agent, "update_entity", entity_id=entity_id, name=name)
    assert error["code"] == "approval_pending", error
    approval_id: str = error["details"]["approval_id"]
    return approval_id


def test_a_request_is_listed_with_all_that_the_owner_has_to_know(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    one = next(one for one in at.ask("approvals") if one["approval_id"] == approval_id)
    assert one["connection_id"] == agent.connection_id
    assert one["connection_name"] == "Scribe"
    assert one["tool"] == "sophia.update_entity"
    assert one["arguments"] == {"entity_id": ada, "name": "Ada L."}
    assert one["preview"]["changes"][0]["after"]["name"] == "Ada L."
    assert one["preview"]["changes"][0]["before"]["name"] == "Ada"
    assert len(one["arguments_sha256"]) == 64
    assert one["arguments_bytes"] > 10
    assert one["expires_at"].endswith("Z")
    assert {"approval_id", "connection_id", "tool", "arguments", "preview", "expires_at"} <= one.keys()


def test_an_approval_runs_what_was_asked_and_wakes_who_waits(at: AtDesk, agent: Agent, ada: str, monkeypatch: Any):
    approval_id, woken = filed(at, agent, ada), list[str]()
    monkeypatch.setattr(at.house.parts.waiting, "decide", woken.append)
    told = at.ask("approve", {"approval_id": approval_id})
    assert told["status"] == "approved"
    assert told["result"]["entity"]["name"] == "Ada L."
    assert woken == [approval_id]
    assert at.refused("approve", {"approval_id": approval_id})["code"] == "conflict"
    assert at.house.call(agent, "update_entity", entity_id=ada, name="Ada L.")["mutation_seq"]


def test_a_denial_reaches_the_agent_with_its_reason(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    assert at.ask("deny", {"approval_id": approval_id, "reason": "not hers"})["status"] == "denied"
    error = at.house.refused(agent, "update_entity", entity_id=ada, name="Ada L.")
    assert (error["code"], error["details"]["reason"]) == ("approval_denied", "not hers")
    at.house.clock.turn(11 * MINUTE)
    again = filed(at, agent, ada)
    shown = next(one for one in at.ask("approvals") if one["approval_id"] == again)
    assert shown["preview"]["denied_before"]["reason"] == "not hers"


@pytest.mark.guarantee("P10")
def test_a_request_that_no_longer_holds_is_void(at: AtDesk, agent: Agent, ada: str):
    changed, narrowed = filed(at, agent, ada), filed(at, agent, ada, "Ada N.")
    at.house.call(at.house.owner, "update_entity", entity_id=ada, name="Ada King")
    error = at.refused("approve", {"approval_id": changed})
    assert (error["code"], error["details"]["status"]) == ("preview_changed", "void")
    at.ask("scope", {"connection_id": agent.connection_id, "entity_scope": [ada]})
    assert at.refused("approve", {"approval_id": narrowed})["code"] == "approval_void"
    assert at.house.call(at.house.owner, "get_entity", entity_id=ada)["name"] == "Ada King"


def test_the_status_of_every_request_can_be_listed(at: AtDesk, agent: Agent, ada: str):
    approval_id = filed(at, agent, ada)
    at.ask("deny", {"approval_id": approval_id})
    assert approval_id in [one["approval_id"] for one in at.ask("approvals", {"status": "denied"})]
    assert approval_id not in [one["approval_id"] for one in at.ask("approvals")]
    assert approval_id in [one["approval_id"] for one in at.ask("approvals", {"status": None})]


def test_a_tool_is_allowed_for_a_while(at: AtDesk, agent: Agent, ada: str):
    allowed = {"tool": "updateEntity", "connection_id": agent.connection_id, "minutes": 5}
    told = at.ask("allow", allowed)
    assert told["tool"] == "sophia.update_entity"
    assert at.house.call(agent, "update_entity", entity_id=ada, name="Ada A.")["mutation_seq"]
    other = at.house.agent("assistant")
    assert at.house.refused(other, "update_entity", entity_id=ada, name="Ada B.")["code"] == "approval_pending"
    at.house.clock.turn(5 * MINUTE)
    assert at.house.refused(agent, "update_entity", entity_id=ada, name="Ada C.")["code"] == "approval_pending"
    assert json.loads(at.logged("allowed")[-1]["details"]) == {"minutes": 5, "tool": "sophia.update_entity"}


@pytest.mark.parametrize(
    ("tool", "code"),
    [("create_entity", "not_permitted"), ("list_entities", "not_permitted"), ("no_such_tool", "not_found")],
)
def test_what_is_elevated_is_never_allowed_ahead(at: AtDesk, agent: Agent, tool: str, code: str):
    assert at.refused("allow", {"tool": tool, "connection_id": agent.connection_id, "minutes": 5})["code"] == code


@pytest.mark.parametrize("minutes", [0, -5, 100_000, "5", None])
def test_an_allowance_has_an_end(at: AtDesk, agent: Agent, minutes: object):
    allowed = {"tool": "update_entity", "connection_id": agent.connection_id, "minutes": minutes}
    assert at.refused("allow", allowed)["code"] == "bad_arguments"


def test_what_is_confirmed_names_who_asked_for_what(at: AtDesk, agent: Agent):
    asked = at.house.refused(agent, "create_entity", kind="person", name="Long", summary="A" * 900)
    approval_id = asked["details"]["approval_id"]
    careful = desk(at.house, "terminal")
    details = careful.refused("approve", {"approval_id": approval_id})["details"]
    assert "'Scribe'" in details["sentence"]
    assert agent.connection_short in details["sentence"]
    assert "sophia.create_entity" in details["sentence"]
    assert "SHA-256" in details["sentence"]
    assert len(details["sentence"]) < 700
    assert details["type"] == f"approve {approval_id[-6:]}"
