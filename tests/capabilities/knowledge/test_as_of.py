"""What was true at one time, as it was believed at another; and the chain of corrections in between."""

from collections.abc import Iterator

import pytest

from sophia.core.clock import SECOND, rfc3339
from tests.support.claimed import fact
from tests.support.house import House, house


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


def test_both_times_bound_what_is_told_and_the_last_moment_is_left_out(home: House):
    ada = home.entity("Ada", "person")
    home.clock.turn(SECOND)
    learnt = home.clock.now()
    first = fact(home, ada, "address", "Paris", valid_to="2020-01-01")
    second = fact(home, ada, "address", "Rome", valid_from="2020-01-01")
    home.clock.turn(10 * SECOND)
    corrected = home.clock.now()
    home.call(home.owner, "correct_fact", fact_id=second, object="Oslo", reason="misheard")
    home.clock.turn(10 * SECOND)
    gone = home.clock.now()
    home.call(home.owner, "retract_fact", fact_id=first, reason="never")

    def told(**asked: str) -> list[str]:
        return [each["object"] for each in home.call(home.owner, "facts_as_of", entity_id="Ada", **asked)["items"]]

    at = {name: rfc3339(when) for name, when in (("learnt", learnt), ("corrected", corrected), ("gone", gone))}
    assert told() == ["Oslo"]
    assert told(known_at=rfc3339(learnt - SECOND)) == []
    assert told(known_at=at["learnt"]) == ["Rome"]
    assert told(known_at=rfc3339(corrected - 1000)) == ["Rome"]
    assert told(known_at=at["corrected"]) == ["Oslo"], "from the moment that the correction tells"
    assert told(valid_at="2019-12-31", known_at=at["corrected"]) == ["Paris"]
    assert told(valid_at="2020-01-01", known_at=at["learnt"]) == ["Rome"]
    assert told(valid_at="2019-12-31", known_at=at["gone"]) == []
    assert told(valid_at="2019-12-31") == []
    ended = home.call(home.owner, "get_fact", fact_id=first)
    assert (ended["ended_at"], ended["ended_by_name"]) == (at["gone"], "owner")
    other = home.agent("observer", scope=[home.entity("Elsewhere")])
    assert home.call(other, "facts_as_of", known_at=at["learnt"])["total"] == 0
    assert home.refused(home.owner, "facts_as_of", known_at="yesterday")["argument"] == "known_at"


def test_a_chain_is_told_from_its_first_to_its_last_from_wherever_it_is_asked_for(home: House):
    ada, agent = home.entity("Ada", "person"), home.agent("full", name="reader")
    chain = [fact(home, ada, "address", "Paris")]
    beside = fact(home, ada, "address", "Lima")
    for value in ("Rome", "Oslo"):
        home.clock.turn(SECOND)
        told = home.call(home.owner, "correct_fact", fact_id=chain[-1], object=value, reason=f"it is {value}")
        chain.append(told["fact"]["fact_id"])
    home.clock.turn(SECOND)
    home.call(home.owner, "supersede_fact", fact_id=beside, by_fact_id=chain[-1], reason="settled")
    wanted = [chain[0], beside, *chain[1:]]
    stories = [home.call(agent, "fact_history", fact_id=fact_id)["items"] for fact_id in wanted]
    for items in stories:
        assert [each["fact_id"] for each in items] == wanted
    items = stories[0]
    assert [each.get("superseded_reason") for each in items] == ["it is Rome", "settled", "it is Oslo", None]
    assert {each.get("ended_by_name") for each in items} == {"owner", None}
    assert items[0]["ended_at"] == items[2]["recorded_at"]
    newest = home.call(agent, "fact_history", fact_id=beside, order="newest", limit=1)["items"]
    assert [each["fact_id"] for each in newest] == [chain[-1]]
    alone = fact(home, ada, "note", "tall")
    assert home.call(agent, "fact_history", fact_id=alone)["total"] == 1
    assert home.refused(agent, "fact_history", fact_id="f-none")["code"] == "not_found"


def test_corrections_are_told_by_orient_as_they_were_made(home: House):
    ada = home.entity("Ada", "person")
    old, new = fact(home, ada, "address", "Paris"), fact(home, ada, "note", "tall")
    home.clock.turn(SECOND)
    home.call(home.owner, "retract_fact", fact_id=new, reason="short")
    home.clock.turn(SECOND)
    told = home.call(home.owner, "correct_fact", fact_id=old, object="Rome", reason="moved " * 100)
    for caller in (home.owner, home.agent("observer", scope=[ada])):
        first, second = home.call(caller, "orient")["sections"]["recent_corrections"]["items"]
        assert (first["fact_id"], first["superseded_by"]) == (old, told["fact"]["fact_id"])
        assert len(first["reason"]) == 160
        assert (second["fact_id"], second["status"], second["reason"]) == (new, "retracted", "short")


@pytest.mark.guarantee("C12")
def test_what_is_known_is_counted_within_the_scope(home: House):
    ada, eve = home.entity("Ada", "person"), home.entity("Eve", "person")
    fact(home, ada, "address", "Paris")
    home.call(home.owner, "correct_fact", fact_id=fact(home, ada, "note", "tall"), object="short", reason="r")
    home.call(home.owner, "reject_fact", fact_id=fact(home, eve, "likes", "tea"), reason="r")
    fact(home, eve, "address", "Rome")
    fact(home, eve, "address", "Oslo")
    whole = home.call(home.owner, "knowledge_stats")
    assert {key: value for key, value in whole.items() if not key.startswith("_")} == {
        "facts": 6, "by_status": {"current": 4, "superseded": 1, "retracted": 1},
        "by_trust_tier": {"quoted": 3, "owner": 1}, "by_source_kind": {"document": 3, "word": 1},
        "predicates": 2, "by_predicate": {"address": 3, "note": 1}, "contradictions": 1, "rejected_values": 1,
    }  # fmt: skip
    part = home.call(home.agent("observer", scope=[ada]), "knowledge_stats")
    assert (part["facts"], part["by_predicate"]) == (3, {"address": 1, "note": 1})
    assert (part["contradictions"], part["rejected_values"]) == (0, 0)
