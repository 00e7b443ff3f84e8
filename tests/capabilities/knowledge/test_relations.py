"""Entities that are connected: grounded like any claim or inferred, read from either end, and followed over others."""

from collections.abc import Iterator

import pytest

from sophia.capabilities.knowledge import paths
from tests.support import shelf
from tests.support.house import House, house


@pytest.fixture(scope="module", name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


def link(home: House, one: str, predicate: str, other: str) -> str:
    told = home.call(home.owner, "link_entities", from_id=one, predicate=predicate, to_id=other)
    fact_id: str = told["fact"]["fact_id"]
    return fact_id


@pytest.mark.guarantee("PR2")
def test_a_link_without_a_quote_is_inferred_and_supersedes_nothing_grounded(home: House):
    ada, cape, coast = home.entity("Ada L", "person"), home.entity("Cape L", "place"), home.entity("Coast L", "place")
    source = shelf.put(home, "Ada L lives at Cape L.")
    agent = home.agent("full")
    asked = {"from_id": ada, "predicate": "lives_in", "to_id": cape}
    told = home.call(agent, "link_entities", **asked, quote="Ada L lives at Cape L", source_id=source)
    assert (told["fact"]["trust_tier"], told["fact"]["quote_start"]) == ("quoted", 0)
    other = home.call(agent, "link_entities", from_id=ada, predicate="lives_in", to_id=coast)
    assert other["fact"]["trust_tier"] == "inferred"
    assert other["warning"] == "Another lives_in contradicts this one."
    now = home.call(agent, "get_fact", fact_id=told["fact"]["fact_id"])
    assert (now["status"], now["contested"]) == ("current", True)
    check = {"id": "c", "entity": ada, "predicate": "lives_in", "object": coast, "quote": "Ada L lives at Cape L"}
    verdict = home.call(agent, "check_claim_graph", source_id=source, claims=[check])["verdicts"][0]
    weak = home.call(
        agent, "link_entities", from_id=ada, predicate="lives_in", to_id=coast, quote=check["quote"], source_id=source
    )
    assert weak["fact"]["trust_tier"] == verdict["trust_tier"] == "inferred", "judged as the claim is"


def test_a_link_that_does_not_stand_is_refused_with_what_to_do(home: House):
    ada, cape = home.entity("Ada M", "person"), home.entity("Cape M", "place")
    source = shelf.put(home, "Ada M sails.")
    asked = {"from_id": ada, "predicate": "lives_in", "to_id": cape}
    error = home.refused(home.owner, "link_entities", **asked, quote="Ada M lives", source_id=source)
    assert (error["code"], error["argument"]) == ("not_grounded", "quote")
    assert "quote_not_found" in error["message"]
    assert home.refused(home.owner, "link_entities", **asked, quote="Ada M sails")["argument"] == "source_id"
    for wrong, code in (
        ({"to_id": ada}, "bad_arguments"), ({"predicate": "born_on"}, "bad_arguments"),
        ({"predicate": "Lives in"}, "bad_arguments"), ({"to_id": "e-none"}, "not_found"),
        ({"from_id": "Ada M"}, "not_found"),
    ):  # fmt: skip
        assert home.refused(home.owner, "link_entities", **{**asked, **wrong})["code"] == code, wrong


def test_relations_are_read_from_either_end_by_the_name_that_they_have_there(home: House):
    ada, works = home.entity("Ada N", "person"), home.entity("Works N", "organisation")
    fact_id = link(home, ada, "works_for", works)
    strange = link(home, works, "admires", ada)

    def seen(entity: str, **more: str) -> set[tuple[str, str, str]]:
        items = home.call(home.owner, "entity_relations", entity_id=entity, **more)["items"]
        return {(one["relation"], one["direction"], one["other_name"]) for one in items}

    assert seen(ada) == {("works_for", "out", "Works N"), ("admires", "in", "Works N")}
    assert seen(works) == {("employs", "in", "Ada N"), ("admires", "out", "Ada N")}
    assert seen(works, predicate="employs") == seen(works, predicate="works_for") == {("employs", "in", "Ada N")}
    assert seen(works, direction="out") == {("admires", "out", "Ada N")}
    told = home.call(home.owner, "unlink_entities", fact_id=fact_id, reason="She left.")
    assert (told["fact"]["status"], told["fact"]["retracted_reason"]) == ("retracted", "She left.")
    assert seen(works) == {("admires", "out", "Ada N")}
    home.call(home.owner, "unlink_entities", fact_id=strange)
    note = home.call(home.owner, "remember_fact", entity_id=ada, predicate="note", object="sails")["fact"]["fact_id"]
    assert home.refused(home.owner, "unlink_entities", fact_id=note)["code"] == "bad_arguments"


def test_a_path_is_a_shortest_one_in_either_direction_and_over_what_was_merged(home: House):
    a, b, c, d, e = (home.entity(f"Stop {name}", "place") for name in "abcde")
    twin = home.entity("Stop c, too", "place")
    for one, other in ((b, a), (b, c), (twin, d), (a, e)):
        link(home, one, "related_to", other)
    nothing = home.call(home.owner, "entity_path", from_id=a, to_id=d)
    assert (nothing["found"], nothing["hops"], nothing["complete"]) == (False, [], True)
    home.call(home.owner, "merge_entities", keep_id=c, merge_id=twin)
    told = home.call(home.owner, "entity_path", from_id="Stop a", to_id=d)
    assert [(one["from_name"], one["direction"], one["to_name"]) for one in told["hops"]] == [
        ("Stop a", "in", "Stop b"), ("Stop b", "out", "Stop c"), ("Stop c", "out", "Stop d"),
    ]  # fmt: skip
    link(home, e, "related_to", d)
    assert [one["to_id"] for one in home.call(home.owner, "entity_path", from_id=a, to_id=d)["hops"]] == [e, d]
    near = home.call(home.owner, "entity_path", from_id=a, to_id=d, max_hops=1)
    assert (near["found"], near["hint"]) == (False, "There is no way of up to 1 hops; max_hops looks further.")
    assert home.call(home.owner, "entity_path", from_id=a, to_id=a)["hops"] == []
    blind = home.agent("observer", scope=[a, b, c, d])
    assert home.call(blind, "entity_path", from_id=a, to_id=d)["found"] is False, "what was merged is out of its scope"


def test_a_search_that_reached_its_bound_says_so(home: House, monkeypatch: pytest.MonkeyPatch):
    hub, far = home.entity("Hub", "place"), home.entity("Far", "place")
    for n in range(6):
        link(home, hub, "related_to", home.entity(f"Spoke {n}", "place"))
    for bound in ("MOST_ENTITIES", "MOST_FACTS"):
        with monkeypatch.context() as patched:
            patched.setattr(paths, bound, 3)
            told = home.call(home.owner, "entity_path", from_id=hub, to_id=far)
            assert (told["found"], told["complete"]) == (False, False)
            assert "too much" in told["hint"]
    assert home.call(home.owner, "entity_path", from_id=hub, to_id=far)["complete"] is True
