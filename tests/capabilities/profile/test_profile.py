"""All of one entity in one bounded answer, and its life in time."""

from collections.abc import Iterator

import pytest

from tests.support import shelf
from tests.support.house import House, house


@pytest.fixture(scope="module", name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module", name="cape")
def _cape(home: House) -> str:
    cape = home.entity("Cape", "place")
    for n in range(12):
        home.call(home.owner, "remember_fact", entity_id=cape, predicate="note", object=f"stone {n}")
        home.clock.turn(1_000_000)
    home.call(home.owner, "link_entities", from_id=cape, predicate="located_in", to_id=home.entity("Coast", "place"))
    home.call(home.owner, "add_document", title="Of the cape", body="It has a lighthouse.", entity_ids=[cape])
    return cape


def test_a_profile_shows_the_newest_of_each_family_and_how_much_there_is(home: House, cape: str):
    told = home.call(home.agent("observer"), "get_entity_profile", entity_id="cape")
    assert told["entity"]["entity_id"] == cape
    assert (told["facts"]["total"], len(told["facts"]["items"])) == (13, 10)
    assert [one["object"] for one in told["facts"]["items"][:2]] == ["Coast", "stone 11"]
    assert [(one["relation"], one["other_name"]) for one in told["relations"]["items"]] == [("located_in", "Coast")]
    assert [one["title"] for one in told["documents"]["items"]] == ["Of the cape"]
    assert told["contradictions"] == {"total": 0, "items": []}
    assert told["pages"] == told["events"] == {"total": 0, "items": []}
    assert told["timeline"]["total"] == home.call(home.owner, "entity_timeline", entity_id=cape)["total"]
    assert "left_out" not in told


def test_a_profile_keeps_to_its_bytes_and_says_what_it_left_out(home: House, cape: str):
    answer = home.answer(home.owner, "get_entity_profile", {"entity_id": cape, "max_bytes": 4000})
    assert not answer.is_error
    assert len(answer.payload) <= 4000
    told = home.call(home.owner, "get_entity_profile", entity_id=cape, max_bytes=4000)
    assert "facts" in told["left_out"]
    assert 0 < len(told["facts"]["items"]) < 10
    assert told["facts"]["total"] == 13
    large = home.call(
        home.owner, "create_entity", kind="place", name="Large", attributes={"text": "x" * 31_000}, summary="y" * 2000
    )["entity"]["entity_id"]
    told = home.call(home.owner, "get_entity_profile", entity_id=large, max_bytes=8000)
    assert told["left_out"] == ["entity"]
    assert "attributes" not in told["entity"]


def test_a_timeline_goes_through_facts_documents_and_writes(home: House):
    tower = home.entity("Tower", "place")
    document = shelf.put(home, "The tower was built in 1874.")
    home.call(home.owner, "link_document", document_id=document, add_entity_ids=[tower])
    claim = {"id": "c", "entity": tower, "predicate": "note", "object": "built in 1874", "quote": "was built in 1874"}
    claim["observed_at"] = "1874-05-01"
    verdicts = home.call(home.owner, "submit_claim_graph", source_id=document, claims=[claim])["verdicts"]
    home.clock.turn(1_000_000)
    fact_id = verdicts[0]["fact_id"]
    home.call(home.owner, "retract_fact", fact_id=fact_id, reason="It was 1884.")
    told = home.call(home.owner, "entity_timeline", entity_id="Tower")["items"]
    assert told[0]["said"] == "sophia.retract_fact"
    by = {one["id"]: one for one in told}
    assert by[fact_id]["said"] == "Tower note built in 1874"
    assert (by[fact_id]["status"], by[fact_id]["observed_at"]) == ("retracted", "1874-05-01T00:00:00.000Z")
    assert by[document]["family"] == "document"
    assert {one["said"] for one in told if one["family"] == "mutation"} == {
        "sophia.create_entity", "sophia.link_document", "sophia.submit_claim_graph", "sophia.retract_fact",
    }  # fmt: skip
    assert [one["at"] for one in told] == sorted((one["at"] for one in told), reverse=True)
