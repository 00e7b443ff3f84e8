"""Documents are mined behind the calls, and what is found is grounded like everything else."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import shelf
from tests.support.house import House, house

NOTE = "# Invoice 17\n\nDue: 12 March 2026\nTotal: 1,200.50 EUR\nContact: Anna Meier <anna@example.com>\n"
PATIENCE_S = 30


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def facts(home: House, **asked: Any) -> dict[tuple[str, str, str], dict[str, Any]]:
    items = home.call(home.owner, "query_knowledge", limit=200, **asked)["items"]
    return {(one["entity_name"], one["predicate"], one["object"]): one for one in items}


def test_what_a_document_says_is_known_with_its_quote(home: House):
    document_id = shelf.put(home, NOTE, title="Invoice 17")
    assert home.parts.chores.settle(PATIENCE_S)
    known = facts(home, source_id=document_id)
    assert set(known) == {
        ("Invoice 17", "due_on", "2026-03-12"),
        ("Invoice 17", "total", "1200.50"),
        ("Anna Meier", "email", "anna@example.com"),
    }
    due = known["Invoice 17", "due_on", "2026-03-12"]
    assert (due["quote"], due["trust_tier"], due["observer_name"]) == ("Due: 12 March 2026", "quoted", "sophia")
    assert home.call(home.owner, "explain_fact", fact_id=due["fact_id"])["verdict"] == "holds"
    assert home.call(home.owner, "get_document", document_id=document_id)["tier"] == "indexed"


def test_mining_again_adds_nothing_and_a_changed_text_is_mined_anew(home: House):
    document_id = shelf.put(home, NOTE, title="Invoice 17")
    home.parts.chores.settle(PATIENCE_S)
    before = home.call(home.owner, "list_mutations")["total"]
    home.parts.chores.settle(PATIENCE_S)
    assert home.call(home.owner, "list_mutations")["total"] == before
    shelf.rewrite(home, document_id, NOTE.replace("1,200.50", "1,300.50"))
    home.parts.chores.settle(PATIENCE_S)
    known = facts(home, source_id=document_id)
    assert ("Invoice 17", "total", "1300.50") in known
    assert len(known) == 4
    old = known["Invoice 17", "total", "1200.50"]
    assert home.call(home.owner, "explain_fact", fact_id=old["fact_id"])["verdict"] == "quote_lost"


def test_somebody_who_is_known_is_not_made_again_and_nobody_is_guessed(home: House):
    anna = home.entity("Anna Meier", "colleague")
    shelf.put(home, NOTE)
    home.parts.chores.settle(PATIENCE_S)
    (fact,) = home.call(home.owner, "query_knowledge", predicate="email")["items"]
    assert fact["entity_id"] == anna
    for kind in ("poet", "painter"):
        home.call(home.owner, "create_entity", kind=kind, name="Bob Roe", allow_duplicate=True)
    shelf.put(home, "Bob Roe <bob@example.com>")
    home.parts.chores.settle(PATIENCE_S)
    assert home.call(home.owner, "query_knowledge", predicate="email")["total"] == 1


def test_what_an_agent_wrote_is_left_to_the_agent(home: House):
    document_id = shelf.put(home, NOTE, origin="agent")
    home.parts.chores.settle(PATIENCE_S)
    assert home.call(home.owner, "query_knowledge")["total"] == 0
    assert home.call(home.owner, "get_document", document_id=document_id)["tier"] == "searchable"


def test_two_documents_of_one_title_are_two_things(home: House):
    shelf.put(home, "Due: 2026-03-12\n", title="Notes")
    shelf.put(home, "Due: 2027-04-13\n", title="Notes")
    home.parts.chores.settle(PATIENCE_S)
    items = home.call(home.owner, "query_knowledge", predicate="due_on")["items"]
    assert len({one["entity_id"] for one in items}) == 2


def test_a_state_that_cannot_be_written_is_not_mined(home: House):
    shelf.put(home, NOTE)
    home.databases.state.read_only = "It is older than its anchor."
    assert home.parts.chores.settle(PATIENCE_S)
