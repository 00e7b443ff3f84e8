"""Two entities made one: everything of both is found under either, nobody sees more, and it is taken back whole."""

import json
from collections.abc import Iterator
from typing import Any

import apsw
import pytest

from sophia.store.migrate import migrations
from tests.support.house import House, house


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


def person(home: House, name: str, **more: Any) -> str:
    made: str = home.call(
        home.owner, "create_entity", kind="person", name=name, allow_duplicate=True, **more
    )["entity"]["entity_id"]  # fmt: skip
    return made


def fact(home: House, entity_id: str, value: str, predicate: str = "note") -> str:
    told = home.call(home.owner, "remember_fact", entity_id=entity_id, predicate=predicate, object=value)
    fact_id: str = told["fact"]["fact_id"]
    return fact_id


def facts(home: House, caller: Any, entity: str) -> set[str]:
    return {one["fact_id"] for one in home.call(caller, "query_knowledge", entity=entity, limit=200)["items"]}


def test_the_merged_one_is_found_as_the_kept_one_by_every_name_and_it_is_said(home: House):
    ada, king = person(home, "Ada Lovelace"), person(home, "Augusta King", aliases=["Countess of L."])
    told = home.call(home.agent("full"), "merge_entities", keep_id=ada, merge_id=king)
    assert (told["entity"]["entity_id"], told["merged_id"]) == (ada, king)
    assert told["entity"]["merged_ids"] == [king]
    agent = home.agent("observer")
    for name in (king, "augusta king", "Countess of L."):
        assert home.call(agent, "get_entity", entity_id=name)["entity_id"] == ada
        found = home.call(agent, "resolve_entity", name=name)
        assert found["entity_id"] == ada
        assert [(one["why"], one["merged_id"], one["name"]) for one in found["candidates"]] == [
            ("merged into", king, "Ada Lovelace")
        ]
    like = home.call(agent, "resolve_entity", name="Augusta Kin")["candidates"][0]
    assert (like["entity_id"], like["merged_id"], like["why"]) == (ada, king, "spelling")
    hits = home.call(agent, "search_entities", query="augusta")["items"]
    assert [(one["entity_id"], one["name"]) for one in hits] == [(ada, "Ada Lovelace")]
    assert [one["entity_id"] for one in home.call(agent, "list_entities")["items"]] == [ada]
    gone = home.call(agent, "list_entities", status="merged")["items"]
    assert [(one["entity_id"], one["merged_into"]) for one in gone] == [(king, ada)]
    assert home.refused(home.owner, "create_entity", kind="person", name="Augusta King")["candidates"] == [
        {"entity_id": ada, "name": "Ada Lovelace", "kind": "person", "score": 1.0, "why": "merged into",
         "merged_id": king}
    ]  # fmt: skip


def test_what_is_linked_to_either_is_found_under_both(home: House):
    ada, king = person(home, "Ada Lovelace"), person(home, "Augusta King")
    made = {
        "documents": home.call(home.owner, "add_document", title="Notes", body="Of the engine.", entity_ids=[king])[
            "document"
        ]["document_id"],
        "goal": home.call(home.owner, "set_goal", title="Publish", entity_ids=[king])["goal"]["goal_id"],
        "fact": fact(home, king, "Loved horses"),
    }
    home.call(home.owner, "merge_entities", keep_id=ada, merge_id=king)
    for name in (ada, king):
        assert made["documents"] in str(home.call(home.owner, "list_documents", entity_id=name)["items"])
        assert home.call(home.owner, "search_documents", query="engine", entity_id=name)["total"] == 1
        assert home.call(home.owner, "ingest_status", entity_id=name)["searchable"] == 1
        assert made["goal"] in str(home.call(home.owner, "list_goals", entity_id=name)["items"])
        assert facts(home, home.owner, name) == {made["fact"]}
        tools = [one["tool"] for one in home.call(home.owner, "list_mutations", entity_id=name)["items"]]
        assert {"sophia.merge_entities", "sophia.remember_fact", "sophia.add_document"} <= set(tools)
    [one] = home.call(home.owner, "search_documents", query="ada lovelace")["items"]
    assert one["document_id"] == made["documents"], "the documents of what a query names come first"
    told = home.call(home.owner, "get_fact", fact_id=made["fact"])
    assert (told["entity_id"], told["entity_name"]) == (ada, "Ada Lovelace")
    assert ada in str(home.call(home.owner, "orient")["sections"]["hot_entities"])


