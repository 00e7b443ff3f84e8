from collections.abc import Iterator
from typing import Any

import pytest

from sophia.capabilities.knowledge.sources import POST
from tests.support import shelf
from tests.support.house import House, house

BODY = (
    "Ada Lovelace was born on 10 December 1815 in London. Acme Ltd employs Ada Lovelace. "
    "Revenue was EUR 1,200.50 in 2025. The ship sailed. The ship sailed."
)


@pytest.fixture(name="home")
def _home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(name="ada")
def _ada(home: House) -> str:
    return home.entity("Ada Lovelace", "person")


@pytest.fixture(name="acme")
def _acme(home: House) -> str:
    return home.entity("Acme Ltd", "organisation")


def claim(**changes: Any) -> dict[str, Any]:
    plain = {"id": "c", "entity": "Ada Lovelace", "predicate": "note", "object": "sailed", "quote": "The ship sailed."}
    return {**plain, **changes}


def verdict(home: House, source_id: str, **changes: Any) -> dict[str, Any]:
    """The one verdict, the same from asking first and from submitting."""
    agent = home.agent("full")
    told = home.call(agent, "check_claim_graph", source_id=source_id, claims=[claim(**changes)])["verdicts"]
    given = home.call(agent, "submit_claim_graph", source_id=source_id, claims=[claim(**changes)])["verdicts"]
    fact_id = given[0].pop("fact_id", None)
    assert (fact_id is not None) is given[0]["accepted"]
    assert told == given
    return {**given[0], "fact_id": fact_id}


def test_a_grounded_claim_becomes_a_quoted_fact(home: House, ada: str):
    document = shelf.put(home, BODY)
    given = verdict(
        home, document, predicate="born_on", object="1815-12-10", quote="born on 10 December 1815",
        observed_at="2026-03-12T09:30:00+01:00", valid_from="1815-12-10",
    )  # fmt: skip
    fact = home.call(home.agent("observer"), "get_fact", fact_id=given["fact_id"])
    assert fact["recorded_at"] == "2026-09-21T14:13:20.000Z"
    assert BODY[fact["quote_start"] : fact["quote_end"]] == fact["quote"]
    expected = {
        "entity_id": ada, "entity_name": "Ada Lovelace", "predicate": "born_on", "object": "1815-12-10",
        "value_type": "date", "observed_at": "2026-03-12T08:30:00.000Z", "valid_from": "1815-12-10",
        "trust_tier": "quoted", "source_kind": "document", "source_id": document, "quote_match": "exact",
        "status": "current", "contested": False, "observer_name": "agent",
    }  # fmt: skip
    assert {name: fact[name] for name in expected} == expected


