"""A rejected value does not come back, however it is written and whoever brings it; its neighbours do."""

from collections.abc import Iterator
from typing import Any

import pytest

from sophia.capabilities.knowledge.sameness import Said
from sophia.capabilities.knowledge.values import Value, ValueType, parsed
from sophia.catalog.call import WriteCall
from sophia.store.journal import Entry
from tests.support import shelf
from tests.support.claimed import current, fact, verdict
from tests.support.house import House, house

ZERO_WIDTH = "Ac\u200bme\u200d Ltd"
FULL_WIDTH = "Ａｃｍｅ　Ｌｔｄ"


@pytest.fixture(name="home", scope="module")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(name="ada")
def _ada(home: House) -> str:
    return home.entity("Ada", "person")


def claimed(home: House, caller: Any, ada: str, predicate: str, value: str, /, **more: Any) -> dict[str, Any]:
    words = f"They say it is {value}."
    return verdict(home, caller, shelf.put(home, words, entity_ids=[ada]), ada, (predicate, value), words, **more)


@pytest.mark.guarantee("V17")
@pytest.mark.parametrize("written", ["Acme Ltd", "ACME ltd", ZERO_WIDTH, FULL_WIDTH, " Acme\u00a0Ltd "])
def test_however_it_is_written_it_is_told_who_rejected_it_and_why(home: House, ada: str, written: str):
    agent = home.agent("full", name="critic")
    home.call(agent, "reject_value", entity_id=ada, predicate="note", object="Acme Ltd", reason="a namesake")
    told = claimed(home, home.agent("full"), ada, "note", written)
    assert (told["accepted"], told["reason"]) == (False, "rejected_value")
    assert (told["rejected"]["rejected_by_name"], told["rejected"]["why"]) == ("critic", "a namesake")
    assert "namesake" not in told["hint"]
    for neighbour in ("Acme Ltd.", "Acme", "Acme Ltd 2"):
        assert claimed(home, agent, ada, "note", neighbour)["accepted"], neighbour
    assert claimed(home, agent, ada, "alias_of", "Acme Ltd")["accepted"], "another predicate"
    assert claimed(home, agent, home.entity("Eda", "person"), "note", "Acme Ltd")["accepted"], "another entity"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("number 1200.5", "text 1,200.50", True),
        ("amount 12.30 EUR", "text €12.30", True),
        ("text €12.30", "amount 12.30 EUR", True),
        ("date 2026-03-12", "text 2026-03-12", True),
        ("integer 7", "number 7.0", True),
        ("text 1.10", "text 1.1", False),
        ("text 10²", "text 102", False),
        ("quantity 5 kg", "quantity 5 g", False),
        ("email ada@example.com", "text ADA@EXAMPLE.COM", True),
        ("text Straße", "text STRASSE", True),
        ("text résumé", "text re\u0301sume\u0301", True),
    ],
)
def test_values_are_the_same_or_not_whatever_their_type(one: str, other: str, same: bool):
    said = []
    for text in (one, other):
        kind, _, value = text.partition(" ")
        read = parsed(ValueType(kind), value)
        assert isinstance(read, Value)
        said.append(Said(read))
    assert said[0].same(said[1]) is said[1].same(said[0]) is same


def test_an_entity_is_rejected_under_its_name_too_and_another_of_that_name_is_not(home: House, ada: str):
    acme, namesake = home.entity("Acme", "organisation"), home.entity("Acme", "organisation")
    home.call(home.owner, "reject_value", entity_id=ada, predicate="works_for", object=acme, reason="left")
    agent = home.agent("full")
    for value, more in ((acme, {}), ("ACME", {"object_type": "text"})):
        source = shelf.put(home, "She works for Acme.", entity_ids=[ada])
        told = verdict(home, agent, source, ada, ("works_for", value), "works for Acme", **more)
        assert told.get("reason") == "rejected_value", told
    source = shelf.put(home, "She works for Acme.", entity_ids=[ada])
    assert verdict(home, agent, source, ada, ("works_for", namesake), "works for Acme")["accepted"]


