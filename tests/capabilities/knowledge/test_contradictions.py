"""What contradicts what: in the list, in each fact and in orient alike. And the five shapes in which facts change."""

from collections.abc import Iterator
from typing import Any

import pytest

from sophia.core.clock import SECOND, rfc3339
from tests.support.claimed import current, fact
from tests.support.house import House, house

DAY = "2020-01-01"


@pytest.fixture(name="home", scope="module")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(name="cape")
def _cape(home: House) -> str:
    """A place of each test's own."""
    return home.entity(f"Cape {home.parts.ids.new('n')}", "place")


def contested(home: House, caller: Any, /, **asked: Any) -> set[str]:
    """The facts that say themselves that they are contested."""
    return {
        each["fact_id"]
        for each in home.call(caller, "query_knowledge", history=True, limit=200, **asked)["items"]
        if each["contested"]
    }


def listed(home: House, caller: Any, /, **asked: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = home.call(caller, "list_contradictions", **asked)["items"]
    return items


@pytest.mark.guarantee("V18")
def test_every_list_of_contradictions_agrees_with_the_facts_themselves():
    with house() as home:
        agreeing(home, home.entity("Cape", "place"), home.entity("Other", "place"))


def agreeing(home: House, cape: str, other: str) -> None:
    home.call(home.owner, "define_predicate", predicate="colour", value_type="text", single_valued=True)
    said: dict[str, list[str]] = {}
    for entity, predicate, value, more in (
        (cape, "colour", "red", {}), (cape, "colour", "blue", {}), (cape, "colour", "Blue", {}),
        (cape, "note", "red", {}), (cape, "note", "blue", {}),
        (cape, "likes", "rain", {}), (cape, "dislikes", "Rain", {}), (cape, "likes", "sun", {}),
        (cape, "uses_of", "oil", {}), (cape, "not_uses_of", "oil", {}), (cape, "not_uses_of", "gas", {}),
        (other, "address", "Pier 1", {"valid_to": DAY}), (other, "address", "Pier 2", {"valid_from": DAY}),
        (other, "country", "Spain", {"valid_to": "2020-01-02"}), (other, "country", "France", {"valid_from": DAY}),
    ):  # fmt: skip
        said.setdefault(predicate, []).append(fact(home, entity, predicate, value, **more))
    weaker = home.call(home.agent("full"), "correct_fact", fact_id=said["note"][0], object="green", reason="r")
    told = {(each["entity_id"], each["predicate"]): each for each in listed(home, home.owner)}
    expected = {
        (cape, "colour"): said["colour"],
        (cape, "likes"): [said["likes"][0], *said["dislikes"]],
        (cape, "uses_of"): [said["uses_of"][0], said["not_uses_of"][0]],
        (cape, "note"): [said["note"][0], weaker["fact"]["fact_id"]],
        (other, "country"): said["country"],
    }
    assert {key: sorted(one["fact_id"] for one in each["facts"]) for key, each in told.items()} == {
        key: sorted(each) for key, each in expected.items()
    }
    assert contested(home, home.owner) == {one for each in expected.values() for one in each}
    assert all(one.get("quote") or one["trust_tier"] == "inferred" for each in told.values() for one in each["facts"])
    assert home.call(home.owner, "knowledge_stats")["contradictions"] == len(expected)
    sections = home.call(home.owner, "orient")["sections"]
    assert "sophia.list_contradictions" in {each["tool"] for each in sections["recommended_actions"]["items"]}
    told_by_orient = sections["contradictions"]
    assert (told_by_orient["total"], len(told_by_orient["items"])) == (5, 5)
    assert told_by_orient["items"][0]["predicate"] == "note", "the one that arose last comes first"
    assert [each["predicate"] for each in listed(home, home.owner, entity_id="Other")] == ["country"]
    home.call(home.owner, "define_predicate", predicate="colour", value_type="text", single_valued=False)
    assert not contested(home, home.owner) & set(said["colour"])
    assert len(listed(home, home.owner)) == 4


def test_of_many_facts_the_best_grounded_of_each_value_are_shown(home: House, cape: str):
    for n in range(5):
        fact(home, cape, "address", "Pier 1", origin="owner" if n == 4 else "agent")
    fact(home, cape, "address", "Pier 2", origin="agent")
    (told,) = listed(home, home.owner, entity_id=cape)
    assert [each["object"] for each in told["facts"][:2]] == ["Pier 1", "Pier 2"]
    assert told["facts"][0]["trust_tier"] == "quoted"
    assert (told["total_facts"], len(told["facts"])) == (6, 4)


@pytest.mark.guarantee("C2", "C12")
def test_a_contradiction_shows_what_the_caller_sees_of_it(home: House, cape: str):
    near, hidden = home.entity("Near", "place"), home.entity("Hidden Quay", "place")
    for place in (near, hidden):
        fact(home, cape, "located_in", place)
    fact(home, cape, "located_in", "the east", object_type="text")
    assert listed(home, home.owner, entity_id=cape)[0]["total_facts"] == 3
    narrow = home.agent("observer", scope=[cape, near])
    (told,) = listed(home, narrow)
    assert (told["total_facts"], {each["object"] for each in told["facts"]}) == (2, {"Near", "the east"})
    payload = home.answer(narrow, "orient", {}).payload.decode()
    assert "the east" in payload
    assert "Hidden" not in payload
    assert listed(home, home.agent("observer", scope=[cape])) == []
    assert contested(home, home.agent("observer", scope=[cape])) == set()


@pytest.mark.guarantee("V14")
def test_replaced(home: House, cape: str):
    old = fact(home, cape, "address", "Pier 1")
    assert current(home, cape, "address") == ["Pier 1"]
    new = fact(home, cape, "address", "Pier 2")
    assert contested(home, home.owner, entity=cape) == {old, new}, "undecidable until somebody decides"
    home.call(home.owner, "supersede_fact", fact_id=old, by_fact_id=new)
    assert current(home, cape, "address") == ["Pier 2"]
    assert current(home, cape, "address", history=True) == ["Pier 2", "Pier 1"]
    assert contested(home, home.owner, entity=cape) == set()


@pytest.mark.guarantee("V14")
def test_turned_into_its_opposite(home: House, cape: str):
    yes, no = fact(home, cape, "likes", "rain"), fact(home, cape, "dislikes", "rain")
    assert contested(home, home.owner, entity=cape) == {yes, no}
    home.call(home.owner, "retract_fact", fact_id=yes, reason="no more")
    assert (current(home, cape, "likes"), current(home, cape, "dislikes")) == ([], ["rain"])
    assert contested(home, home.owner, entity=cape) == set()
    assert current(home, cape, "likes", history=True) == ["rain"]


@pytest.mark.guarantee("V14")
def test_taken_back_without_another_in_its_place(home: House, cape: str):
    gone, stays = fact(home, cape, "note", "haunted"), fact(home, cape, "note", "windy")
    home.call(home.owner, "retract_fact", fact_id=gone, reason="a tale")
    assert current(home, cape, "note") == ["windy"]
    assert current(home, cape, "note", query="haunted") == []
    assert current(home, cape, "note", history=True) == ["windy", "haunted"]
    assert contested(home, home.owner, entity=cape) == set()
    assert home.call(home.owner, "get_fact", fact_id=stays)["status"] == "current"


@pytest.mark.guarantee("V14")
def test_changed_in_part(home: House, cape: str):
    one, other = fact(home, cape, "phone", "030 1234"), fact(home, cape, "phone", "030 9999")
    home.call(home.owner, "correct_fact", fact_id=one, object="030 1235", reason="a digit")
    assert set(current(home, cape, "phone")) == {"030 1235", "030 9999"}
    assert set(current(home, cape, "phone", history=True)) == {"030 1234", "030 1235", "030 9999"}
    assert contested(home, home.owner, entity=cape) == set()
    assert home.call(home.owner, "get_fact", fact_id=other)["status"] == "current"


@pytest.mark.guarantee("V14")
def test_bounded_in_time(home: House, cape: str):
    now = home.clock.now()
    day = [rfc3339(now + n * 86_400 * SECOND)[:10] for n in (-10, 1)]
    fact(home, cape, "status", "closed", valid_to=day[0])
    fact(home, cape, "status", "open", valid_from=day[0], valid_to=day[1])
    fact(home, cape, "status", "sold", valid_from=day[1])
    assert current(home, cape, "status") == ["open"]
    assert home.call(home.owner, "search", query="closed", families=["knowledge"])["items"] == []
    assert current(home, cape, "status", valid_at=day[1]) == ["sold"]
    assert current(home, cape, "status", valid_at="2000-01-01") == ["closed"]
    assert set(current(home, cape, "status", history=True)) == {"closed", "open", "sold"}
    assert contested(home, home.owner, entity=cape) == set()
    home.clock.turn(2 * 86_400 * SECOND)
    assert current(home, cape, "status") == ["sold"]