def test_a_merge_is_one_mutation_that_an_unmerge_takes_back_whatever_came_since(home: House):
    ada, king = person(home, "Ada Lovelace"), person(home, "Augusta King", aliases=["Countess"])
    before = {one: home.call(home.owner, "get_entity", entity_id=one) for one in (ada, king)}
    own, other = fact(home, ada, "wrote notes"), fact(home, king, "loved horses")
    agent = home.agent("full")
    merged = home.call(agent, "merge_entities", keep_id=ada, merge_id=king)["mutation_seq"]
    assert home.call(agent, "list_mutations", tool="merge_entities")["total"] == 1
    changed = home.call(agent, "get_mutation", mutation_seq=merged)["changes"]
    assert {(one["table"], one["op"]) for one in changed} == {("entity", "update"), ("entity_merge", "insert")}
    later = home.call(home.owner, "remember_fact", entity_id=king, predicate="note", object="of the analytical engine")
    assert later["fact"]["entity_id"] == ada
    assert later["warning"] == f"{king} was merged into {ada}, which this is about."
    told = home.call(agent, "unmerge_entities", entity_id=king)
    assert (told["entity"]["entity_id"], told["kept_id"]) == (king, ada)
    after = {one: home.call(home.owner, "get_entity", entity_id=one) for one in (ada, king)}
    assert after[ada] == before[ada]
    assert after[king] == before[king]
    assert facts(home, agent, ada) == {own, later["fact"]["fact_id"]}
    assert facts(home, agent, king) == {other}
    assert home.call(agent, "resolve_entity", name="Countess")["entity_id"] == king
    assert home.refused(agent, "unmerge_entities", entity_id=king)["code"] == "conflict"


def test_values_that_meet_by_a_merge_contradict_each_other_and_no_longer_when_it_is_undone(home: House):
    ada, king = person(home, "Ada"), person(home, "Augusta")
    works, same = home.entity("Works", "organisation"), home.entity("The Works", "organisation")
    fact(home, ada, "Poet", "job_title")
    fact(home, king, "Countess", "job_title")
    fact(home, ada, works, "lives_in")
    fact(home, king, same, "lives_in")
    told = home.call(home.owner, "merge_entities", keep_id=ada, merge_id=king)
    assert told["contested"] == ["job_title", "lives_in"]
    assert told["warning"] == "Facts contradict each other now: job_title, lives_in."
    home.call(home.owner, "merge_entities", keep_id=works, merge_id=same)
    now = {(one["predicate"], one["contested"]) for one in home.call(home.owner, "query_knowledge")["items"]}
    assert now == {("job_title", True), ("lives_in", False)}, "one home under two ids is no contradiction"
    assert home.call(home.owner, "query_knowledge", object=works)["total"] == 2
    disputes = home.call(home.owner, "get_entity_profile", entity_id=king)["contradictions"]
    assert disputes["total"] == 1
    assert [one["object"] for one in disputes["items"][0]["facts"]] == ["Countess", "Poet"]
    home.call(home.owner, "unmerge_entities", entity_id=king)
    assert not any(one["contested"] for one in home.call(home.owner, "query_knowledge")["items"])


def test_what_was_rejected_or_corrected_of_either_stays_so_of_both(home: House):
    ada, king = person(home, "Ada"), person(home, "Augusta")
    made = home.call(home.owner, "add_document", title="Log", body="She is tall.", entity_ids=[ada, king])
    source = made["document"]["document_id"]

    def claimed(predicate: str) -> dict[str, Any]:
        claim = {"id": "c", "entity": king, "predicate": predicate, "object": "tall", "quote": "She is tall."}
        told = home.call(home.agent("full"), "submit_claim_graph", source_id=source, claims=[claim])
        verdict: dict[str, Any] = told["verdicts"][0]
        return verdict

    old = claimed("full_name")["fact_id"]
    new = home.call(home.owner, "correct_fact", fact_id=old, object="small", reason="r")["fact"]["fact_id"]
    home.call(home.owner, "reject_value", entity_id=king, predicate="note", object="Tall", reason="r")
    home.call(home.owner, "merge_entities", keep_id=ada, merge_id=king)
    assert claimed("full_name")["fact_id"] == old
    assert claimed("note")["reason"] == "rejected_value"
    assert [one["fact_id"] for one in home.call(home.owner, "fact_history", fact_id=new)["items"]] == [old, new]
    assert home.call(home.owner, "facts_as_of", entity_id="Ada")["total"] == 1


