"""Documents as they come in, are listed, fetched, linked and put away."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.capabilities.documents.texts import DocumentTexts
from sophia.core.source_text import Origin, stored
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def add(home: House, title: str, body: str, **more: Any) -> str:
    made: str = home.call(home.owner, "add_document", title=title, body=body, **more)["document"]["document_id"]
    return made


@pytest.mark.guarantee("C5")
def test_an_agent_adds_a_document_within_its_scope_only(home: House):
    mine, other = home.entity("Mine"), home.entity("Other")
    agent = home.agent("full", scope=[mine])
    home.call(agent, "add_document", title="Linked", body="text", entity_ids=[mine])
    before = home.dump()
    for entity_ids in ([other], [mine, other], [], ["e-00000000000000000000000zzz"]):
        error = home.refused(agent, "add_document", title="Astray", body="text", entity_ids=entity_ids)
        assert error["code"] == "not_found"
    assert home.dump() == before


@pytest.mark.guarantee("C5")
def test_links_are_changed_within_the_scope_only(home: House):
    mine, other = home.entity("Mine"), home.entity("Other")
    agent = home.agent("full", scope=[mine])
    document_id = add(home, "Linked", "text", entity_ids=[mine])
    hidden = add(home, "Hidden", "text", entity_ids=[other])
    before = home.dump()
    for refused in (
        {"document_id": document_id, "add_entity_ids": [other]},
        {"document_id": document_id, "remove_entity_ids": [mine]},
        {"document_id": document_id, "remove_entity_ids": [other]},
        {"document_id": hidden, "add_entity_ids": [mine]},
    ):
        assert home.refused(agent, "link_document", **refused)["code"] == "not_found"
    for tool in ("tag_document", "archive_document"):
        assert home.refused(agent, tool, document_id=hidden)["code"] == "not_found"
    assert home.dump() == before


def test_who_sees_a_document_follows_its_links(home: House):
    first, second = home.entity("First"), home.entity("Second")
    document_id = add(home, "Moving", "a peregrine", entity_ids=[first])
    readers = [home.agent("observer", scope=[one]) for one in (first, second)]

    def seen() -> list[int]:
        return [home.call(reader, "search_documents", query="peregrine")["total"] for reader in readers]

    assert seen() == [1, 0]
    home.call(home.owner, "link_document", document_id=document_id, add_entity_ids=[second])
    assert seen() == [0, 0]
    home.call(home.owner, "link_document", document_id=document_id, remove_entity_ids=[first])
    assert seen() == [0, 1]
    home.call(home.owner, "link_document", document_id=document_id, remove_entity_ids=[second])
    assert seen() == [0, 0]
    assert home.call(home.owner, "search_documents", query="peregrine")["total"] == 1


def test_the_same_text_again_is_the_document_that_there_is(home: House):
    entity = home.entity("Thing")
    given: dict[str, Any] = {"title": "Note", "body": "text\r\n", "collection": "c", "entity_ids": [entity]}
    first = home.call(home.owner, "add_document", **given)
    before = home.dump()
    again = home.call(home.owner, "add_document", **{**given, "body": "text\n"})
    assert home.dump() == before
    assert again["document"] == first["document"]
    assert "warning" in again
    assert "mutation_seq" not in again
    others: tuple[dict[str, Any], ...] = (
        {"title": "Other"},
        {"body": "other"},
        {"collection": "d"},
        {"entity_ids": []},
    )
    for other in others:
        made = home.call(home.owner, "add_document", **{**given, **other})
        assert made["document"]["document_id"] != first["document"]["document_id"]
        assert "warning" not in made


def test_where_a_document_comes_from_is_whoever_brought_it(home: House):
    agent = home.agent("full")
    by_agent = home.call(agent, "add_document", title="Note", body="text")["document"]
    by_owner = home.call(home.owner, "add_document", title="Note", body="text")["document"]
    assert (by_agent["origin"], by_owner["origin"]) == ("agent", "owner")
    assert by_agent["document_id"] != by_owner["document_id"]
    assert home.call(agent, "add_document", title="Note", body="text")["document"]["origin"] in ("agent", "owner")
    with home.databases.state.reading(agent) as db:
        source = DocumentTexts(db).source_text(by_agent["document_id"])
        assert source is not None
        assert source.origin is Origin.AGENT
        assert source.text == "text"
        assert DocumentTexts(db).source_text("doc-none") is None


def test_a_text_is_bounded(home: House):
    error = home.refused(home.owner, "add_document", title="Big", body="é" * 2_000_001)
    assert error["code"] == "too_large"
    add(home, "Fits", "é" * 2_000_000)


def test_an_empty_text_is_a_document_found_by_its_title(home: House):
    document_id = add(home, "Empty Mandrake", "")
    assert home.call(home.owner, "fetch_document", document_id=document_id)["text"] == ""
    (hit,) = home.call(home.owner, "search_documents", query="mandrake")["items"]
    assert (hit["document_id"], hit["passage"], hit["start"], hit["end"]) == (document_id, "", 0, 0)


TEXT = "# Über\r\n\r\nSnow ☃ and 😀 " + "日本語のテキスト" * 40 + ' "quoted" \\ \t\x01 end'


@pytest.mark.parametrize("length", [1, 7, 8000])
def test_a_text_is_fetched_piece_by_piece_without_a_gap(home: House, length: int):
    document_id = add(home, "Pieces", TEXT)
    pieces, start = "", 0
    while True:
        part = home.call(home.owner, "fetch_document", document_id=document_id, start=start, length=length)
        assert part["start"] == start
        assert part["end"] == start + len(part["text"])
        assert part["total_chars"] == len(stored(TEXT))
        pieces += part["text"]
        if "next_start" not in part:
            break
        start = part["next_start"]
    assert pieces == stored(TEXT)


@pytest.mark.guarantee("E8")
@pytest.mark.parametrize(("body", "bound"), [("\x01" * 30_000, None), ("漢" * 30_000, None), ('"\\' * 5000, 2000)])
def test_a_text_is_cut_so_that_the_whole_answer_fits(home: House, body: str, bound: int | None):
    document_id = add(home, "Heavy", body)
    asked = {"document_id": document_id, "length": 40_000} | ({"max_bytes": bound} if bound else {})
    answer = home.answer(home.owner, "fetch_document", asked)
    told = json.loads(answer.payload)
    assert not answer.is_error
    assert len(answer.payload) <= (bound or 40_000)
    assert len(answer.payload) > (bound or 40_000) * 0.4
    assert told["next_start"] == told["end"] == len(told["text"])


def test_past_the_end_there_is_nothing(home: House):
    document_id = add(home, "Short", "four")
    part = home.call(home.owner, "fetch_document", document_id=document_id, start=10)
    assert (part["text"], part["start"], part["end"], part["total_chars"]) == ("", 4, 4, 4)
    assert "next_start" not in part


@pytest.mark.guarantee("C3")
def test_a_hidden_document_is_as_good_as_none(home: House):
    shown = home.entity("Shown")
    hidden = add(home, "Hidden", "text", entity_ids=[home.entity("Hidden")])
    agent = home.agent("observer", scope=[shown])
    for tool in ("get_document", "fetch_document"):
        errors = [home.refused(agent, tool, document_id=one) for one in (hidden, "doc-none")]
        for error in errors:
            del error["error_id"]
        assert errors[0] == errors[1]


@pytest.mark.guarantee("E2")
def test_documents_are_listed_newest_first_and_page_by_page(home: House):
    made = [add(home, f"Doc {n}", f"text {n}") for n in range(5)]
    first = home.call(home.owner, "list_documents", limit=2)
    add(home, "Newer", "than all")
    home.call(home.owner, "archive_document", document_id=made[0])
    second = home.call(home.owner, "list_documents", limit=2, cursor=first["cursor"])
    listed = [item["document_id"] for page in (first, second) for item in page["items"]]
    assert listed == made[:0:-1]
    assert (first["total"], second["total"]) == (5, 5)
    assert "cursor" not in second
    assert home.call(home.owner, "list_documents", status="archived")["items"][0]["document_id"] == made[0]


def test_a_list_keeps_to_its_filters(home: House):
    entity = home.entity("Entity")
    wanted = add(home, "Wanted", "a", collection="c", tags=["t", "u"], entity_ids=[entity])
    add(home, "Other", "b", collection="d", tags=["v"])
    for filtered in ({"collection": "c"}, {"tag": "t"}, {"tag": "u"}, {"entity_id": entity}, {"entity_id": "entity"}):
        answer = home.call(home.owner, "list_documents", **filtered)
        assert [item["document_id"] for item in answer["items"]] == [wanted]
        assert answer["total"] == 1
    assert home.call(home.owner, "list_documents", tier="indexed")["total"] == 0
    home.entity("Entity")
    error = home.refused(home.owner, "list_documents", entity_id="Entity")
    assert error["code"] == "ambiguous"
    assert len(error["candidates"]) == 2


def test_collections_are_counted_as_the_caller_sees_them(home: House):
    shown = home.entity("Shown")
    add(home, "A", "a", collection="both", entity_ids=[shown])
    add(home, "B", "b", collection="both")
    add(home, "C", "c", collection="hidden")
    add(home, "D", "d")
    told = home.call(home.owner, "list_collections")
    assert [(item["collection"], item["documents"]) for item in told["items"]] == [("both", 2), ("hidden", 1)]
    assert told["total"] == 2
    seen = home.call(home.agent("observer", scope=[shown]), "list_collections")
    assert [(item["collection"], item["documents"]) for item in seen["items"]] == [("both", 1)]
    assert seen["total"] == 1


def test_tags_are_put_on_and_taken_off(home: House):
    document_id = add(home, "Tagged", "a", tags=["one", " two  words "])
    told = home.call(
        home.owner, "tag_document", document_id=document_id, add_tags=["three", "one"], remove_tags=["two words"]
    )
    assert told["document"]["tags"] == ["one", "three"]
    assert home.refused(home.owner, "tag_document", document_id=document_id, add_tags=[" "])["argument"] == "add_tags"
    many = [f"tag {n}" for n in range(50)]
    assert home.refused(home.owner, "tag_document", document_id=document_id, add_tags=many)["code"] == "bad_arguments"


def test_what_is_to_come_and_to_go_at_once_is_refused(home: House):
    entity_id = home.entity("Ada")
    document_id = add(home, "Tagged", "a")
    for tool, adds, removes, both in (
        ("tag_document", "add_tags", "remove_tags", ["one"]),
        ("link_document", "add_entity_ids", "remove_entity_ids", [entity_id]),
    ):
        error = home.refused(home.owner, tool, document_id=document_id, **{adds: both, removes: both})
        assert (error["code"], error["argument"]) == ("bad_arguments", removes)
        assert both[0] in error["message"]
