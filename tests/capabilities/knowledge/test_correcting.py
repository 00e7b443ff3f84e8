"""A fact put right: what takes its place, what may not, and what is left of the one before."""

from collections.abc import Iterator

import pytest

from sophia.core.clock import SECOND
from tests.support import shelf
from tests.support.claimed import current, fact, verdict
from tests.support.house import House, house

QUOTE = "The lighthouse was lit in 1884."


@pytest.fixture(name="home", scope="module")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(name="cape")
def _cape(home: House) -> str:
    return home.entity("Cape", "place")


def test_a_correction_with_a_quote_takes_the_place_of_the_fact(home: House, cape: str):
    agent, old = home.agent("full"), fact(home, cape, "description", "lit in 1874")
    source = shelf.put(home, QUOTE, entity_ids=[cape])
    home.clock.turn(SECOND)
    told = home.call(
        agent, "correct_fact", fact_id=old, object="lit in 1884", reason="misread", source_id=source, quote=QUOTE
    )
    new = told["fact"]
    assert (new["object"], new["trust_tier"], new["quote"]) == ("lit in 1884", "quoted", QUOTE)
    assert new["status"] == "current"
    assert not new["contested"]
    before = told["corrected"]
    assert (before["status"], before["superseded_by"], before["superseded_reason"]) == (
        "superseded", new["fact_id"], "misread",
    )  # fmt: skip
    assert (before["ended_by_name"], before["ended_at"]) == (agent.name, new["recorded_at"])
    assert "warning" not in told
    mutation = home.call(home.owner, "get_mutation", mutation_seq=told["mutation_seq"])
    assert (mutation["tool"], mutation["reason"], mutation["rows"]) == ("sophia.correct_fact", "misread", 2)


@pytest.mark.guarantee("V14")
def test_what_was_corrected_leaves_every_default_read_in_the_same_write(home: House, cape: str):
    agent, old = home.agent("full"), fact(home, cape, "description", "lit by whale oil")
    for asked in ({}, {"query": "whale"}):
        assert current(home, cape, "description", **asked) == ["lit by whale oil"], "the positive control"
    assert "whale" in str(home.call(agent, "search", query="whale", families=["knowledge"])["items"])
    source = shelf.put(home, "It was lit by kerosene.", entity_ids=[cape])
    home.call(
        agent, "correct_fact", fact_id=old, object="lit by kerosene", reason="misread", source_id=source,
        quote="lit by kerosene",
    )  # fmt: skip
    assert current(home, cape, "description") == ["lit by kerosene"]
    assert current(home, cape, "description", query="whale") == []
    assert home.call(agent, "search", query="whale", families=["knowledge"])["items"] == []
    assert set(current(home, cape, "description", history=True)) == {"lit by whale oil", "lit by kerosene"}
    assert current(home, cape, "description", history=True, query="whale") == ["lit by whale oil"]
    assert old not in {row[1] for row in home.dump()["fact_index"]}


@pytest.mark.guarantee("PR2", "V16")
def test_an_agents_word_supersedes_nothing_grounded_and_stands_beside_it(home: House, cape: str):
    agent, old = home.agent("full"), fact(home, cape, "category", "lighthouse")
    told = home.call(agent, "correct_fact", fact_id=old, object="windmill", reason="looks like it")
    assert (told["fact"]["trust_tier"], told["corrected"]["status"]) == ("inferred", "current")
    assert told["warning"].startswith("weaker_evidence: ")
    assert told["fact"]["contested"]
    assert told["corrected"]["contested"]
    (contradiction,) = home.call(agent, "list_contradictions", entity_id=cape)["items"]
    assert [each["object"] for each in contradiction["facts"]] == ["lighthouse", "windmill"]
    again = home.call(agent, "correct_fact", fact_id=old, object="windmill", reason="looks like it")
    assert again["fact"]["fact_id"] == told["fact"]["fact_id"]
    assert "mutation_seq" not in again
    home.call(agent, "retract_fact", fact_id=told["fact"]["fact_id"], reason="it is none")
    assert not home.call(agent, "get_fact", fact_id=old)["contested"]


def test_an_agents_word_corrects_what_was_only_said_and_the_owners_corrects_everything(home: House, cape: str):
    agent, quoted = home.agent("full"), fact(home, cape, "note", "painted red")
    said = home.call(agent, "correct_fact", fact_id=quoted, object="painted blue", reason="seen")["fact"]["fact_id"]
    assert home.call(agent, "correct_fact", fact_id=said, object="painted green", reason="seen")["corrected"][
        "status"
    ] == "superseded"  # fmt: skip
    told = home.call(home.owner, "correct_fact", fact_id=quoted, object="painted white", reason="I painted it")
    assert (told["fact"]["trust_tier"], told["corrected"]["status"]) == ("owner", "superseded")