@pytest.mark.guarantee("C8")
def test_a_merge_widens_nobodys_scope(home: House):
    ada, king = person(home, "Ada Lovelace"), person(home, "Augusta King", summary="kanarienvogel")
    own, other = fact(home, ada, "wrote notes"), fact(home, king, "kanarienvogel")
    shared = home.call(home.owner, "link_entities", from_id=ada, predicate="knows", to_id=king)["fact"]["fact_id"]
    for entity_id, words in ((ada, "Open"), (king, "Kanarienvogel")):
        home.call(home.owner, "add_document", title=words, body=f"{words} it is.", entity_ids=[entity_id])
    one, both, other_one = (home.agent("full", scope=each) for each in ([ada], [ada, king], [king]))
    before = {name: _seen(home, name, ada, king) for name in (one, other_one)}
    home.call(home.owner, "merge_entities", keep_id=ada, merge_id=king)
    assert facts(home, one, ada) == {own}
    assert facts(home, other_one, king) == {other}
    assert facts(home, both, king) == {own, other, shared}, "the positive control"
    for name in (one, other_one):
        assert home.refused(name, "query_knowledge", entity=king if name is one else ada)["code"] == "not_found"
    assert "kanarien" not in str(_seen(home, one, ada, king))
    assert _seen(home, one, ada, king) == before[one]
    after = str(_seen(home, other_one, ada, king))
    assert after.replace("'status': 'merged'", "'status': 'active'") == str(before[other_one])
    assert ada not in after


def _seen(home: House, caller: Any, ada: str, king: str) -> list[Any]:
    """What a connection is told when it asks for either in many ways, times of change aside."""
    told = []
    for tool, arguments in (
        *((tool, {argument: each}) for each in (ada, king, "Ada Lovelace", "Augusta King") for tool, argument in (
            ("get_entity", "entity_id"), ("resolve_entity", "name"), ("search_entities", "query"),
            ("query_knowledge", "entity"), ("list_documents", "entity_id"), ("entity_relations", "entity_id"),
            ("search", "query"),
        )),
        ("query_knowledge", {}), ("list_documents", {}), ("find_duplicate_entities", {}),
    ):  # fmt: skip
        answer = home.parts.dispatcher.call(caller, tool, arguments)
        told.append(_without(json.loads(answer.payload), "updated_at", "error_id", "at", "looked_at"))
    return told


def _without(value: Any, *keys: str) -> Any:
    if isinstance(value, dict):
        return {name: _without(one, *keys) for name, one in value.items() if name not in keys}
    return [_without(one, *keys) for one in value] if isinstance(value, list) else value


@pytest.mark.guarantee("C5", "C8")
def test_who_does_not_see_both_neither_merges_nor_unmerges(home: House):
    ada, king = person(home, "Ada Lovelace"), person(home, "Augusta King")
    agent = home.agent("full", scope=[ada])
    for terms, argument in (
        ({"keep_id": ada, "merge_id": king}, "merge_id"), ({"keep_id": king, "merge_id": ada}, "keep_id"),
    ):  # fmt: skip
        error = home.refused(agent, "merge_entities", **terms)
        assert (error["code"], error["argument"]) == ("not_found", argument)
    both = home.agent("full", scope=[ada, king])
    home.call(both, "merge_entities", keep_id=ada, merge_id=king)
    half = home.agent("full", scope=[king])
    assert home.refused(half, "unmerge_entities", entity_id=king)["code"] == "not_found"
    assert ada not in str(home.refused(half, "update_entity", entity_id=king, summary="x"))
    assert home.refused(both, "update_entity", entity_id=king, summary="x")["details"] == {"entity_id": ada}
    home.call(both, "unmerge_entities", entity_id=king)


