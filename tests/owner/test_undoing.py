"""The owner's look at the past, and the acts that take back: confirmed by whoever is there, tried without a trace."""

from collections.abc import Iterator

import pytest

from tests.support.desk import AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


def test_the_life_of_an_entity_is_told_change_by_change(at: AtDesk):
    home = at.house
    ada = home.entity("Ada")
    home.call(home.owner, "update_entity", entity_id=ada, summary="A sailor", reason="she sails")
    fact = home.call(home.owner, "remember_fact", entity_id=ada, predicate="likes", object="tea")["fact"]["fact_id"]
    gone = home.call(home.owner, "retract_fact", fact_id=fact, reason="No more")["mutation_seq"]
    told = at.ask("timeline", {"what": "ada"})
    assert [one["tool"] for one in told] == [
        "sophia.create_entity", "sophia.update_entity", "sophia.remember_fact", "sophia.retract_fact",
    ]  # fmt: skip
    assert told[1]["reason"] == "she sails"
    (change,) = told[1]["changes"]
    assert change["fields"] == {"summary": {"after": "A sailor"}}
    assert [one["tool"] for one in at.ask("timeline", {"what": fact})] == [
        "sophia.remember_fact",
        "sophia.retract_fact",
    ]
    assert [one["tool"] for one in at.ask("timeline", {"what": ada, "table": "entity"})] == [
        told[0]["tool"],
        told[1]["tool"],
    ]
    assert [one["mutation_seq"] for one in at.ask("timeline", {"limit": 1})] == [gone]
    assert at.ask("timeline", {"since": "2999-01-01T00:00:00Z"}) == []

    back = at.ask("revert", {"mutation_seq": gone, "reason": "after all"})
    last = at.ask("timeline", {"what": fact})
    assert [one["reverted_by"] for one in last] == [None, back["mutation_seq"], None]
    assert last[-1]["reason"] == "after all"


def test_what_was_never_there_has_no_life(at: AtDesk):
    assert at.refused("timeline", {"what": "Nobody"})["code"] == "not_found"
    assert at.refused("timeline", {"what": "f-none"})["code"] == "not_found"
    assert at.refused("timeline", {"table": "chunk"})["code"] == "bad_arguments"
    assert at.refused("timeline", {"since": "soon"})["code"] == "bad_arguments"


def test_what_is_gone_is_told_by_its_id(at: AtDesk):
    home = at.house
    made = home.call(home.owner, "create_entity", kind="ship", name="Beagle")
    at.ask("revert", {"mutation_seq": made["mutation_seq"]})
    told = at.ask("timeline", {"what": made["entity"]["entity_id"]})
    assert [one["changes"][0]["op"] for one in told] == ["insert", "delete"]


@pytest.mark.guarantee("J9")
def test_taking_back_needs_the_owner_and_trying_does_not(at: AtDesk):
    home = at.house
    agent, ada = home.agent("full", name="writer"), home.entity("Ada of the acts")
    seq = home.call(agent, "update_entity", entity_id=ada, summary="x")["mutation_seq"]
    careful = desk(home, "terminal")
    head = home.databases.state.head
    revert, undo = {"mutation_seq": seq}, {"connection_id": "writer", "since": "1h"}
    for command, arguments, phrase in (
        ("revert", revert, f"revert {seq}"),
        ("undo", undo, f"undo {agent.connection_short}"),
    ):
        error = careful.refused(command, arguments)
        assert (error["code"], error["details"]["type"]) == ("presence_required", phrase)
        assert "1 rows" in error["details"]["sentence"]
        assert careful.refused(command, arguments, pid=999)["code"] == "presence_refused"
        assert careful.ask(command, {**arguments, "dry_run": True}, pid=999)["rows"] == 1
    assert home.databases.state.head == head
    assert careful.refused("revert", {"mutation_seq": 999})["code"] == "not_found"
    assert careful.refused("undo", {"connection_id": "nobody", "since": "1h"})["code"] == "not_found"
    done = careful.ask("undo", undo, presence={"typed": f"undo {agent.connection_short}"})
    assert (done["rows"], done["undone"]) == (1, [seq])
    assert "summary" not in home.call(home.owner, "get_entity", entity_id=ada)


def test_a_connection_that_is_over_is_undone_too(at: AtDesk):
    home = at.house
    agent, ada = home.agent("full", name="passing"), home.entity("Ada of the past")
    home.call(agent, "update_entity", entity_id=ada, summary="x")
    at.ask("revoke", {"connection_id": agent.connection_id})
    assert at.ask("undo", {"connection_id": agent.connection_id, "since": "1d"})["rows"] == 1