def test_a_quote_that_is_not_there_corrects_nothing(home: House, cape: str):
    agent, old = home.agent("full"), fact(home, cape, "description", "lit in 1875")
    source, before = shelf.put(home, QUOTE, entity_ids=[cape]), home.dump()
    asked = {"fact_id": old, "object": "lit in 1884", "reason": "r"}
    for more, code, argument in (
        ({"source_id": source, "quote": "was lit in 1885"}, "not_grounded", "quote"),
        ({"source_id": "doc-none", "quote": QUOTE}, "not_grounded", "source_id"),
        ({"source_id": old, "quote": QUOTE}, "not_grounded", "source_id"),
        ({"source_id": source}, "bad_arguments", "quote"),
        ({"quote": QUOTE}, "bad_arguments", "source_id"),
    ):
        error = home.refused(agent, "correct_fact", **asked, **more)
        assert (error["code"], error["argument"]) == (code, argument), more
    assert home.dump() == before
    weak = home.call(agent, "correct_fact", **asked | {"object": "lit in 1999"}, source_id=source, quote=QUOTE)
    assert (weak["fact"]["trust_tier"], weak["corrected"]["status"]) == ("inferred", "current")


def test_what_it_says_already_is_no_correction(home: House, cape: str):
    agent, old = home.agent("full"), fact(home, cape, "description", "white tower")
    told = home.call(agent, "correct_fact", fact_id=old, object="White  tower", reason="r")
    assert "says that already" in told["warning"]
    assert "mutation_seq" not in told


def test_only_what_is_current_is_corrected_or_superseded(home: House, cape: str):
    agent = home.agent("full")
    first, second, other = (fact(home, cape, "address", value) for value in ("First Street", "Second Street", "Third"))
    home.call(agent, "supersede_fact", fact_id=first, by_fact_id=second, reason="moved")
    error = home.refused(agent, "correct_fact", fact_id=first, object="x", reason="r")
    assert (error["code"], error["details"]["fact_id"]) == ("conflict", second)
    for asked in ({"fact_id": second, "by_fact_id": first}, {"fact_id": other, "by_fact_id": other},
                  {"fact_id": first, "by_fact_id": other}):  # fmt: skip
        assert home.refused(agent, "supersede_fact", **asked)["code"] == "conflict", asked
    again = home.call(agent, "supersede_fact", fact_id=first, by_fact_id=second)
    assert "before" in again["warning"]
    assert again["fact"]["superseded_reason"] == "moved"
    assert "mutation_seq" not in again


@pytest.mark.guarantee("V16")
def test_a_fact_is_superseded_by_no_weaker_one_and_by_none_of_something_else(home: House, cape: str):
    agent, before = home.agent("full"), home.entity("Elsewhere")
    quoted, elsewhere = fact(home, cape, "address", "Pier 1"), fact(home, before, "address", "Pier 1")
    other = fact(home, cape, "note", "Pier 1")
    weak = home.call(home.owner, "submit_claim_graph", source_id=shelf.put(home, "At Pier 2.", origin="agent"), claims=[
        {"id": "c", "entity": cape, "predicate": "address", "object": "Pier 2", "quote": "At Pier 2."},
    ])["verdicts"][0]["fact_id"]  # fmt: skip
    error = home.refused(agent, "supersede_fact", fact_id=quoted, by_fact_id=weak)
    assert (error["code"], error["details"]) == ("weaker_evidence", {"trust_tier": "inferred", "than": "quoted"})
    assert home.call(agent, "get_fact", fact_id=quoted)["status"] == "current"
    for by in (elsewhere, other):
        assert home.refused(agent, "supersede_fact", fact_id=quoted, by_fact_id=by)["code"] == "conflict"
    told = home.call(agent, "supersede_fact", fact_id=weak, by_fact_id=quoted)
    assert (told["fact"]["superseded_by"], told["by"]["contested"]) == (quoted, False)


@pytest.mark.guarantee("V15")
def test_claiming_again_what_was_corrected_leaves_the_correction_standing(home: House, cape: str):
    agent, words = home.agent("full"), "The keeper is Ada. So it says: Ada."
    source = shelf.put(home, words, entity_ids=[cape])
    old = verdict(home, agent, source, cape, ("full_name", "Ada"), "The keeper is Ada")["fact_id"]
    new = home.call(home.owner, "correct_fact", fact_id=old, object="Ida", reason="misspelt")["fact"]["fact_id"]
    before = home.dump()
    hints = []
    for quote in ("The keeper is Ada", "So it says: Ada"):
        again = verdict(home, agent, source, cape, ("full_name", "Ada"), quote)
        assert (again["accepted"], again["fact_id"]) == (True, old)
        assert f"superseded by {new}" in again["hint"]
        hints.append(again["hint"])
    assert home.dump() == before
    assert current(home, cape, "full_name") == ["Ida"]
    checked = home.call(agent, "check_claim_graph", source_id=source, claims=[
        {"id": "c", "entity": cape, "predicate": "full_name", "object": "Ada", "quote": "The keeper is Ada"},
    ])["verdicts"][0]  # fmt: skip
    assert checked["hint"] == hints[0]


