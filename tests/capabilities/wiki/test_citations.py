"""What a page cites, and whether it still holds."""

from collections.abc import Iterator
from typing import Any

import pytest

from sophia.capabilities.knowledge import standings
from sophia.core.caller import Agent
from tests.support import shelf
from tests.support.house import House, house

BODY = "Log. The ship sailed in 1858. The mate was Ann."


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def agent(home: House) -> Agent:
    return home.agent("full")


@pytest.fixture
def document(home: House) -> str:
    home.entity("Aurora", "ship")
    return shelf.put(home, BODY)


def fact(home: House, document: str, quote: str = "The ship sailed in 1858.") -> str:
    claim = {"id": "c", "entity": "Aurora", "predicate": "says", "object": quote, "quote": quote}
    told = home.call(home.owner, "submit_claim_graph", source_id=document, claims=[claim])["verdicts"][0]
    assert told["accepted"], told
    fact_id: str = told["fact_id"]
    return fact_id


def cited(home: House, caller: Any, page: str = "Log") -> dict[str, dict[str, Any]]:
    return {each["id"]: each for each in home.call(caller, "get_wiki_page", page=page).get("citations", [])}


def lost(home: House, caller: Any) -> list[str]:
    return [each["title"] for each in home.call(caller, "list_wiki_pages", citing_lost=True)["items"]]


def test_a_page_shows_how_what_it_cites_stands_now(home: House, agent: Agent, document: str):
    sailed, mate = fact(home, document), fact(home, document, "The mate was Ann.")
    body = f"With [[{mate}|Ann]] it sailed [[{sailed}]], says [[{document}]]."
    assert "warning" not in home.call(agent, "write_wiki_page", page="Log", body=body)
    told = cited(home, agent)
    assert list(told) == [mate, sailed, document]
    assert told[sailed] == {
        "id": sailed, "kind": "fact", "standing": "current", "holds": True, "quote": "holds",
        "says": "Aurora says The ship sailed in 1858.",
    }  # fmt: skip
    assert (told[document]["standing"], told[document]["holds"]) == ("active", True)
    assert lost(home, agent) == []
    shelf.rewrite(home, document, f"New. {BODY}")
    assert (cited(home, agent)[sailed]["quote"], lost(home, agent)) == ("holds", [])
    shelf.rewrite(home, document, "The mate was Ann.")
    told = cited(home, agent)
    assert next(iter(told)) == sailed, "what no longer holds comes first"
    assert (told[sailed]["quote"], told[sailed]["holds"]) == ("quote_lost", False)
    assert (told[mate]["quote"], told[mate]["holds"]) == ("holds", True)
    assert lost(home, agent) == ["Log"]


@pytest.mark.parametrize("end", ["superseded", "retracted", "archived"])
def test_what_was_withdrawn_holds_no_longer(home: House, agent: Agent, document: str, end: str):
    one, later = fact(home, document), fact(home, document, "The mate was Ann.")
    named = document if end == "archived" else one
    home.call(agent, "write_wiki_page", page="Log", body=f"[[{named}]]")
    home.call(agent, "write_wiki_page", page="Other", body=f"[[{later}]]")
    match end:
        case "superseded":
            with home.databases.state.writing(home.owner, shelf._entry(home)) as unit:
                unit.tx.update("fact", one, status="superseded", superseded_by=later)
        case "retracted":
            home.call(agent, "retract_fact", fact_id=one, reason="wrong")
        case _:
            shelf.archive(home, document)
    told = cited(home, agent)[named]
    assert (told["standing"], told["holds"]) == (end, False)
    assert told.get("superseded_by") == (later if end == "superseded" else None)
    assert lost(home, agent) == ["Log"]


def test_what_is_hidden_is_gone_like_what_never_was(home: House, agent: Agent, document: str):
    mine, ship = home.entity("Mine"), home.entity("Ship")
    theirs = shelf.put(home, "Theirs.", entity_ids=[ship])
    known = home.call(home.owner, "remember_fact", entity_id=ship, predicate="note", object="theirs")["fact"]["fact_id"]
    scoped = home.agent("full", scope=[mine])
    never = [f"f-{'0' * 26}", f"doc-{'0' * 26}"]
    body = " ".join(f"[[{each}]]" for each in (known, theirs, *never))
    told = home.call(scoped, "write_wiki_page", page="Log", body=body, entity_ids=[mine])
    assert told["warning"] == f"Cites what this connection sees nothing of: {known}, {theirs}, {', '.join(never)}."
    assert {(each["standing"], each["holds"], len(each)) for each in cited(home, scoped).values()} == {
        ("gone", False, 4)
    }
    seen = cited(home, home.owner)
    assert (seen[known]["quote"], seen[known]["holds"], seen[theirs]["holds"]) == ("unsourced", True, True)


def test_the_quote_of_a_source_that_cannot_be_read_is_gone(home: House, document: str):
    mine, ship = home.entity("Mine"), home.entity("Ship")
    claim = {"id": "c", "entity": "Mine", "predicate": "says", "object": "Theirs.", "quote": "Theirs."}
    source = shelf.put(home, "Theirs.", entity_ids=[mine, ship])
    known = home.call(home.owner, "submit_claim_graph", source_id=source, claims=[claim])["verdicts"][0]["fact_id"]
    home.call(home.owner, "write_wiki_page", page="Log", body=f"[[{known}]]", entity_ids=[mine])
    scoped = home.agent("observer", scope=[mine])
    told = cited(home, scoped)[known]
    assert (told["standing"], told["quote"], told["holds"]) == ("current", "source_gone", False)
    assert (lost(home, scoped), lost(home, home.owner)) == (["Log"], [])


def test_no_more_of_changed_sources_is_read_than_is_allowed(
    home: House, agent: Agent, document: str, monkeypatch: pytest.MonkeyPatch
):
    one = fact(home, document)
    home.call(agent, "write_wiki_page", page="Log", body=f"[[{one}]]")
    shelf.rewrite(home, document, "Nothing of it.")
    monkeypatch.setattr(standings, "MOST_READ", 3)
    told = cited(home, agent)[one]
    assert (told["quote"], told["holds"]) == ("unchecked", True)


def test_an_older_revision_shows_what_it_cited(home: House, agent: Agent, document: str):
    home.call(agent, "write_wiki_page", page="Log", body=f"[[{document}]]")
    home.call(agent, "write_wiki_page", page="Log", body="nothing", base_revision=1)
    assert cited(home, agent) == {}
    assert home.call(agent, "get_wiki_page", page="Log", revision=1)["citations"][0]["id"] == document


def test_a_page_grounds_no_fact(home: House, agent: Agent, document: str):
    page = home.call(agent, "write_wiki_page", page="Log", body=BODY)["page"]["page_id"]
    claim = {"id": "c", "entity": "Aurora", "predicate": "says", "object": "it sailed", "quote": "The ship sailed"}
    for source in (page, f"page-{'0' * 26}"):
        told = home.call(agent, "submit_claim_graph", source_id=source, claims=[claim])["verdicts"][0]
        assert (told["accepted"], told["reason"]) == (False, "source_not_found")
        assert told["hint"] == "A wiki page grounds nothing by itself; cite the documents that it cites."