REJECTED: list[tuple[dict[str, Any], str]] = [
    ({"quote": "The ship sank."}, "quote_not_found"),
    ({"quote": "the ship sailed."}, "quote_not_found"),
    ({"quote": "Ada Lovelace was born ... in London."}, "quote_not_found"),
    ({"quote": ""}, "quote_not_found"),
    ({"quote": "x" * 301}, "quote_too_long"),
    ({"quote": "x" * 1_000_000}, "quote_too_long"),
    ({"quote_start": BODY.index("The ship sailed.") + 1}, "quote_start_mismatch"),
    ({"quote_start": 10_000_000}, "quote_start_mismatch"),
    ({"entity": "Nobody"}, "entity_not_found"),
    ({"entity": "e-00000000000000000000000000"}, "entity_not_found"),
    ({"predicate": "employed_by_nobody", "object_type": "entity", "object": "Nobody"}, "entity_not_found"),
    ({"predicate": "works_for", "object": "Nobody"}, "entity_not_found"),
    ({"predicate": "born_on", "object": "yesterday"}, "bad_value"),
    ({"predicate": "born_on", "object": "12 EUR", "object_type": "amount"}, "bad_value"),
    ({"predicate": "Not A Name"}, "bad_value"),
    ({"valid_from": "2026-13-01"}, "bad_value"),
    ({"observed_at": "0001-01-01T00:00:00Z"}, "bad_value"),
    ({"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "bad_value"),
    ({"depends_on": ["unknown"]}, "depends_on_rejected"),
    ({"depends_on": ["c"]}, "depends_on_rejected"),
]


@pytest.mark.guarantee("V1", "V2", "V8", "V10")
@pytest.mark.parametrize(("changes", "reason"), REJECTED, ids=lambda value: str(value)[:40] + str(len(str(value))))
def test_a_claim_that_does_not_stand_is_told_why_and_leaves_nothing(
    home: House, ada: str, changes: dict[str, Any], reason: str
):
    document = shelf.put(home, BODY)
    before = home.dump()
    given = verdict(home, document, **changes)
    assert (given["accepted"], given["reason"]) == (False, reason)
    assert given["hint"]
    assert home.dump() == before


@pytest.mark.guarantee("V2")
@pytest.mark.parametrize("quote_start", [-1, 3.0, "3"])
def test_an_offset_is_a_whole_number_from_0(home: House, ada: str, quote_start: object):
    document = shelf.put(home, BODY)
    error = home.refused(
        home.agent("full"), "submit_claim_graph", source_id=document, claims=[claim(quote_start=quote_start)]
    )
    assert error["code"] == "bad_arguments"


def test_a_name_that_is_declared_of_two_kinds_is_refused_and_told(home: House):
    document = shelf.put(home, BODY)
    asked = {"source_id": document, "claims": [claim(entity="The Beagle")]}
    before = home.dump()
    for other in ("The Beagle", "the beagle", "THE\u00a0BEAGLE"):
        for tool in ("check_claim_graph", "submit_claim_graph"):
            both = [{"name": "The Beagle", "kind": "ship"}, {"name": other, "kind": "dog"}]
            error = home.refused(home.owner, tool, **asked, entities=both)
            assert (error["code"], error["argument"]) == ("bad_arguments", "entities")
            assert all(repr(each) in error["message"] for each in (other, "ship", "dog"))
    assert home.dump() == before
    same = [{"name": "The Beagle", "kind": "ship"}, {"name": "THE BEAGLE", "kind": "Ship"}]
    told = home.call(home.owner, "submit_claim_graph", **asked, entities=same)
    assert told["accepted"] == 1
    assert [each["name"] for each in told["entities"]] == ["The Beagle"]


def test_a_name_of_two_entities_is_ambiguous(home: House, ada: str):
    other = home.call(home.owner, "create_entity", kind="ship", name="Ada Lovelace")["entity"]["entity_id"]
    document = shelf.put(home, BODY)
    given = verdict(home, document)
    assert given["reason"] == "entity_ambiguous"
    assert ada in given["hint"]
    assert other in given["hint"]
    assert verdict(home, document, entity=other)["accepted"]


@pytest.mark.guarantee("V4", "V5")
def test_a_post_grounds_nothing_and_is_refused_in_these_very_words(home: House, ada: str):
    given = verdict(home, "post-01k9")
    assert (given["reason"], given["hint"]) == ("source_is_post", POST)
    assert POST == "agent posts are not valid grounding sources — cite the primary source the post references."


@pytest.mark.guarantee("V4", "V10")
def test_neither_a_fact_nor_what_is_no_document_grounds_a_claim(home: House, ada: str):
    fact_id = verdict(home, shelf.put(home, BODY))["fact_id"]
    assert verdict(home, fact_id)["reason"] == "source_is_fact"
    for other in (ada, "page-1", "skill-1", "brief-1", "doc-1", "doc' OR 1=1"):
        assert verdict(home, other)["reason"] == "source_not_found"


@pytest.mark.guarantee("V7")
def test_a_source_out_of_scope_or_archived_is_told_like_one_that_is_not_there(home: House, ada: str, acme: str):
    hidden, gone = shelf.put(home, BODY, entity_ids=[acme]), shelf.put(home, BODY, entity_ids=[ada])
    shelf.archive(home, gone)
    agent = home.agent("full", scope=[ada])
    before = home.dump()
    told = [
        home.call(agent, tool, source_id=source_id, claims=[claim()])["verdicts"]
        for tool in ("submit_claim_graph", "check_claim_graph")
        for source_id in (hidden, gone, "doc-00000000000000000000000000")
    ]
    assert all(each == told[0] for each in told)
    assert told[0][0]["reason"] == "source_not_found"
    assert home.dump() == before
    checks = [home.call(agent, "check_quote", source_id=each, quote="ship") for each in (hidden, gone, "doc-0")]
    assert checks[0] == checks[1] == checks[2]
    assert checks[0]["holds"] is False


@pytest.mark.guarantee("C5")
def test_an_object_out_of_scope_is_told_like_one_that_is_not_there(home: House, ada: str, acme: str):
    document = shelf.put(home, BODY, entity_ids=[ada])
    agent = home.agent("full", scope=[ada])
    before = home.dump()
    told = [
        home.call(
            agent, "submit_claim_graph", source_id=document,
            claims=[claim(predicate="works_for", object=target, quote="Acme Ltd employs Ada Lovelace")],
        )["verdicts"][0]
        for target in (acme, "e-00000000000000000000000000")
    ]  # fmt: skip
    assert {each["reason"] for each in told} == {"entity_not_found"}
    assert told[0]["hint"].replace(acme, "?") == told[1]["hint"].replace("e-00000000000000000000000000", "?")
    assert home.dump() == before


@pytest.mark.guarantee("V5")
@pytest.mark.parametrize(
    ("origin", "tier"), [("owner", "quoted"), ("import", "quoted"), ("folder", "quoted"), ("agent", "inferred")]
)
def test_what_an_agent_wrote_grounds_nothing_above_inferred(home: House, ada: str, origin: str, tier: str):
    given = verdict(home, shelf.put(home, BODY, origin=origin))
    assert (given["accepted"], given["trust_tier"]) == (True, tier)


def test_an_object_that_the_quote_does_not_hold_is_inferred_and_told(home: House, acme: str):
    document = shelf.put(home, BODY)
    quote = "Revenue was EUR 1,200.50 in 2025."
    held = verdict(home, document, entity="acme ltd", predicate="revenue", object="1200.50 EUR", quote=quote)
    assert (held["trust_tier"], held.get("reason")) == ("quoted", None)
    invented = verdict(home, document, entity="acme ltd", predicate="revenue", object="1300.50 EUR", quote=quote)
    assert (invented["accepted"], invented["trust_tier"], invented["reason"]) == (
        True,
        "inferred",
        "unsupported_object",
    )
    assert "1300.50" in invented["hint"]


def test_an_entity_as_object_may_stand_in_the_quote_under_its_name(home: House, ada: str, acme: str):
    document = shelf.put(home, BODY)
    for target in (acme, "ACME LTD"):
        given = verdict(home, document, predicate="works_for", object=target, quote="Acme Ltd employs Ada Lovelace")
        assert given["trust_tier"] == "quoted"
        fact = home.call(home.owner, "get_fact", fact_id=given["fact_id"])
        assert (fact["object"], fact["object_entity_id"], fact["value_type"]) == ("Acme Ltd", acme, "entity")
    elsewhere = verdict(home, document, predicate="works_for", object=acme, quote="The ship sailed.")
    assert elsewhere["reason"] == "unsupported_object"
    assert verdict(home, document, predicate="works_for", object="sailed", object_type="text")["accepted"]


@pytest.mark.guarantee("V3")
def test_what_matches_only_after_folding_is_normalized_never_exact(home: House, ada: str):
    document = shelf.put(home, "Ada\u00a0liked the o\ufb03ce and cafe\u0301s.")
    for quote, match in (("the o\ufb03ce", "exact"), ("the office", "normalized"), ("caf\u00e9s", "exact"),
                         ("Ada liked", "normalized")):  # fmt: skip
        given = verdict(home, document, quote=quote, object="liked", id=quote)
        assert (given["accepted"], given["quote_match"]) == (True, match), quote


@pytest.mark.guarantee("V2")
def test_the_first_of_several_places_is_taken_and_said_to_be_unless_one_is_named(home: House, ada: str):
    document = shelf.put(home, BODY)
    first = BODY.index("The ship sailed.")
    second = BODY.index("The ship sailed.", first + 1)
    assert "ambiguous_quote" in verdict(home, document)["hint"]
    named = verdict(home, document, quote_start=second)
    assert (named["quote_start"], named.get("hint")) == (second, None)


def graph(*bad: int) -> list[dict[str, Any]]:
    return [
        claim(id=f"c{n}", object=f"sailed {word}", quote="nowhere" if n in bad else "The ship sailed.")
        for n, word in enumerate(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
    ]


@pytest.mark.guarantee("V9")
def test_one_bad_claim_falls_alone_or_takes_all_with_it(home: House, ada: str):
    document, agent = shelf.put(home, BODY), home.agent("full")
    before = home.dump()
    none = home.call(agent, "submit_claim_graph", source_id=document, claims=graph(3), atomic=True)
    assert (none["accepted"], none["rejected"], none.get("mutation_seq")) == (0, 10, None)
    assert none["verdicts"][3]["reason"] == "quote_not_found"
    assert home.dump() == before
    most = home.call(agent, "submit_claim_graph", source_id=document, claims=graph(3))
    assert (most["accepted"], most["rejected"]) == (9, 1)
    assert [each["accepted"] for each in most["verdicts"]] == [n != 3 for n in range(10)]
    assert home.call(agent, "query_knowledge")["total"] == 9
    assert home.call(agent, "get_mutation", mutation_seq=most["mutation_seq"])["rows"] == 9


@pytest.mark.guarantee("V9", "V10")
def test_what_hangs_on_a_rejected_claim_or_on_itself_falls_too(home: House, ada: str):
    document, claims = shelf.put(home, BODY), graph(0)
    for n, others in {1: ["c0"], 2: ["c1"], 4: ["c5"], 5: ["c4"], 6: ["c3"], 7: ["c6", "c3"], 8: ["c5"]}.items():
        claims[n]["depends_on"] = others
    told = home.call(home.agent("full"), "submit_claim_graph", source_id=document, claims=claims)["verdicts"]
    assert {each["id"] for each in told if each["accepted"]} == {"c3", "c6", "c7", "c9"}
    assert {each["reason"] for each in told[1:] if not each["accepted"]} == {"depends_on_rejected"}


def test_claims_have_ids_of_their_own_and_a_bound_on_their_number(home: House, ada: str):
    document, agent = shelf.put(home, BODY), home.agent("full")
    for claims in ([claim(), claim()], [], [claim(id=str(n)) for n in range(101)], [claim(surprise=1)]):
        error = home.refused(agent, "submit_claim_graph", source_id=document, claims=claims)
        assert error["code"] == "bad_arguments"


def test_the_verdicts_of_the_largest_graph_fit_in_one_answer(home: House, ada: str):
    document = shelf.put(home, BODY)
    claims = [claim(id=f"{n:064}", entity=f"Nobody {n} " + "é" * 180) for n in range(100)]
    told = home.call(home.agent("full"), "submit_claim_graph", source_id=document, claims=claims)
    assert (told["rejected"], told["verdicts"][0]["reason"]) == (100, "entity_not_found")


def test_the_same_claim_again_is_the_same_fact(home: House, ada: str):
    document = shelf.put(home, BODY)
    first = home.call(home.agent("full"), "submit_claim_graph", source_id=document, claims=[claim()])
    before = home.dump()
    again = home.call(
        home.agent("full"), "submit_claim_graph", source_id=document, claims=[claim(), claim(id="d", object=" sailed ")]
    )
    assert {each["fact_id"] for each in again["verdicts"]} == {first["verdicts"][0]["fact_id"]}
    assert "mutation_seq" not in again
    assert home.dump() == before
    other = home.call(home.agent("full"), "submit_claim_graph", source_id=shelf.put(home, BODY), claims=[claim()])
    assert other["verdicts"][0]["fact_id"] != first["verdicts"][0]["fact_id"]


@pytest.mark.guarantee("PR2", "P5")
def test_making_an_entity_by_a_graph_of_claims_waits_for_the_owner(home: House):
    document, agent = shelf.put(home, BODY), home.agent("full")
    asked = {
        "source_id": document,
        "claims": [
            claim(),
            claim(id="d", predicate="works_for", object="Acme Ltd", quote="Acme Ltd employs Ada Lovelace"),
        ],
        "entities": [
            {"name": "Ada Lovelace", "kind": "Person"},
            {"name": "Acme Ltd", "kind": "organisation"},
            {"name": "Not Needed", "kind": "person"},
        ],
    }
    before = home.dump()
    assert [each["accepted"] for each in home.call(agent, "check_claim_graph", **asked)["verdicts"]] == [True, True]
    error = home.refused(agent, "submit_claim_graph", **asked)
    assert error["code"] == "approval_pending"
    assert home.dump() == before
    assert home.parts.approvals.approve(error["details"]["approval_id"], "owner").status == "approved"
    told = home.call(agent, "submit_claim_graph", **asked)
    assert told["accepted"] == 2
    assert [(each["name"], each["kind"]) for each in told["entities"]] == [
        ("Ada Lovelace", "person"), ("Acme Ltd", "organisation"),
    ]  # fmt: skip
    assert home.call(agent, "list_entities")["total"] == 2
    assert home.call(agent, "query_knowledge", entity="Ada Lovelace", object="Acme Ltd")["total"] == 1


def test_a_new_entity_that_is_there_already_is_that_one(home: House, ada: str):
    document = shelf.put(home, BODY)
    told = home.call(
        home.owner, "submit_claim_graph", source_id=document, claims=[claim()],
        entities=[{"name": "ADA LOVELACE", "kind": "person"}],
    )  # fmt: skip
    assert told["accepted"] == 1
    assert "entities" not in told
    assert home.call(home.owner, "list_entities")["total"] == 1
    assert home.call(home.owner, "query_knowledge", entity=ada)["total"] == 1


@pytest.mark.guarantee("PR2", "P5")
def test_a_word_is_the_owners_when_the_owner_said_it_and_else_inferred(home: House, ada: str):
    said = {"entity_id": ada, "predicate": "likes", "object": "tea"}
    fact = home.call(home.owner, "remember_fact", **said)["fact"]
    assert (fact["trust_tier"], fact["source_kind"]) == ("owner", "word")
    assert home.call(home.owner, "remember_fact", **said)["fact"]["fact_id"] == fact["fact_id"]
    agent = home.agent("full")
    error = home.refused(agent, "remember_fact", **said)
    assert error["code"] == "approval_pending"
    home.parts.approvals.approve(error["details"]["approval_id"], "owner")
    other = home.call(agent, "remember_fact", **said)["fact"]
    assert (other["trust_tier"], other["observer_name"]) == ("inferred", "agent")
    assert home.call(agent, "explain_fact", fact_id=other["fact_id"])["verdict"] == "unsourced"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"entity_id": "Ada Lovelace"}, "not_found"),
        ({"predicate": "Not A Name"}, "bad_arguments"),
        ({"predicate": "born_on"}, "bad_arguments"),
        ({"predicate": "born_on", "object": "tea", "object_type": "url"}, "bad_arguments"),
        ({"predicate": "works_for"}, "not_found"),
        ({"observed_at": "yesterday"}, "bad_arguments"),
    ],
)
def test_a_word_that_cannot_be_is_refused(home: House, ada: str, changes: dict[str, Any], code: str):
    said = {"entity_id": ada, "predicate": "likes", "object": "tea", **changes}
    assert home.refused(home.owner, "remember_fact", **said)["code"] == code


