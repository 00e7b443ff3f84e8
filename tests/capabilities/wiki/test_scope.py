"""Who sees which page: whoever sees all that it is linked to; and what others have called theirs tells nobody."""

from collections.abc import Iterator

import pytest

from sophia.core.caller import Agent
from tests.support.house import House, house

HIDDEN = "hidden words"


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def entities(home: House) -> tuple[str, str]:
    return home.entity("Mine"), home.entity("Theirs")


@pytest.fixture
def agent(home: House, entities: tuple[str, str]) -> Agent:
    return home.agent("full", scope=[entities[0]])


def page(home: House, title: str, *entity_ids: str, body: str = HIDDEN) -> str:
    made = home.call(home.owner, "write_wiki_page", page=title, body=body, entity_ids=list(entity_ids))
    page_id: str = made["page"]["page_id"]
    return page_id


READS = ("get_wiki_page", "wiki_backlinks", "wiki_history")


@pytest.mark.guarantee("C2")
def test_a_page_is_seen_by_whoever_sees_all_that_it_is_linked_to(home: House, agent: Agent, entities: tuple[str, str]):
    mine, theirs = entities
    page(home, "Of mine", mine)
    for title, linked in (("Of both", (mine, theirs)), ("Of theirs", (theirs,)), ("Of nothing", ())):
        hidden = page(home, title, *linked)
        for name in (hidden, title):
            for tool in READS:
                assert home.refused(agent, tool, page=name)["code"] == "not_found"
            for tool, more in (
                ("append_wiki_page", {"body": "x"}),
                ("rename_wiki_page", {"title": "x"}),
                ("archive_wiki_page", {}),
                ("link_wiki_page", {"add_entity_ids": [mine]}),
            ):
                assert home.refused(agent, tool, page=name, **more)["code"] == "not_found", tool
        assert home.refused(agent, "write_wiki_page", page=hidden, body="x", base_revision=1)["code"] == "not_found"
    assert [each["title"] for each in home.call(agent, "list_wiki_pages")["items"]] == ["Of mine"]
    assert home.call(agent, "search_wiki", query=HIDDEN)["total"] == 1
    assert home.call(home.agent("full", scope=[mine, theirs]), "list_wiki_pages")["total"] == 3


@pytest.mark.guarantee("C3")
def test_a_title_that_somebody_else_has_is_written_to_like_a_free_one(
    home: House, agent: Agent, entities: tuple[str, str]
):
    mine, theirs = entities
    hidden = page(home, "Plan", theirs)
    page(home, "Was taken", theirs)
    home.call(home.owner, "rename_wiki_page", page="Was taken", title="Is taken")
    for title in ("Plan", "Was taken", "Is taken", "Free"):
        told = home.call(agent, "write_wiki_page", page=title, body=f"my {title}", entity_ids=[mine])
        assert (told["page"]["revision"], told["page"]["title"], set(told) & {"warning"}) == (1, title, set())
        assert home.call(agent, "get_wiki_page", page=title)["body"] == f"my {title}"
    home.call(agent, "rename_wiki_page", page="Free", title="IS TAKEN too")
    error = home.refused(home.owner, "get_wiki_page", page="plan")
    assert error["code"] == "ambiguous"
    assert hidden in {each["page_id"] for each in error["candidates"]}
    assert home.refused(home.owner, "write_wiki_page", page="Plan", body="x", base_revision=1)["code"] == "ambiguous"
    linking = page(home, "Links", mine, body="[[Plan]]")
    assert home.call(home.owner, "get_wiki_page", page=linking)["links"] == [{"written": "Plan", "ambiguous": True}]
    (link,) = home.call(agent, "get_wiki_page", page=linking)["links"]
    assert link["page_id"] != hidden


@pytest.mark.guarantee("C3")
def test_a_link_to_a_hidden_page_looks_like_one_to_none(home: House, agent: Agent, entities: tuple[str, str]):
    mine, theirs = entities
    hidden = page(home, "Theirs alone", theirs, body="[[Leads]]")
    nothing = hidden[:-1] + ("0" if hidden[-1] != "0" else "1")
    page(home, "Leads", mine, body=f"[[Theirs alone]] [[Nowhere]] [[{hidden}]] [[{nothing}]]")
    told = home.call(agent, "get_wiki_page", page="Leads")["links"]
    assert [set(link) for link in told] == [{"written"}] * 4
    assert home.call(agent, "wiki_backlinks", page="Leads")["total"] == 0
    assert home.call(home.owner, "wiki_backlinks", page="Leads")["total"] == 1


@pytest.mark.guarantee("C5")
def test_a_list_scope_links_what_it_writes_and_cannot_write_itself_out_of_sight(
    home: House, agent: Agent, entities: tuple[str, str]
):
    mine, theirs = entities
    for linked in ([], [theirs], [mine, theirs]):
        refused = home.refused(agent, "write_wiki_page", page="New", body="x", entity_ids=linked)
        assert refused["code"] == "not_found"
    home.call(agent, "write_wiki_page", page="New", body="x", entity_ids=[mine])
    before = home.dump()
    for more in ({"add_entity_ids": [theirs]}, {"remove_entity_ids": [mine]}, {"remove_entity_ids": [theirs]}):
        assert home.refused(agent, "link_wiki_page", page="New", **more)["code"] == "not_found"
    assert home.dump() == before


@pytest.mark.guarantee("C9")
@pytest.mark.parametrize("table", ["page", "page_revision", "page_redirect", "page_entity", "page_link", "page_chunk"])
def test_no_table_of_the_wiki_shows_more_than_the_pages_that_are_seen(
    home: House, agent: Agent, entities: tuple[str, str], table: str
):
    for title, linked in ((f"Seen {table}", entities[0]), (f"Unseen {table}", entities[1])):
        page(home, title, linked, body="[[Link]]")
        home.call(home.owner, "rename_wiki_page", page=title, title=f"{title} by now")
    with home.databases.state.reading(agent) as db:
        of = "id" if table == "page" else "page_id"
        seen = {row[of] for row in db.rows(f"SELECT {of} FROM {table}")}
        pages = {row["id"] for row in db.rows("SELECT p.id FROM page p JOIN page_entity l ON l.page_id = p.id"
                                              " WHERE l.entity_id = :id", id=entities[0])}  # fmt: skip
    hidden = home.call(home.owner, "get_wiki_page", page=f"Unseen {table}")["page_id"]
    assert hidden not in seen
    assert home.call(home.owner, "get_wiki_page", page=f"Seen {table}")["page_id"] in seen <= pages
