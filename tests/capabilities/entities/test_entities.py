from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.house import House, house


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


def made(home: House, name: str, kind: str = "person", **more: Any) -> str:
    entity_id: str = home.call(home.owner, "create_entity", kind=kind, name=name, **more)["entity"]["entity_id"]
    return entity_id


def test_an_entity_is_found_by_id_name_and_alias_however_they_are_written(home: House):
    ada = made(home, "Ada  Lovelace", aliases=["Countess of Lovelace", "ADA LOVELACE"])
    agent = home.agent("observer")
    for text in (ada, "ada lovelace", "Ada Lovelace", "ＡＤＡ LOVELACE", "countess of lovelace"):
        entity = home.call(agent, "get_entity", entity_id=text)
        assert (entity["entity_id"], entity["name"], entity["aliases"]) == (
            ada,
            "Ada Lovelace",
            ["Countess of Lovelace"],
        )
        assert home.call(agent, "resolve_entity", name=text)["entity_id"] == ada


def test_a_like_name_is_a_candidate_with_its_reason_and_never_a_guess(home: House):
    ada = made(home, "Ada Lovelace")
    made(home, "Charles Babbage")
    told = home.call(home.agent("observer"), "resolve_entity", name="Ada Lovelase")
    assert "entity_id" not in told
    assert [(each["entity_id"], each["why"]) for each in told["candidates"]] == [(ada, "spelling")]
    assert home.call(home.agent("observer"), "resolve_entity", name="zzzzzz")["candidates"] == []
    assert home.refused(home.agent("observer"), "get_entity", entity_id="Ada Lovelase")["code"] == "not_found"


def test_a_name_of_two_is_ambiguous_and_both_are_told(home: House):
    person, ship = made(home, "Mercury"), made(home, "Mercury", "ship")
    error = home.refused(home.agent("observer"), "get_entity", entity_id="mercury")
    assert error["code"] == "ambiguous"
    assert {each["entity_id"] for each in error["candidates"]} == {person, ship}
    assert home.call(home.agent("observer"), "resolve_entity", name="mercury", kind="Ship")["entity_id"] == ship


@pytest.mark.guarantee("C3")
def test_a_name_out_of_scope_is_told_like_one_that_nothing_has(home: House):
    ada, bob = made(home, "Ada Lovelace"), made(home, "Bob Stone")
    agent = home.agent("observer", scope=[bob])
    for tool, argument in (("get_entity", "entity_id"), ("query_knowledge", "entity")):
        hidden, missing = (home.refused(agent, tool, **{argument: text}) for text in ("Ada Lovelace", "Nobody"))
        del hidden["error_id"], missing["error_id"]
        assert hidden == missing
    assert home.call(agent, "resolve_entity", name="Ada Lovelac")["candidates"] == []
    assert ada not in str(home.call(agent, "list_entities"))


def test_a_likely_duplicate_is_a_conflict_before_the_owner_is_asked(home: House):
    acme = made(home, "Acme Inc.", "organisation", aliases=["Acme Holdings"])
    agent = home.agent("full")
    for name in ("ACME, inc", "Acme Ltd", "acme holding"):
        error = home.refused(agent, "create_entity", kind="Organisation", name=name)
        assert error["code"] == "conflict"
        assert error["candidates"][0]["entity_id"] == acme
    assert home.call(agent, "list_approvals")["total"] == 0
    asked = home.refused(agent, "create_entity", kind="organisation", name="Acme Ltd", allow_duplicate=True)
    assert asked["code"] == "approval_pending"
    assert home.refused(agent, "create_entity", kind="ship", name="Acme Inc.")["code"] == "approval_pending"


def test_somebody_out_of_scope_is_no_duplicate(home: House):
    made(home, "Ada Lovelace")
    agent = home.agent("full", scope=[made(home, "Bob Stone")])
    assert home.refused(agent, "create_entity", kind="person", name="Ada Lovelace")["code"] == "approval_pending"