def test_a_word_about_two_of_one_name_is_ambiguous(home: House, ada: str, acme: str):
    home.call(home.owner, "create_entity", kind="ship", name="Acme Ltd")
    error = home.refused(home.owner, "remember_fact", entity_id=ada, predicate="works_for", object="Acme Ltd")
    assert error["code"] == "ambiguous"
    fact = home.call(home.owner, "remember_fact", entity_id=ada, predicate="works_for", object=acme)["fact"]
    assert (fact["object"], fact["object_entity_id"]) == ("Acme Ltd", acme)


@pytest.mark.guarantee("V11")
def test_a_source_that_changes_after_the_check_is_judged_anew_by_the_write(home: House, ada: str):
    document, agent = shelf.put(home, BODY), home.agent("assistant")
    assert home.call(agent, "check_claim_graph", source_id=document, claims=[claim()])["accepted"] == 1
    error = home.refused(agent, "submit_claim_graph", source_id=document, claims=[claim()])
    shelf.rewrite(home, document, "The ship sank.")
    assert home.call(agent, "check_claim_graph", source_id=document, claims=[claim()])["accepted"] == 0
    assert home.parts.approvals.approve(error["details"]["approval_id"], "owner").status == "void"
    assert home.call(home.owner, "query_knowledge")["total"] == 0