def test_rejecting_a_fact_takes_back_everything_that_says_it(home: House, ada: str):
    first, second, other = fact(home, ada, "skill", "juggling"), fact(home, ada, "skill", "Juggling"), fact(
        home, ada, "skill", "chess"
    )  # fmt: skip
    told = home.call(home.agent("full"), "reject_fact", fact_id=first, reason="a joke")
    assert (told["retracted"], sorted(told["fact_ids"])) == (2, sorted([first, second]))
    assert told["rejection"]["object"] == "juggling"
    assert current(home, ada, "skill") == ["chess"]
    assert current(home, ada, "skill", query="juggling") == []
    assert home.call(home.owner, "get_fact", fact_id=second)["retracted_reason"] == "a joke"
    assert home.call(home.owner, "get_fact", fact_id=other)["status"] == "current"
    again = home.call(home.agent("full"), "reject_fact", fact_id=second, reason="again")
    assert "rejected before" in again["warning"]
    assert again["rejection"]["why"] == "a joke"
    assert "mutation_seq" not in again


@pytest.mark.guarantee("V17")
def test_what_was_superseded_can_be_rejected_and_not_be_restated(home: House, ada: str):
    words = "Ada is forty."
    source = shelf.put(home, words, entity_ids=[ada])
    old = verdict(home, home.owner, source, ada, ("note", "forty"), words)["fact_id"]
    new = home.call(home.owner, "correct_fact", fact_id=old, object="fifty", reason="older")["fact"]["fact_id"]
    assert home.call(home.owner, "reject_fact", fact_id=old, reason="never was")["retracted"] == 0
    agent = home.agent("full")
    assert verdict(home, agent, source, ada, ("note", "FORTY"), words)["reason"] == "rejected_value"
    for more in ({}, {"source_id": source, "quote": words}):
        error = home.refused(agent, "correct_fact", fact_id=new, object="Forty", reason="r", **more)
        assert (error["code"], error["details"]["rejected_by_name"], error["details"]["why"]) == (
            "rejected_value", "owner", "never was",
        )  # fmt: skip
    assert current(home, ada, "note") == ["fifty"]


@pytest.mark.guarantee("V17")
def test_a_remembered_value_that_was_rejected_is_refused_before_the_owner_is_troubled(home: House, ada: str):
    home.call(home.owner, "reject_value", entity_id=ada, predicate="likes", object="tea", reason="cannot stand it")
    agent = home.agent("full")
    asked = {"entity_id": ada, "predicate": "likes", "object": "TEA"}
    pending = home.answer(agent, "remember_fact", asked).payload.decode()
    assert "rejected_value" in pending
    assert "approval_pending" not in pending
    assert current(home, ada, "likes") == []


def test_claims_that_hang_on_a_rejected_value_fall_with_it(home: House, ada: str):
    home.call(home.owner, "reject_value", entity_id=ada, predicate="note", object="red", reason="r")
    source = shelf.put(home, "It is red and round.", entity_ids=[ada])
    claims = [
        {"id": "a", "entity": ada, "predicate": "note", "object": "red", "quote": "It is red"},
        {"id": "b", "entity": ada, "predicate": "note", "object": "round", "quote": "round", "depends_on": ["a"]},
    ]
    told = home.call(home.agent("full"), "submit_claim_graph", source_id=source, claims=claims)
    assert [each["reason"] for each in told["verdicts"]] == ["rejected_value", "depends_on_rejected"]
    checked = home.call(home.agent("full"), "check_claim_graph", source_id=source, claims=claims)
    assert checked["verdicts"] == told["verdicts"]


def test_verdicts_on_a_large_graph_of_rejected_values_fit_into_one_answer(home: House, ada: str):
    home.call(home.owner, "reject_value", entity_id=ada, predicate="note", object="red", reason="東" * 1000)
    source = shelf.put(home, "It is red.", entity_ids=[ada])
    claims = [
        {"id": str(n), "entity": ada, "predicate": "note", "object": "red", "quote": "It is red"} for n in range(100)
    ]
    told = home.call(home.agent("full"), "submit_claim_graph", source_id=source, claims=claims)["verdicts"]
    assert {each["reason"] for each in told} == {"rejected_value"}
    assert ("rejected" in told[0], "rejected" in told[99]) == (True, False)