def test_another_source_that_says_the_old_value_contradicts_the_correction(home: House, cape: str):
    old = fact(home, cape, "licence", "MIT")
    home.call(home.owner, "correct_fact", fact_id=old, object="Apache-2.0", reason="changed")
    fact(home, cape, "licence", "MIT")
    assert current(home, cape, "licence") == ["MIT", "Apache-2.0"]
    assert home.call(home.owner, "list_contradictions", entity_id=cape)["total"] == 1


def test_what_was_corrected_can_be_corrected_back(home: House, cape: str):
    words = "It stands on a rock."
    source = shelf.put(home, words, entity_ids=[cape])
    old = verdict(home, home.owner, source, cape, ("description", "rock"), words)["fact_id"]
    new = home.call(home.owner, "correct_fact", fact_id=old, object="sand", reason="r")["fact"]["fact_id"]
    back = home.call(home.owner, "correct_fact", fact_id=new, object="rock", reason="it was right")
    assert (back["fact"]["status"], current(home, cape, "description")) == ("current", ["rock"])
    history = home.call(home.owner, "fact_history", fact_id=new)
    assert [each["object"] for each in history["items"]] == ["rock", "sand", "rock"]


def test_saying_again_what_was_retracted_is_told_of_it(home: House, cape: str):
    words = "It was sold in May."
    source = shelf.put(home, words, entity_ids=[cape])
    old = verdict(home, home.owner, source, cape, ("note", "sold in May"), words)["fact_id"]
    home.call(home.owner, "retract_fact", fact_id=old, reason="a rumour")
    again = verdict(home, home.agent("full"), source, cape, ("note", "sold in May"), words)
    assert again["accepted"]
    assert again["fact_id"] != old
    assert f"{old} said this and was retracted" in again["hint"]
    assert "rumour" not in again["hint"], "what others wrote is no instruction of ours"


def test_a_correction_keeps_for_how_long_it_was_so(home: House, cape: str):
    old = fact(home, cape, "price", "12 EUR", valid_from="2020-01-01", valid_to="2099-01-01")
    told = home.call(home.owner, "correct_fact", fact_id=old, object="13 EUR", reason="r")["fact"]
    assert (told["object"], told["unit"]) == ("13.00", "EUR")
    assert (told["valid_from"], told["valid_to"]) == ("2020-01-01", "2099-01-01")
    assert home.refused(home.owner, "correct_fact", fact_id=told["fact_id"], object="a lot", reason="r")["code"] == (
        "bad_arguments"
    )


@pytest.mark.guarantee("C2", "C3")
def test_a_successor_out_of_scope_is_not_told_of(home: House, cape: str):
    hidden = home.entity("Hidden Quay", "place")
    old = fact(home, cape, "located_in", "the east", object_type="text")
    new = fact(home, cape, "located_in", hidden)
    narrow, wide = home.agent("full", scope=[cape]), home.agent("full", scope=[cape, hidden])
    assert home.call(wide, "list_contradictions")["total"] == 1, "the positive control"
    assert home.call(narrow, "list_contradictions")["total"] == 0
    assert not home.call(narrow, "get_fact", fact_id=old)["contested"]
    settled = home.call(home.owner, "supersede_fact", fact_id=old, by_fact_id=new, reason="named Hidden Quay")
    seq = settled["mutation_seq"]
    assert home.call(wide, "get_mutation", mutation_seq=seq)["changes"][0]["after"]["superseded_by"] == new
    assert home.refused(narrow, "get_mutation", mutation_seq=seq)["code"] == "not_found"
    assert new in str(home.call(wide, "get_fact", fact_id=old))
    assert home.call(wide, "fact_history", fact_id=old)["total"] == 2
    for tool, asked in (
        ("get_fact", {"fact_id": old}), ("fact_history", {"fact_id": old}), ("orient", {}),
        ("query_knowledge", {"history": True}), ("knowledge_stats", {}), ("list_mutations", {}),
    ):  # fmt: skip
        payload = home.answer(narrow, tool, asked).payload.decode()
        assert new not in payload, tool
        assert "Hidden" not in payload, tool
    assert home.call(narrow, "fact_history", fact_id=old)["total"] == 1
    error = home.refused(narrow, "correct_fact", fact_id=old, object="west", reason="r")
    assert (error["code"], "details" in error) == ("conflict", False)
    for tool, by in (("supersede_fact", {"by_fact_id": new}), ("reject_fact", {"reason": "r"})):
        assert home.refused(narrow, tool, fact_id=new, **by)["code"] == "not_found"