@pytest.mark.guarantee("V6")
def test_a_changed_source_marks_its_facts_and_explains_what_became_of_each_quote(home: House, ada: str):
    document, agent = shelf.put(home, BODY), home.agent("full")
    fact_id = verdict(home, document)["fact_id"]
    held = home.call(agent, "explain_fact", fact_id=fact_id)
    assert (held["verdict"], held["source"]["source_id"]) == ("holds", document)
    assert "The ship sailed." in held["context"]
    assert "stale" not in held["fact"]
    shelf.rewrite(home, document, "Once upon a time. The ship sailed.")
    moved = home.call(agent, "explain_fact", fact_id=fact_id)
    assert (moved["verdict"], moved["source"]["quote_start"], moved["fact"]["quote_start"]) == ("holds", 18, 18)
    assert "stale" not in moved["fact"]
    shelf.rewrite(home, document, "The ship sank.")
    lost = home.call(agent, "explain_fact", fact_id=fact_id)
    assert (lost["verdict"], lost.get("context"), lost["fact"]["stale"]) == ("quote_lost", None, True)
    shelf.archive(home, document)
    assert home.call(agent, "explain_fact", fact_id=fact_id)["verdict"] == "quote_lost"


def test_a_predicate_that_is_defined_or_changed_types_the_next_claims(home: House, ada: str):
    document, agent = shelf.put(home, BODY), home.agent("full")
    assert verdict(home, document, predicate="tonnage", object="sailed")["accepted"]
    told = home.call(agent, "define_predicate", predicate="tonnage", value_type="integer", single_valued=True)
    assert told["predicate"]["built_in"] is False
    assert verdict(home, document, predicate="tonnage", object="sailed")["reason"] == "bad_value"
    home.call(agent, "define_predicate", predicate="tonnage", value_type="text", single_valued=False)
    rows = home.call(agent, "list_predicates", limit=200)
    assert rows["total"] == len(rows["items"]) > 60
    assert [each["value_type"] for each in rows["items"] if each["predicate"] == "tonnage"] == ["text"]
    for bad in ({"predicate": "Not A Name"}, {"inverse": "owns"}):
        arguments = {"predicate": "tonnage", "value_type": "text", "single_valued": True, **bad}
        assert home.refused(agent, "define_predicate", **arguments)["code"] == "bad_arguments"