def test_chains_go_to_their_end_and_come_apart_link_by_link(home: House):
    one, two, three = (person(home, f"Person {name}") for name in ("one", "two", "three"))
    each = {entity: fact(home, entity, f"is {entity}") for entity in (one, two, three)}
    home.call(home.owner, "merge_entities", keep_id=two, merge_id=one)
    error = home.refused(home.owner, "merge_entities", keep_id=three, merge_id=one)
    assert (error["code"], error["argument"], error["details"]) == ("conflict", "merge_id", {"entity_id": two})
    again = home.call(home.owner, "merge_entities", keep_id=two, merge_id=one)
    assert again["warning"].startswith("Nothing was changed")
    assert "mutation_seq" not in again
    home.call(home.owner, "merge_entities", keep_id=three, merge_id=two)
    for name in (one, two, three):
        assert facts(home, home.owner, name) == set(each.values())
    assert home.call(home.owner, "get_entity", entity_id=one)["merged_ids"] == sorted([one, two])
    error = home.refused(home.owner, "merge_entities", keep_id=one, merge_id=three)
    assert (error["code"], error["argument"]) == ("conflict", "keep_id")
    narrow = home.agent("full", scope=[one, three])
    assert facts(home, narrow, one) == {each[one]}, "nothing is followed through what is not seen"
    home.call(home.owner, "unmerge_entities", entity_id=two)
    assert facts(home, home.owner, three) == {each[three]}
    assert facts(home, home.owner, one) == {each[one], each[two]}
    assert home.call(home.owner, "get_entity", entity_id=one)["entity_id"] == two


def test_what_cannot_be_one_is_refused_in_words(home: House):
    ada, old = person(home, "Ada"), person(home, "Old")
    assert home.refused(home.owner, "merge_entities", keep_id=ada, merge_id=ada)["code"] == "bad_arguments"
    home.call(home.owner, "archive_entity", entity_id=old)
    assert home.refused(home.owner, "merge_entities", keep_id=old, merge_id=ada)["code"] == "conflict"
    home.call(home.owner, "merge_entities", keep_id=ada, merge_id=old)
    assert home.call(home.owner, "unmerge_entities", entity_id=old)["entity"]["status"] == "archived"
    folder = home.directory / "notes"
    folder.mkdir()
    home.parts.roots.grant(str(folder), "owner")
    shelf = home.call(home.owner, "register_folder", path=str(folder))["entity_id"]
    for keep, merge in ((ada, shelf), (shelf, ada)):
        assert home.refused(home.owner, "merge_entities", keep_id=keep, merge_id=merge)["code"] == "unsupported"
    told = home.call(home.owner, "merge_entities", keep_id=ada, merge_id=home.entity("Beagle", "ship"))
    assert told["warning"] == "A ship went into a person."


def test_the_database_itself_holds_no_circle_of_merges():
    db = apsw.Connection(":memory:")
    for _number, statements in migrations("state"):
        db.execute(statements)
    merge = "INSERT INTO entity_merge VALUES (?, 'u', ?, 'active', 0)"
    db.execute(merge, ("e-a", "e-b"))
    db.execute(merge, ("e-b", "e-c"))
    for one, into in (("e-c", "e-a"), ("e-c", "e-b"), ("e-d", "e-d")):
        with pytest.raises(apsw.ConstraintError):
            db.execute(merge, (one, into))
    db.execute(merge, ("e-c", "e-d"))
    with pytest.raises(apsw.ConstraintError):
        db.execute("UPDATE entity_merge SET into_id = 'e-a' WHERE id = 'e-c'")


def test_an_agent_brings_no_rejected_value_back_by_a_merge_and_the_owner_is_told_of_it(home: House):
    ada, king, club = person(home, "Ada"), person(home, "King"), person(home, "Club")
    other = person(home, "Other club")
    agent = home.agent("full")
    home.call(home.owner, "reject_value", entity_id=ada, predicate="hobby", object="chess", reason="she hates it")
    home.call(home.owner, "reject_value", entity_id=ada, predicate="knows", object=club, reason="never met")
    fact(home, king, "Chess", "hobby")
    home.call(agent, "link_entities", from_id=ada, predicate="knows", to_id=other)
    for keep, merge in ((ada, king), (king, ada), (club, other)):
        assert home.refused(agent, "merge_entities", keep_id=keep, merge_id=merge)["code"] == "rejected_value"
    assert facts(home, agent, king) != facts(home, agent, ada), "nothing was merged"
    told = home.call(home.owner, "merge_entities", keep_id=ada, merge_id=king)
    assert told["warning"] == "Rejected values are current again: hobby."
    third = person(home, "A. King")
    assert home.call(agent, "merge_entities", keep_id=ada, merge_id=third)["merged_id"] == third
