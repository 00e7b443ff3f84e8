import json
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.core.clock import SECOND
from tests.support import shelf
from tests.support.house import House, house


@pytest.fixture(name="home", scope="module")
def _home() -> Iterator[House]:
    with house() as standing:
        ada, bob = standing.entity("Ada", "person"), standing.entity("Bob", "person")
        standing.clock.turn(60 * SECOND)
        document = shelf.put(standing, "Ada knows Bob.", entity_ids=[ada, bob])
        standing.clock.turn(60 * SECOND)
        claims = [{"id": "c", "entity": ada, "predicate": "knows", "object": "Bob", "quote": "Ada knows Bob"}]
        agent = standing.agent("full", name="scribe")
        standing.call(agent, "submit_claim_graph", source_id=document, claims=claims, reason="the minutes")
        standing.call(agent, "update_entity", entity_id=bob, summary="A friend")
        yield standing


def tools_of(home: House, **arguments: Any) -> list[str]:
    """The tools behind the mutations that are listed, newest first."""
    page = home.parts.dispatcher.call(home.owner, "list_mutations", arguments)
    told = json.loads(page.payload)
    assert not page.is_error, told
    assert told["total"] == len(told["items"])
    return [each["tool"].removeprefix("sophia.") for each in told["items"]]


def test_every_write_is_listed_newest_first(home: House):
    assert tools_of(home) == ["update_entity", "submit_claim_graph", "test", "create_entity", "create_entity"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"table": "fact"}, ["submit_claim_graph"]),
        ({"table": "entity_alias"}, []),
        ({"entity_id": "Ada"}, ["submit_claim_graph", "test", "create_entity"]),
        ({"entity_id": "bob"}, ["update_entity", "submit_claim_graph", "test", "create_entity"]),
        ({"tool": "create_entity"}, ["create_entity", "create_entity"]),
        ({"tool": "createEntity", "entity_id": "Ada"}, ["create_entity"]),
        ({"tool": "nonsense"}, []),
        ({"connection_id": "owner", "table": "document"}, ["test"]),
        ({"since": "2026-09-21T14:14:00Z", "until": "2026-09-21T14:15:00Z"}, ["test"]),
    ],
    ids=str,
)
def test_mutations_are_found_by_what_they_touched(home: House, arguments: dict[str, Any], expected: list[str]):
    assert tools_of(home, **arguments) == expected


def test_a_table_that_there_is_none_of_is_refused_with_those_there_are(home: House):
    error = home.refused(home.agent(), "list_mutations", table="entities")
    assert (error["code"], error["argument"]) == ("bad_arguments", "table")
    assert {"entity", "fact"} <= set(error["valid"])


def test_a_mutation_shows_each_row_before_and_after(home: House):
    bob = home.call(home.owner, "get_entity", entity_id="Bob")["entity_id"]
    (latest,) = home.call(home.owner, "list_mutations", row_id=bob, table="entity", limit=1)["items"]
    assert (latest["actor_name"], latest["rows"]) == ("scribe", 1)
    whole = home.call(home.owner, "get_mutation", mutation_seq=latest["mutation_seq"])
    (change,) = whole["changes"]
    assert (change["table"], change["row_id"], change["op"]) == ("entity", bob, "update")
    assert (change["before"]["summary"], change["after"]["summary"]) == (None, "A friend")
    assert "user_id" not in change["after"]


def test_the_reason_is_kept(home: House):
    page = home.call(home.owner, "list_mutations", table="fact", limit=1)
    assert page["items"][0]["reason"] == "the minutes"


@pytest.mark.guarantee("C12", "C3")
def test_a_mutation_shows_only_to_whoever_sees_all_that_it_touched(home: House):
    ada = home.call(home.owner, "get_entity", entity_id="Ada")["entity_id"]
    narrow = home.agent("observer", scope=[ada])
    page = home.call(narrow, "list_mutations")
    assert (page["total"], page["items"][0]["tool"]) == (1, "sophia.create_entity")
    hidden, missing = (home.refused(narrow, "get_mutation", mutation_seq=seq) for seq in (4, 999))
    del hidden["error_id"], missing["error_id"]
    assert hidden == missing
    nobody = home.agent("observer", scope=[])
    assert home.call(nobody, "list_mutations")["total"] == 0


def test_a_mutation_too_large_for_one_answer_is_cut_and_says_so():
    with house() as home:
        zoe = home.entity("Zoe")
        home.call(home.owner, "update_entity", entity_id=zoe, attributes={"a": "x" * 30_000})
        seq = home.call(home.owner, "list_mutations", limit=1)["items"][0]["mutation_seq"]
        whole = home.call(home.owner, "get_mutation", mutation_seq=seq)
        assert (whole["rows"], whole.get("changes"), whole["changes_left_out"]) == (1, None, 1)
