from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from sophia.core.clock import SECOND
from tests.support import shelf
from tests.support.house import House, house

CANARY = "kanarienvogel"
BODY = f"Ada likes tea. Ada likes coffee. Ada works for Acme. {CANARY} pays Ada. Ada lives in London. 東京都に住む。"


@dataclass(frozen=True)
class Library:
    home: House
    ada: str
    acme: str
    document: str
    facts: dict[str, str]

    def found(self, caller: Any = None, **arguments: Any) -> list[str]:
        """The objects of the facts that a query finds."""
        page = self.home.call(caller or self.home.owner, "query_knowledge", **arguments)
        assert page["total"] == len(page["items"])
        return [fact["object"] for fact in page["items"]]


@pytest.fixture(name="library", scope="module")
def _library() -> Iterator[Library]:
    with house() as home:
        ada, acme = home.entity("Ada", "person"), home.entity("Acme", "organisation")
        document = shelf.put(home, BODY, entity_ids=[ada, acme])
        claims = [
            ("note", "is paid", f"{CANARY} pays Ada", {}),
            ("likes", "tea", "Ada likes tea", {}),
            ("likes", "coffee", "Ada likes coffee", {"valid_from": "2020-01-01", "valid_to": "2021-01-01"}),
            ("works_for", "Acme", "Ada works for Acme", {}),
            ("address", "London", "Ada lives in London", {}),
            ("address", "Paris", "Ada lives in London", {}),
            ("note", "東京都", "東京都に住む", {}),
        ]
        facts = {}
        for predicate, value, quote, more in claims:
            home.clock.turn(SECOND)
            told = home.call(
                home.owner, "submit_claim_graph", source_id=document,
                claims=[{"id": "c", "entity": ada, "predicate": predicate, "object": value, "quote": quote, **more}],
            )  # fmt: skip
            facts[value] = told["verdicts"][0]["fact_id"]
        yield Library(home, ada, acme, document, facts)


@pytest.mark.parametrize(
    ("arguments", "objects"),
    [
        ({}, ["東京都", "Paris", "London", "Acme", "tea", "is paid"]),
        ({"history": True}, ["東京都", "Paris", "London", "Acme", "coffee", "tea", "is paid"]),
        ({"entity": "ada", "predicate": "likes"}, ["tea"]),
        ({"entity": "ada", "predicate": "likes", "history": True}, ["coffee", "tea"]),
        ({"entity": "Acme"}, []),
        ({"object": "TEA"}, ["tea"]),
        ({"object": "acme"}, ["Acme"]),
        ({"query": "likes"}, ["tea"]),
        ({"query": "likes", "valid_at": "2020-06-01"}, ["coffee", "tea"]),
        ({"query": "ada works"}, ["Acme"]),
        ({"query": "tea coffee"}, []),
        ({"query": '"likes tea"'}, ["tea"]),
        ({"query": "東京"}, ["東京都"]),
        ({"query": 'NEAR(" OR * quote:tea'}, []),
        ({"query": "the"}, []),
        ({"min_trust_tier": "quoted"}, ["東京都", "London", "Acme", "tea", "is paid"]),
        ({"min_trust_tier": "owner"}, []),
        ({"predicate": "likes", "valid_at": "2020-06-01"}, ["coffee", "tea"]),
        ({"predicate": "likes", "valid_at": "2021-01-01T00:00:00Z"}, ["tea"]),
        ({"source_id": "doc-1"}, []),
        ({"source_id": 'doc" OR "'}, []),
    ],
    ids=str,
)
def test_a_query_finds_what_is_asked_newest_first(library: Library, arguments: dict[str, Any], objects: list[str]):
    assert library.found(**arguments) == objects


def test_a_source_finds_its_facts(library: Library):
    assert len(library.found(source_id=library.document)) == 6
    assert len(library.found(source_id=library.document, history=True)) == 7
    assert library.found(source_id=library.document, query="tea") == ["tea"]


def test_only_values_that_contradict_each_other_are_contested(library: Library):
    items = library.home.call(library.home.owner, "query_knowledge")["items"]
    assert {fact["object"] for fact in items if fact["contested"]} == {"London", "Paris"}


@pytest.mark.parametrize("more", [{}, {"query": "Ada"}], ids=["listed", "searched"])
def test_pages_go_through_every_fact_once(library: Library, more: dict[str, Any]):
    whole, cursor, seen = library.found(**more), None, []
    while True:
        page = library.home.call(
            library.home.owner, "query_knowledge", limit=2, **more, **({"cursor": cursor} if cursor else {})
        )
        seen += [fact["object"] for fact in page["items"]]
        cursor = page.get("cursor")
        if cursor is None:
            break
    assert seen == whole


@pytest.mark.guarantee("C2")
def test_a_fact_shows_only_to_whoever_sees_both_of_its_ends(library: Library):
    agent = library.home.agent("observer", scope=[library.ada])
    assert "Acme" not in library.found(agent)
    for tool in ("get_fact", "explain_fact"):
        hidden, missing = (
            library.home.refused(agent, tool, fact_id=fact_id)
            for fact_id in (library.facts["Acme"], "f-00000000000000000000000000")
        )
        del hidden["error_id"], missing["error_id"]
        assert hidden == missing
    assert library.found(library.home.agent("observer", scope=[library.ada, library.acme]), query="works") == ["Acme"]


@pytest.mark.guarantee("C2", "C12")
def test_a_quote_from_a_source_out_of_scope_is_neither_shown_nor_found(library: Library):
    home = library.home
    agent = home.agent("observer", scope=[library.ada])
    fact_id = library.facts["is paid"]
    fact = home.call(agent, "get_fact", fact_id=fact_id)
    assert fact["object"] == "is paid"
    assert not {"quote", "quote_start", "quote_end", "quote_match", "source_id", "stale"} & set(fact)
    assert home.call(agent, "explain_fact", fact_id=fact_id)["verdict"] == "source_gone"
    assert library.found(home.owner, query=CANARY) == ["is paid"]
    assert library.found(agent, query=CANARY) == []
    assert library.found(agent, query="paid") == ["is paid"]
    assert library.found(agent, source_id=library.document) == []
    assert home.call(agent, "list_mutations")["total"] == 1, "only the making of Ada"


@pytest.mark.guarantee("C1")
def test_an_empty_scope_knows_nothing(library: Library):
    nobody = library.home.agent("observer", scope=[])
    for arguments in ({}, {"query": "tea"}, {"source_id": library.document}, {"object": "tea"}, {"history": True}):
        assert library.found(nobody, **arguments) == []


def test_a_search_counts_to_a_thousand_and_says_so():
    with house() as home:
        ada = home.entity("Ada")
        document = shelf.put(home, "Ada likes tea.")
        for batch in range(11):
            claims = [
                {
                    "id": str(n),
                    "entity": ada,
                    "predicate": "note",
                    "object": f"tea {batch * 100 + n}",
                    "quote": "likes tea",
                }
                for n in range(100)
            ]
            home.call(home.owner, "submit_claim_graph", source_id=document, claims=claims)
        page = home.call(home.owner, "query_knowledge", query="tea", limit=1)
        assert (page["total"], page["total_is_capped"]) == (1000, True)
        assert home.call(home.owner, "query_knowledge", limit=1)["total"] == 1100