def test_an_update_changes_what_is_given_and_nothing_else(home: House):
    ada = made(home, "Ada Byron", summary="Mathematician", attributes={"born": 1815, "tags": ["a"]})
    agent = home.agent("full")
    home.call(agent, "update_entity", entity_id=ada, name="Ada Lovelace", attributes={"born": None, "died": 1852})
    entity = home.call(agent, "get_entity", entity_id="ada lovelace")
    assert entity["summary"] == "Mathematician"
    assert entity["attributes"] == {"tags": ["a"], "died": 1852}
    assert home.refused(agent, "get_entity", entity_id="Ada Byron")["code"] == "not_found"
    assert home.refused(agent, "update_entity", entity_id=ada)["code"] == "bad_arguments"
    assert home.refused(agent, "update_entity", entity_id="Ada Lovelace", name="x")["code"] == "not_found"


def test_a_name_that_another_has_is_warned_of(home: House):
    one, other = made(home, "Ada"), made(home, "Bob")
    assert one in home.call(home.agent("full"), "update_entity", entity_id=other, name="ADA")["warning"]


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ({"a": "x" * 33_000}, "too_large"),
        ({"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 1}}}}}}}}}, "bad_arguments"),
        ({"a": 2**60}, "bad_arguments"),
    ],
    ids=["large", "deep", "integer"],
)
def test_attributes_have_bounds(home: House, attributes: dict[str, Any], code: str):
    ada = made(home, "Ada")
    assert home.refused(home.owner, "update_entity", entity_id=ada, attributes=attributes)["code"] == code


def test_aliases_come_and_go(home: House):
    ada, agent = made(home, "Ada Lovelace"), home.agent("full")
    first = home.call(agent, "add_alias", entity_id=ada, alias="Enchantress of Numbers")
    assert "mutation_seq" in first
    again = home.call(agent, "add_alias", entity_id=ada, alias="enchantress of  numbers")
    assert "mutation_seq" not in again
    assert again["entity"]["aliases"] == ["Enchantress of Numbers"]
    assert home.call(agent, "resolve_entity", name="Enchantres of Numbers")["candidates"][0]["entity_id"] == ada
    home.call(agent, "remove_alias", entity_id=ada, alias="ENCHANTRESS OF NUMBERS")
    assert home.call(agent, "resolve_entity", name="Enchantress of Numbers")["candidates"] == []
    assert home.refused(agent, "remove_alias", entity_id=ada, alias="nobody")["code"] == "not_found"
    for n in range(50):
        home.call(agent, "add_alias", entity_id=ada, alias=f"Alias {n}")
    assert home.refused(agent, "add_alias", entity_id=ada, alias="One more")["code"] == "limit_reached"


def test_an_archived_entity_leaves_lists_and_is_found_by_its_id(home: House):
    ada, agent = made(home, "Ada Lovelace"), home.agent("full")
    home.call(agent, "archive_entity", entity_id=ada)
    assert "mutation_seq" not in home.call(agent, "archive_entity", entity_id=ada)
    assert home.call(agent, "list_entities")["total"] == 0
    assert home.call(agent, "list_entities", status="archived")["total"] == 1
    assert home.call(agent, "resolve_entity", name="Lovelace Ada")["candidates"] == []
    assert home.call(agent, "get_entity", entity_id=ada)["status"] == "archived"


@pytest.mark.parametrize("name", ["   ", "\u200b", "\u0007bell", ""])
def test_a_name_can_be_seen(home: House, name: str):
    assert home.refused(home.owner, "create_entity", kind="person", name=name)["code"] == "bad_arguments"


@pytest.mark.guarantee("E2")
def test_pages_go_through_every_entity_once(home: House):
    wanted = sorted(f"Ship {letter}" for letter in "abcdefg")
    for name in reversed(wanted):
        made(home, name, "ship", allow_duplicate=True)
    agent, seen, cursor = home.agent("observer"), [], None
    while True:
        page = home.call(agent, "list_entities", kind="ship", limit=3, **({"cursor": cursor} if cursor else {}))
        assert page["total"] == len(wanted)
        seen += [each["name"] for each in page["items"]]
        cursor = page.get("cursor")
        if cursor is None:
            break
    assert seen == wanted
