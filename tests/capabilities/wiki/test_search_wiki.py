"""Pages found by their words, by what they are called, and by what they are about."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.house import House, house


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        entity = standing.entity("Skerry", "place")
        sections = "\n\n".join(f"## Part {n}\n\nThe keeper of part {n} trims lamps. {'Oil. ' * 150}" for n in range(8))
        write(standing, "Lamps", f"{sections}\n\n## Last\n\nThe isochronous flash is seen for miles.")
        write(standing, "Keepers", "Who keeps the lamps: see [[Lamps]].", entity_ids=[entity])
        write(standing, "東京の灯台", "灯台は海を照らす。")
        yield standing


def write(home: House, title: str, body: str, **more: Any) -> str:
    page_id: str = home.call(home.owner, "write_wiki_page", page=title, body=body, **more)["page"]["page_id"]
    return page_id


def found(home: House, query: str, **more: Any) -> list[str]:
    return [each["title"] for each in home.call(home.owner, "search_wiki", query=query, **more)["items"]]


def test_a_passage_is_the_text_at_its_offsets(home: House):
    (hit,) = home.call(home.owner, "search_wiki", query="isochronous")["items"]
    page = home.call(home.owner, "get_wiki_page", page="Lamps")
    assert page["body"][hit["start"] : hit["end"]] == hit["passage"]
    assert "isochronous flash" in hit["passage"]
    assert (hit["page_id"], hit["revision"]) == (page["page_id"], 1)


def test_the_answer_says_which_signals_ran(home: House):
    told = home.call(home.owner, "search_wiki", query="lamps", explain=True)
    assert told["fusion"] == {"method": "rrf", "k": 60, "signals": ["bm25"]}
    assert told["reranked"] is False
    assert told["items"][0]["title"] == "Lamps"
    assert told["items"][0]["explain"]["ranks"] == {"bm25": 2, "name": 1}
    none = home.call(home.owner, "search_wiki", query="xyzzyplugh")
    assert (none["items"], none["no_match"]) == ([], True)


def test_pages_are_found_by_title_id_entity_and_words_of_any_script(home: House):
    assert found(home, "KEEPERS")[0] == "Keepers"
    page_id = home.call(home.owner, "get_wiki_page", page="Lamps")["page_id"]
    assert found(home, page_id)[0] == "Lamps"
    assert found(home, "skerry") == ["Keepers"]
    assert found(home, "灯台") == ["東京の灯台"]
    assert found(home, '"who keeps the lamps"') == ["Keepers"]


def test_only_what_a_page_says_now_is_found(home: House):
    write(home, "Foghorn", "It bellows.")
    home.call(home.owner, "write_wiki_page", page="Foghorn", body="It whistles.", base_revision=1)
    assert found(home, "bellows") == []
    assert found(home, "whistles") == ["Foghorn"]
    home.call(home.owner, "rename_wiki_page", page="Foghorn", title="Siren")
    assert found(home, "siren") == ["Siren"]
    with home.databases.state.reading(home.owner) as db:
        assert db.rows("SELECT rowid FROM page_fts WHERE page_fts MATCH 'bellow'") == []


def test_every_family_together_finds_pages(home: House):
    told = home.call(home.owner, "search", query="isochronous flash", explain=True)["items"]
    assert [(each["family"], each["title"]) for each in told] == [("wiki", "Lamps")]
    assert told[0]["explain"]["ranks"] == {"bm25": 1, "wiki": 1}
    assert home.call(home.owner, "search", query="isochronous", families=["documents"])["total"] == 0
    assert home.call(home.owner, "search", query="isochronous", families=["wiki"], order="newest")["total"] == 1


def test_a_search_counts_no_further_than_it_ranks(home: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sophia.capabilities.wiki.searched.MOST", 1)
    for tool in ("search_wiki", "search"):
        told = home.call(home.owner, tool, query="lamps keeper oil")
        assert told["total_is_capped"] is True
