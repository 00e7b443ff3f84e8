"""Pages as they are written and read: each revision whole, by whom and why, and what leads where."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.core.caller import Agent
from tests.support.house import House, house
from tests.support.kept import kept


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def agent(home: House) -> Agent:
    return home.agent("full", name="ann")


def write(home: House, caller: Any, title: str, body: str = "text", **more: Any) -> str:
    page_id: str = home.call(caller, "write_wiki_page", page=title, body=body, **more)["page"]["page_id"]
    return page_id


def titles(home: House, caller: Any, tool: str = "list_wiki_pages", **asked: Any) -> list[str]:
    return [each["title"] for each in home.call(caller, tool, **asked)["items"]]


def test_every_revision_is_kept_whole_with_its_author_time_and_reason(home: House, agent: Agent):
    page = write(home, agent, " The  Log ", "one\ntwo", reason="begun")
    home.clock.turn(1_000_000)
    told = home.call(
        home.owner, "write_wiki_page", page="the log", body="one\n2", base_revision=1, reason="as a number"
    )
    assert (told["page"]["title"], told["page"]["revision"], told["page"]["author_name"]) == ("The Log", 2, "owner")
    last, first = home.call(agent, "wiki_history", page=page)["items"]
    assert (last["author_connection_id"], last["reason"], last["chars"]) == ("owner", "as a number", 5)
    assert (first["author_connection_id"], first["author_name"]) == (agent.connection_id, "ann")
    assert first["at"] < last["at"]
    before = home.call(agent, "get_wiki_page", page="The Log", revision=1)
    assert (before["body"], before["revision"], before["head"], before["reason"]) == ("one\ntwo", 1, 2, "begun")
    assert home.call(agent, "get_wiki_page", page=page)["body"] == "one\n2"
    found = home.call(agent, "wiki_diff", page=page, **{"from": 1, "to": 2})
    assert (found["diff"], found["added"], found["removed"]) == ("@@ -1,2 +1,2 @@\n one\n-two\n+2", 1, 1)
    for asked, argument in (({"from": 1, "to": 3}, "to"), ({"from": 9, "to": 1}, "from")):
        error = home.refused(agent, "wiki_diff", page=page, **asked)
        assert (error["code"], error["argument"]) == ("not_found", argument)
    assert home.refused(agent, "get_wiki_page", page=page, revision=3)["argument"] == "revision"
    mutation = home.call(agent, "list_mutations")["items"][0]
    assert (mutation["tool"], mutation["reason"]) == ("sophia.write_wiki_page", "as a number")


@pytest.mark.parametrize("base", [None, 1])
def test_a_text_that_is_not_based_on_the_present_revision_is_refused_with_that_one(
    home: House, agent: Agent, base: int | None
):
    page = write(home, agent, "Log", "one")
    home.call(agent, "append_wiki_page", page=page, body="two")
    based = {} if base is None else {"base_revision": base}
    error = home.refused(agent, "write_wiki_page", page="Log", body="mine", **based)
    assert (error["code"], error["argument"]) == ("conflict", "base_revision")
    assert error["details"] == {"page_id": page, "revision": 2}
    assert home.call(agent, "get_wiki_page", page=page)["body"] == "one\n\ntwo"
    assert home.refused(agent, "write_wiki_page", page="Other", body="b", base_revision=1)["code"] == "not_found"


def test_the_same_text_again_makes_no_revision(home: House, agent: Agent):
    page, before = write(home, agent, "Log", "one"), home.dump()
    again = home.call(agent, "write_wiki_page", page="Log", body="one")
    assert "Nothing was changed" in again["warning"]
    assert "mutation_seq" not in again
    assert home.dump() == before
    entity = home.entity("Ship")
    linked = home.call(agent, "write_wiki_page", page=page, body="one", entity_ids=[entity])
    assert (linked["page"]["entity_ids"], linked["page"]["revision"], "warning" in linked) == ([entity], 1, False)


def test_links_lead_to_pages_as_soon_as_they_are_there(home: House, agent: Agent):
    write(home, agent, "Ship", "Of [[Ann Berg#Life|her captain]].")
    assert home.call(agent, "get_wiki_page", page="Ship")["links"] == [{"written": "Ann Berg", "heading": "Life"}]
    berg = write(home, agent, "ann berg", "Sails the [[Ship]], and reads [[ann berg]].")
    (link,) = home.call(agent, "get_wiki_page", page="Ship")["links"]
    assert (link["page_id"], link["title"]) == (berg, "ann berg")
    assert titles(home, agent, "wiki_backlinks", page=berg) == ["Ship"]
    home.call(agent, "write_wiki_page", page="Ship", body=f"By id: [[{berg}]].", base_revision=1)
    (back,) = home.call(agent, "wiki_backlinks", page=berg)["items"]
    assert back["written"] == berg
    home.call(agent, "write_wiki_page", page="Ship", body="Of nobody.", base_revision=2)
    assert titles(home, agent, "wiki_backlinks", page=berg) == []


def test_a_page_that_is_renamed_is_found_by_the_title_it_had(home: House, agent: Agent):
    page = write(home, agent, "Ship", "Of oak.")
    write(home, agent, "Harbour", "Home of the [[Ship]].")
    told = home.call(agent, "rename_wiki_page", page="ship", title="Aurora")
    assert (told["page"]["title"], told["page"]["revision"]) == ("Aurora", 1)
    found = home.call(agent, "get_wiki_page", page="Ship")
    assert (found["page_id"], found["title"], found["redirected_from"]) == (page, "Aurora", "Ship")
    assert "redirected_from" not in home.call(agent, "get_wiki_page", page="Aurora")
    assert titles(home, agent, "wiki_backlinks", page="aurora") == ["Harbour"]
    assert home.refused(agent, "write_wiki_page", page="Ship", body="another")["details"]["page_id"] == page
    assert home.call(agent, "search_wiki", query="aurora")["items"][0]["page_id"] == page
    home.call(agent, "rename_wiki_page", page=page, title="SHIP")
    assert home.call(agent, "get_wiki_page", page="Ship")["title"] == "SHIP"
    assert home.call(agent, "get_wiki_page", page="Aurora")["redirected_from"] == "Aurora"


def test_a_title_that_is_taken_over_leads_to_who_has_it_now(home: House, agent: Agent):
    page = write(home, agent, "Ship")
    write(home, agent, "Harbour", "[[Ship]]")
    home.call(agent, "rename_wiki_page", page=page, title="Aurora")
    other = write(home, agent, "Boat")
    home.call(agent, "rename_wiki_page", page=other, title="Ship")
    assert home.call(agent, "get_wiki_page", page="Ship")["page_id"] == other
    assert titles(home, agent, "wiki_backlinks", page="Aurora") == []
    assert titles(home, agent, "wiki_backlinks", page=other) == ["Harbour"]
    error = home.refused(agent, "rename_wiki_page", page=page, title="ship")
    assert (error["code"], error["candidates"][0]["page_id"]) == ("conflict", other)


def test_what_is_appended_stands_behind_what_is_there_by_then(home: House, agent: Agent):
    page = write(home, agent, "Log", "one\n")
    home.call(home.owner, "append_wiki_page", page="Log", body="two")
    told = home.call(agent, "append_wiki_page", page="Log", body="three", reason="more")
    assert told["page"]["revision"] == 3
    assert home.call(agent, "get_wiki_page", page=page)["body"] == "one\n\ntwo\n\nthree"
    assert home.refused(agent, "append_wiki_page", page="Nowhere", body="x")["code"] == "not_found"


def test_an_archived_page_is_out_of_lists_and_its_title_is_free(home: House, agent: Agent):
    page = write(home, agent, "Log", "of oak [[Ship]]")
    write(home, agent, "Ship")
    home.call(agent, "archive_wiki_page", page="Log")
    assert titles(home, agent) == ["Ship"]
    assert titles(home, agent, status="archived") == ["Log"]
    assert titles(home, agent, "wiki_backlinks", page="Ship") == []
    assert home.call(agent, "search_wiki", query="oak")["total"] == 0
    assert home.call(agent, "get_wiki_page", page="Log")["status"] == "archived"
    for tool, more in (("append_wiki_page", {"body": "x"}), ("rename_wiki_page", {"title": "x"})):
        assert home.refused(agent, tool, page=page, **more)["code"] == "conflict"
    assert home.refused(agent, "write_wiki_page", page=page, body="x")["code"] == "conflict"
    assert write(home, agent, "Log", "of steel") != page
    assert home.call(agent, "get_wiki_page", page="Log")["body"] == "of steel"


def test_a_long_page_is_read_in_parts_that_make_the_whole(home: House, agent: Agent):
    body = "\n".join(f'{n} "Größe" [[P{n}]] [[f-{n:026d}]]' for n in range(400))
    page = write(home, agent, "Long", body)
    read, start, parts, told = "", 0, 0, dict[str, Any]()
    while start is not None:
        answer = home.answer(agent, "get_wiki_page", {"page": page, "start": start, "max_bytes": 4000})
        assert len(answer.payload) <= 4000
        told = json.loads(answer.payload)
        assert told["start"] == len(read)
        assert told["citations_left_out"] + len(told.get("citations", [])) == 400
        assert told["links_left_out"] + len(told.get("links", [])) == 400
        read, start, parts = read + told["body"], told.get("next_start"), parts + 1
    assert (read, told["total_chars"], parts > 5) == (body, len(body), True)


def test_what_is_larger_than_a_page_may_be_is_refused(home: House, agent: Agent):
    write(home, agent, "Log", "x" * 150_000)
    assert home.refused(agent, "append_wiki_page", page="Log", body="x" * 60_000)["code"] == "too_large"
    many = " ".join(f"[[P{n}]]" for n in range(1001))
    assert home.refused(agent, "write_wiki_page", page="Many", body=many)["code"] == "too_large"


def test_a_secret_is_kept_out_of_a_page_even_where_two_writes_make_it(home: House, agent: Agent):
    secret = "Zx9!kk22" + "aB#7"
    told = home.call(agent, "write_wiki_page", page="Router", body=f"The wifi password is {secret} here.")
    assert "password (hit-" in told["warning"]
    begin, lines = "-----BEGIN " + "RSA PRIVATE KEY-----", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldY"
    home.call(agent, "write_wiki_page", page="Parts", body=begin)
    told = home.call(agent, "append_wiki_page", page="Parts", body=lines)
    assert "private_key (hit-" in told["warning"]
    found = kept(home)
    assert secret not in found
    assert lines not in found
    assert "[secret password …" in home.call(agent, "get_wiki_page", page="Router")["body"]


def test_an_approved_page_is_written_as_it_was_asked_for(home: House, agent: Agent):
    asker = home.agent("assistant")
    page = write(home, agent, "Log", "one")
    asked = {"page": "Log", "body": "one [[Two]]", "base_revision": 1, "reason": "linked"}
    pending = home.refused(asker, "write_wiki_page", **asked)
    home.clock.turn(5_000_000)
    approval = home.parts.approvals.approve(pending["details"]["approval_id"], "owner")
    assert approval.status == "approved"
    last = home.call(agent, "wiki_history", page=page)["items"][0]
    assert (last["revision"], last["author_connection_id"], last["reason"]) == (2, asker.connection_id, "linked")


def test_a_write_under_one_key_is_made_once(home: House, agent: Agent):
    page = write(home, agent, "Log", "one")
    asked = {"page": page, "body": "two", "idempotency_key": "k"}
    assert home.call(agent, "append_wiki_page", **asked) == home.call(agent, "append_wiki_page", **asked)
    assert home.call(agent, "get_wiki_page", page=page)["revision"] == 2
