"""One search over documents, entities and facts."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.house import House, house


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def ids(home: House) -> dict[str, str]:
    """An entity, a document and a fact about a lighthouse; and the like that belong to somebody else."""
    made: dict[str, str] = {}
    for name in ("Skerry lighthouse", "Secret lighthouse"):
        entity = home.entity(name, "place")
        body = f"# {name}\n\nThe lantern of the {name} was lit in 1844."
        document = home.call(home.owner, "add_document", title=f"Notes on {name}", body=body, entity_ids=[entity])
        document_id = document["document"]["document_id"]
        claim = {"id": "c", "entity": name, "predicate": "lit", "object": "1844", "quote": "was lit in 1844"}
        graph = home.call(home.owner, "submit_claim_graph", source_id=document_id, claims=[claim])
        made |= {
            f"{name} entity": entity,
            f"{name} document": document_id,
            f"{name} fact": graph["verdicts"][0]["fact_id"],
        }
    return made


def found(home: House, caller: Any, query: str, **more: Any) -> list[tuple[str, str]]:
    return [(item["family"], item["id"]) for item in home.call(caller, "search", query=query, **more)["items"]]


def mine(ids: dict[str, str]) -> set[tuple[str, str]]:
    return {
        ("entities", ids["Skerry lighthouse entity"]),
        ("documents", ids["Skerry lighthouse document"]),
        ("knowledge", ids["Skerry lighthouse fact"]),
    }


def test_every_family_is_in_one_ranking(home: House, ids: dict[str, str]):
    told = home.call(home.owner, "search", query="skerry lighthouse lit", explain=True)
    assert {(item["family"], item["id"]) for item in told["items"]} >= mine(ids)
    scores = [item["score"] for item in told["items"]]
    assert scores == sorted(scores, reverse=True)
    assert told["fusion"]["signals"] == ["bm25"]
    assert all(item["explain"]["ranks"] for item in told["items"])


def test_only_the_families_that_are_asked_for(home: House, ids: dict[str, str]):
    for family, other in (("entities", "entity"), ("documents", "document"), ("knowledge", "fact")):
        assert (family, ids[f"Skerry lighthouse {other}"]) in found(
            home, home.owner, "skerry lighthouse lit", families=[family]
        )
        assert {each for each, _ in found(home, home.owner, "skerry lighthouse lit", families=[family])} == {family}
    assert home.refused(home.owner, "search", query="x", families=["posts"])["code"] == "bad_arguments"
    assert home.refused(home.owner, "search", query="x", families=[])["code"] == "bad_arguments"


def test_what_is_called_exactly_so_comes_first(home: House, ids: dict[str, str]):
    assert found(home, home.owner, "Skerry Lighthouse")[0] == ("entities", ids["Skerry lighthouse entity"])


@pytest.mark.guarantee("C2", "C11")
def test_what_is_hidden_is_in_no_family(home: House, ids: dict[str, str]):
    agent = home.agent("observer", scope=[ids["Skerry lighthouse entity"]])
    assert set(found(home, agent, "lighthouse")) == mine(ids)
    assert home.call(agent, "search", query="lighthouse")["total"] == 3
    assert found(home, agent, "secret") == []
    assert found(home, agent, ids["Secret lighthouse entity"]) == []


def test_a_quote_that_cannot_be_read_finds_no_fact(home: House):
    shown, hidden = home.entity("Shown pier"), home.entity("Hidden pier")
    body = "Of the pier it says that its boards are of periwinkle oak."
    document = home.call(home.owner, "add_document", title="Boards", body=body, entity_ids=[shown, hidden])
    claim = {"id": "c", "entity": "Shown pier", "predicate": "boards", "object": "oak", "quote": "periwinkle oak"}
    home.call(home.owner, "submit_claim_graph", source_id=document["document"]["document_id"], claims=[claim])
    agent = home.agent("observer", scope=[shown])
    assert [family for family, _ in found(home, home.owner, "periwinkle", families=["knowledge"])] == ["knowledge"]
    assert found(home, agent, "periwinkle") == []
    (fact,) = home.call(agent, "search", query="oak", families=["knowledge"])["items"]
    assert "passage" not in fact


def test_nonsense_finds_nothing_and_says_so(home: House):
    told = home.call(home.owner, "search", query="xyzzyplugh")
    assert told["items"] == []
    assert told["no_match"] is True


def test_entities_are_found_by_what_they_are_called(home: House):
    ada = home.entity("Ada Lovelace", "person")
    home.call(home.owner, "add_alias", entity_id=ada, alias="Countess Byron")
    home.entity("Lovelace Ltd", "organization")
    peking = home.entity("北京大学", "organization")

    def names(query: str, **more: Any) -> list[str]:
        return [each["name"] for each in home.call(home.owner, "search_entities", query=query, **more)["items"]]

    assert names("ada lovelace")[0] == "Ada Lovelace"
    assert names("Ada Lovelance")[0] == "Ada Lovelace"
    assert set(names("lovelace")) == {"Ada Lovelace", "Lovelace Ltd"}
    assert names("lovelace", kind="Person") == ["Ada Lovelace"]
    assert names("countess byron") == ["Ada Lovelace"]
    assert names("countess") == ["Ada Lovelace"]
    assert names("北京") == ["北京大学"]
    assert names(peking) == ["北京大学"]
    told = home.call(home.owner, "search_entities", query="zzyzx")
    assert told["no_match"] is True
    first = home.call(home.owner, "search_entities", query="ada lovelace")["items"][0]
    assert (first["why"], first["score"]) == ("name", 1.0)
    home.call(home.owner, "archive_entity", entity_id=ada)
    assert "Ada Lovelace" not in names("ada lovelace")
