"""A fact that does not hold is taken back: at once, with a reason, and for whoever looks at history still there."""

from collections.abc import Iterator

import pytest

from tests.support import shelf
from tests.support.house import House, house

QUOTE = "The lighthouse was built in 1874"


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(name="cape")
def _cape(home: House) -> str:
    return home.entity("Cape", "place")


def fact(home: House, cape: str, value: str = "built in 1874") -> str:
    document = shelf.put(home, f"{QUOTE}.")
    claims = [{"id": "c", "entity": cape, "predicate": "description", "object": value, "quote": QUOTE}]
    told = home.call(home.agent("full"), "submit_claim_graph", source_id=document, claims=claims)
    fact_id: str = told["verdicts"][0]["fact_id"]
    return fact_id


def test_a_retracted_fact_leaves_every_default_read_in_the_same_write(home: House, cape: str):
    agent, fact_id = home.agent("full"), fact(home, cape)
    source = home.call(agent, "get_fact", fact_id=fact_id)["source_id"]
    assert "Cape" in str(home.call(agent, "orient")["sections"]["hot_entities"]), "the positive control"
    told = home.call(agent, "retract_fact", fact_id=fact_id, reason="It was built in 1884.")
    assert (told["fact"]["status"], told["fact"]["retracted_reason"]) == ("retracted", "It was built in 1884.")
    for asked in ({}, {"query": "lighthouse"}, {"query": "built"}, {"entity": "Cape"}, {"source_id": source}):
        assert home.call(agent, "query_knowledge", **asked)["total"] == 0, asked
        found = home.call(agent, "query_knowledge", **asked, history=True)["items"]
        assert [one["fact_id"] for one in found] == [fact_id], asked
    assert home.call(agent, "query_knowledge", query="lighthouse nowhere", history=True)["total"] == 0
    assert home.call(agent, "query_knowledge", query="!", history=True)["total"] == 0
    assert home.call(agent, "get_fact", fact_id=fact_id)["status"] == "retracted"
    assert home.call(agent, "explain_fact", fact_id=fact_id)["verdict"] == "holds"
    assert "Cape" not in str(home.call(agent, "orient")["sections"].get("hot_entities"))
    dumped = home.dump()
    assert dumped["fact_index"] == []


SAID = "Die ÄRZTE wohnen in Ελλάδα und İstanbul, nahe der STRASSE nach Łódź; ﬁne 東京都 Ёлка"
WORDS = [
    "ÄRZTE", "ärzte", "arzte", "A\u0308RZTE", "Ελλάδα", "ΕΛΛΆΔΑ", "ελλαδα", "İstanbul", "istanbul", "ISTANBUL", "Łódź",
    "łódź", "ŁODZ", "fine", "ｆｉｎｅ", "東京都", "ёлка", "ЁЛКА", "straße", '"Ärzte wohnen"', "ÄRZTE, Ελλάδα",
    "die Ärzte", "de\u00adr Straße",
]  # fmt: skip


def test_words_find_facts_that_ended_as_they_find_those_that_stand(home: House, cape: str):
    agent = home.agent("full")
    document = shelf.put(home, f"{SAID}.")
    claims = [{"id": "c", "entity": cape, "predicate": "note", "object": "seen", "quote": SAID}]
    told = home.call(agent, "submit_claim_graph", source_id=document, claims=claims)
    fact_id = told["verdicts"][0]["fact_id"]

    def found(word: str, *, history: bool) -> list[str]:
        return [one["fact_id"] for one in home.call(agent, "query_knowledge", query=word, history=history)["items"]]

    standing = {word: (found(word, history=False), found(word, history=True)) for word in WORDS}
    assert standing == {word: ([fact_id], [fact_id]) for word in WORDS}
    home.call(agent, "retract_fact", fact_id=fact_id, reason="for the test")
    ended = {word: (found(word, history=False), found(word, history=True)) for word in WORDS}
    assert ended == {word: ([], [fact_id]) for word in WORDS}
    assert found("Ärztekammer", history=True) == found("Ψάρι", history=True) == []