@pytest.mark.guarantee("V17")
def test_miners_do_not_bring_it_back(home: House, ada: str):
    from sophia.capabilities.mining.recorded import mine

    body = "---\nstatus: draft\nlicence: MIT\n---\n\nText.\n"
    document = shelf.put(home, body, title="A page of Ada")
    subject = home.entity("A page of Ada", "document")
    home.call(home.owner, "reject_value", entity_id=subject, predicate="status", object="Draft", reason="done")
    owner, parts, now = home.parts.owner, home.parts, home.clock.now()
    with home.databases.state.writing(owner, Entry(owner.user_id, "owner", "owner", "mine", "call", now)) as unit:
        unit.tx.update("document", document, subject_id=subject)
        roots = parts.roots.within(owner.scope)
        mine(WriteCall(unit.tx, owner, now, parts.ids.new, roots, parts.secrets.masking(), parts.clock), document)
    assert current(home, subject, "status") == []
    assert current(home, subject, "licence") == ["MIT"], "the positive control"


@pytest.mark.guarantee("V17")
def test_the_owners_own_word_brings_it_back_and_the_journal_says_so(home: House, ada: str):
    told = home.call(home.agent("full"), "reject_value", entity_id=ada, predicate="likes", object="jazz", reason="loud")
    rejection = told["rejection"]["rejection_id"]
    assert claimed(home, home.owner, ada, "likes", "jazz")["reason"] == "rejected_value", "a source is not their word"
    said = home.call(home.owner, "remember_fact", entity_id=ada, predicate="likes", object="Jazz")
    assert rejection in said["warning"]
    assert (said["fact"]["status"], said["fact"]["trust_tier"]) == ("current", "owner")
    changes = home.call(home.owner, "get_mutation", mutation_seq=said["mutation_seq"])["changes"]
    assert ("rejected_value", rejection, "update") in {(each["table"], each["row_id"], each["op"]) for each in changes}
    assert claimed(home, home.agent("full"), ada, "likes", "jazz")["accepted"]
    home.call(home.owner, "reject_value", entity_id=ada, predicate="likes", object="jazz", reason="after all")
    assert claimed(home, home.agent("full"), ada, "likes", "jazz")["rejected"]["why"] == "after all"


@pytest.mark.guarantee("C2", "C3", "C12")
def test_a_rejection_that_names_what_is_hidden_binds_and_shows_only_to_whoever_sees_it(home: House, ada: str):
    hidden = home.entity("Hidden Quay", "place")
    home.call(home.owner, "reject_value", entity_id=ada, predicate="lives_in", object=hidden, reason="Hidden Quay")
    source = shelf.put(home, "She lives in Hidden Quay.", entity_ids=[ada])
    narrow, wide = home.agent("full", scope=[ada]), home.agent("full", scope=[ada, hidden])
    asked = {"entity_id": ada, "predicate": "lives_in", "object": hidden, "reason": "r"}
    assert home.call(wide, "knowledge_stats")["rejected_values"] == 1
    assert home.call(narrow, "knowledge_stats")["rejected_values"] == 0
    told = verdict(home, wide, source, ada, ("lives_in", "Hidden Quay"), "She lives in Hidden Quay", object_type="text")
    assert told["reason"] == "rejected_value"
    told = verdict(
        home, narrow, source, ada, ("lives_in", "Hidden Quay"), "She lives in Hidden Quay", object_type="text"
    )
    assert told["accepted"]
    assert home.call(wide, "reject_value", **asked)["rejection"]["why"] == "Hidden Quay"
    assert home.refused(narrow, "reject_value", **asked | {"entity_id": hidden})["code"] == "not_found"
    missing = "e-" + "0" * 25 + "z"
    assert home.call(narrow, "reject_value", **asked)["rejection"]["value_type"] == "text", "as for any unknown name"
    assert home.call(narrow, "reject_value", **asked | {"object": missing})["rejection"]["value_type"] == "text"


def test_what_can_be_no_value_is_not_rejected(home: House, ada: str):
    for asked in ({"object": " "}, {"object": "a\x07"}, {"predicate": "Not One"}):
        more = {"entity_id": ada, "predicate": "note", "object": "x", "reason": "r", **asked}
        assert home.refused(home.owner, "reject_value", **more)["code"] == "bad_arguments", asked
    home.entity("Twin", "place")
    home.entity("Twin", "place")
    more = {"entity_id": ada, "predicate": "lives_in", "object": "Twin", "reason": "r"}
    assert home.refused(home.owner, "reject_value", **more)["code"] == "ambiguous"
