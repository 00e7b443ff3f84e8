"""The reference memory server's file: entities and facts, grounded in the file, and trusted as imported at most."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.desk import desk
from tests.support.house import House, house
from tests.support.kept import kept
from tests.support.sources import brought, documents, written


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def entity(name: str, kind: str, *observations: object) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations)}


def relation(one: str, what: str, other: str) -> dict[str, Any]:
    return {"type": "relation", "from": one, "to": other, "relationType": what}


@pytest.fixture
def memory(home: House) -> Path:
    """With two objects on one line, a broken line, and no line feed at the end."""
    lines = [
        entity("Ada_Byron", "person", "Sails at noon", 'Says "ahoy"\nand means it', "Lives in Zürich since 1858", 7),
        entity("Harbour", "place"),
        json.dumps(entity("Pier", "place", "Is made of oak")) + json.dumps(relation("Pier", "is part of", "Harbour")),
        '{"type":"entity","name":"Bro',
        {"type": "tombstone", "name": "x"},
        relation("Ada_Byron", "visits", "Harbour"),
        relation("Ada_Byron", "knows", "Charles"),
    ]
    return written(home.directory / "memory.jsonl", lines, end="")


def facts(home: House) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = home.call(home.owner, "query_knowledge", limit=100)["items"]
    return {(one["entity_name"], one["predicate"], one["object"]): one for one in found}


def test_entities_observations_and_relations_come_in_grounded(home: House, memory: Path):
    told = brought(home, memory)
    assert told["kinds"] == {str(memory): "memory-server"}
    assert (told["documents"], told["entities"], told["facts"]) == (1, 4, 7)
    assert [(one["path"].rpartition("/")[2], one["reason"]) for one in told["skipped"]] == [
        ("memory.jsonl:1", "corrupt"), ("memory.jsonl:4", "corrupt"), ("memory.jsonl:5", "unsupported_type"),
    ]  # fmt: skip
    found = facts(home)
    assert set(found) == {
        ("Ada_Byron", "note", "Sails at noon"), ("Ada_Byron", "note", 'Says "ahoy"\nand means it'),
        ("Ada_Byron", "note", "Lives in Zürich since 1858"), ("Pier", "note", "Is made of oak"),
        ("Pier", "is_part_of", "Harbour"), ("Ada_Byron", "visits", "Harbour"), ("Ada_Byron", "knows", "Charles"),
    }  # fmt: skip
    assert {one["trust_tier"] for one in found.values()} <= {"imported", "inferred"}
    assert found["Ada_Byron", "note", "Lives in Zürich since 1858"]["trust_tier"] == "imported"
    (document,) = documents(home).values()
    assert document["text"].rstrip("\n") == memory.read_text(encoding="utf-8")
    for one in found.values():
        assert one["source_id"] == document["document_id"]
        assert document["text"][one["quote_start"] : one["quote_end"]] == one["quote"]
        assert home.call(home.owner, "explain_fact", fact_id=one["fact_id"])["verdict"] == "holds"
    people = home.call(home.owner, "list_entities", kind="person")["items"]
    assert [one["name"] for one in people] == ["Ada_Byron"]


def test_importing_again_changes_nothing_and_more_of_it_adds_only_that(home: House, memory: Path):
    brought(home, memory)
    before = home.dump()
    assert brought(home, memory)["mutation_seq"] is None
    assert home.dump() == before
    with memory.open("a", encoding="utf-8") as file:
        file.write('\n{"type":"entity","name":"Charles","entityType":"person","observations":["Has an engine"]}\n')
    told = brought(home, memory)
    assert (told["documents"], told["entities"], len(facts(home))) == (1, 0, 8)


def test_the_miners_add_nothing_above_imported(home: House):
    path = written(home.directory / "m.jsonl", [entity("Ada", "person", "Email: ada@example.org")])
    brought(home, path)
    while home.parts.chores.chores[1].step() == 0:
        pass
    assert {one["trust_tier"] for one in facts(home).values()} == {"imported"}


def test_an_entity_that_is_known_is_used_and_one_of_an_unclear_name_is_left_out(home: House):
    ada = home.entity("Ada", "person")
    for _ in range(2):
        home.entity("Pier", "place")
    path = written(home.directory / "m.jsonl", [entity("ada", "robot", "Sails"), entity("Pier", "place", "Is long")])
    told = brought(home, path)
    assert (told["entities"], told["facts"]) == (0, 1)
    assert told["skipped"] == [{"path": f"{path}: Pier", "reason": "ambiguous"}]
    (fact,) = home.call(home.owner, "query_knowledge")["items"]
    assert fact["entity_id"] == ada


def test_a_dry_run_of_it_tells_what_would_be_made(home: House, memory: Path):
    before = home.dump()
    told = brought(home, memory, dry_run=True)
    assert (told["documents"], told["entities"], told["facts"]) == (1, 4, 7)
    assert home.dump() == before


def test_no_secret_comes_in_by_a_fact_a_name_or_a_part_that_is_not_quoted(home: House):
    token = "ghp_" + "x7Kq2Lm9Zp4Rt8Vw1Ys6Bd3Nf5Hj0Gc2Ae4T"
    path = written(
        home.directory / "m.jsonl",
        [entity("Ada", "person", "word " * 100 + token, "Sails"), entity(f"Robot {token}", "robot", "Sails too")],
    )
    told = brought(home, path)
    assert told["masked"] == 1
    assert token not in kept(home)
    assert [one["object"] for one in facts(home).values() if one["object"] == "Sails"] == ["Sails"]


def test_what_was_forgotten_stays_out(home: House):
    path = written(home.directory / "m.jsonl", [entity("Ada", "person", "Sails"), entity("Charles", "person", "Reads")])
    brought(home, path)
    (document,) = documents(home).values()
    (ada,) = [one for one in home.call(home.owner, "list_entities")["items"] if one["name"] == "Ada"]
    desk(home).ask("forget", {"id": document["document_id"]})
    again = brought(home, path)
    assert (again["documents"], again["skipped"]) == (0, [{"path": str(path), "reason": "forgotten"}])
    desk(home).ask("forget", {"id": ada["entity_id"]})
    path.write_text(path.read_text().replace("Reads", "Reads much"))
    again = brought(home, path)
    assert (again["documents"], again["facts"]) == (1, 1)
    assert [one["name"] for one in home.call(home.owner, "list_entities")["items"]] == ["Charles"]