def test_history_finds_what_is_current_and_what_was_by_the_same_words(home: House, cape: str):
    agent = home.agent("full")
    first, second = fact(home, cape), fact(home, cape, "built, that year, in 1874")
    home.call(agent, "retract_fact", fact_id=first, reason="less exact")
    both = home.call(agent, "query_knowledge", query="lighthouse 1874", history=True)["items"]
    assert {one["fact_id"] for one in both} == {first, second}
    one = home.call(agent, "query_knowledge", query="lighthouse 1874")["items"]
    assert [each["fact_id"] for each in one] == [second]


def test_it_is_one_journaled_change_with_its_reason(home: House, cape: str):
    agent, fact_id = home.agent("full"), fact(home, cape)
    told = home.call(agent, "retract_fact", fact_id=fact_id, reason="wrong year")
    mutation = home.call(home.owner, "get_mutation", mutation_seq=told["mutation_seq"])
    assert (mutation["tool"], mutation["reason"], mutation["rows"]) == ("sophia.retract_fact", "wrong year", 1)
    change = mutation["changes"][0]
    assert (change["table"], change["row_id"], change["op"]) == ("fact", fact_id, "update")
    assert (change["before"]["status"], change["after"]["status"]) == ("current", "retracted")


def test_a_second_time_changes_nothing_and_says_so(home: House, cape: str):
    agent, fact_id = home.agent("full"), fact(home, cape)
    home.call(agent, "retract_fact", fact_id=fact_id, reason="wrong year")
    before = home.dump()
    again = home.call(agent, "retract_fact", fact_id=fact_id, reason="another reason")
    assert "retracted before" in again["warning"]
    assert again["fact"]["retracted_reason"] == "wrong year"
    assert "mutation_seq" not in again
    assert home.dump() == before


def test_what_a_later_fact_stands_for_already_is_not_taken_back(home: House, cape: str):
    fact_id, later = fact(home, cape), fact(home, cape, "built, that year, in 1874")
    with home.databases.state.writing(home.owner, shelf._entry(home)) as unit:
        unit.tx.update("fact", fact_id, status="superseded", superseded_by=later)
    error = home.refused(home.agent("full"), "retract_fact", fact_id=fact_id, reason="x")
    assert (error["code"], error["details"]["fact_id"]) == ("conflict", later)


@pytest.mark.parametrize("reason", [None, ""])
def test_a_reason_has_to_be_given(home: House, cape: str, reason: str | None):
    fact_id = fact(home, cape)
    given = {} if reason is None else {"reason": reason}
    assert home.refused(home.agent("full"), "retract_fact", fact_id=fact_id, **given)["code"] == "bad_arguments"
    schema = home.parts.catalog.schemas["sophia.retract_fact"]
    assert set(schema["required"]) == {"fact_id", "reason"}


def test_a_fact_out_of_scope_is_refused_like_one_that_is_not_there(home: House, cape: str):
    fact_id = fact(home, cape)
    other = home.entity("Elsewhere")
    agent, before = home.agent("full", scope=[other]), home.dump()
    refusals = [home.refused(agent, "retract_fact", fact_id=each, reason="x") for each in (fact_id, "f-nothing")]
    assert [one["code"] for one in refusals] == ["not_found", "not_found"]
    assert refusals[0]["message"] == refusals[1]["message"]
    assert home.dump() == before


def test_a_retracted_value_contradicts_nothing(home: House, cape: str):
    agent = home.agent("full")
    first, second = fact(home, cape), fact(home, cape, "the lighthouse")
    assert home.call(agent, "get_fact", fact_id=second)["contested"]
    home.call(agent, "retract_fact", fact_id=first, reason="wrong")
    assert not home.call(agent, "get_fact", fact_id=second)["contested"]


def test_an_assistant_asks_first_and_the_owner_sees_what_would_change(home: House, cape: str):
    fact_id, agent = fact(home, cape), home.agent("assistant")
    pending = home.refused(agent, "retract_fact", fact_id=fact_id, reason="wrong")
    assert pending["code"] == "approval_pending"
    assert home.call(agent, "get_fact", fact_id=fact_id)["status"] == "current"
    assert home.parts.approvals.approve(pending["details"]["approval_id"], "owner").status == "approved"
    assert home.call(agent, "get_fact", fact_id=fact_id)["status"] == "retracted"


def test_the_same_claim_can_be_made_anew(home: House, cape: str):
    first = fact(home, cape)
    home.call(home.agent("full"), "retract_fact", fact_id=first, reason="wrong")
    assert fact(home, cape) != first
