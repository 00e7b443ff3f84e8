"""Searching documents: what is found, what is shown of it, and what never is."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from sophia.core.caller import Agent
from sophia.core.clock import rfc3339
from tests.support.house import House, house

CANARY = "kanarienvogel"


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def reader(home: House) -> Agent:
    return home.agent("observer")


def add(home: House, title: str, body: str, **more: Any) -> str:
    made: str = home.call(home.owner, "add_document", title=title, body=body, **more)["document"]["document_id"]
    return made


def titles(home: House, caller: Agent, query: str, **more: Any) -> list[str]:
    return [item["title"] for item in home.call(caller, "search_documents", query=query, **more)["items"]]


PASSAGES = {
    "windows": "# Title\r\n\r\nFirst line.\r\nThe marker windborne stands here.\r\n",
    "emoji": "🎉🎉🎉 before 👩‍👩‍👧‍👧 the marker pictured 😀 after",
    "decomposed": "Cafe\u0301 and nai\u0308ve before the marker composed.",
    "chinese": "我们在上海的数据库里保存了所有的查询记录。" * 90 + "这里有一个独角兽标记。",
    "long": "Filler sentence number one goes here. " * 200 + "The marker submerged hides. " + "More of it. " * 200,
}


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("windows", "windborne"),
        ("emoji", "pictured"),
        ("decomposed", "composed"),
        ("chinese", "独角兽"),
        ("long", "submerged"),
    ],
)
def test_a_passage_is_the_text_at_its_offsets(home: House, reader: Agent, name: str, query: str):
    document_id = add(home, name, PASSAGES[name])
    (hit,) = home.call(reader, "search_documents", query=query)["items"]
    fetched = home.call(
        reader, "fetch_document", document_id=document_id, start=hit["start"], length=hit["end"] - hit["start"]
    )
    assert hit["document_id"] == document_id
    assert query in hit["passage"]
    assert fetched["text"] == hit["passage"]


@pytest.mark.parametrize(
    "query",
    ["getUserName", "user name", "config.parser", "snake_case_word", "résumé", "resume", "running", "运行时", "行",
     '"runs the parser"'],
)  # fmt: skip
def test_words_are_found_however_they_are_written(home: House, reader: Agent, query: str):
    add(home, "Code", "It runs the parser: getUserName reads config.parser and snake_case_word; a résumé. 运行时错误。",
        collection="code")  # fmt: skip
    assert "Code" in titles(home, reader, query, collection="code")


def test_a_phrase_is_found_in_its_order_only(home: House, reader: Agent):
    add(home, "In order", "the silver thimble", collection="phrase")
    add(home, "Out of order", "a thimble of silver", collection="phrase")
    assert titles(home, reader, '"silver thimble"', collection="phrase") == ["In order"]
    assert set(titles(home, reader, "silver thimble", collection="phrase")) == {"In order", "Out of order"}


def test_a_document_is_found_by_its_title_and_by_the_heading_above(home: House, reader: Agent):
    body = "# One\n\nnothing\n\n# Zephyrology\n\n" + "Plain words. " * 150
    add(home, "Quixotic ledger", body, collection="headed")
    assert titles(home, reader, "quixotic", collection="headed") == ["Quixotic ledger"]
    assert titles(home, reader, "zephyrology", collection="headed") == ["Quixotic ledger"]


@pytest.mark.parametrize("query", ["xyzzyplugh", "the of and", "!!! ??", '""', "NEAR(", "*"])
def test_nonsense_finds_nothing_and_says_so(home: House, reader: Agent, query: str):
    answer = home.call(reader, "search_documents", query=query)
    assert answer["items"] == []
    assert answer["total"] == 0
    assert answer["no_match"] is True
    assert answer["fusion"] == {"method": "rrf", "k": 60, "signals": ["bm25"]}
    assert answer["reranked"] is False


@pytest.mark.guarantee("C4")
@pytest.mark.parametrize(
    "query",
    ['gannet" OR "', "gannet NOT shearwater", "scope : gannet", "{body scope} : gannet", "gannet*", "-gannet",
     "^gannet", "NEAR(gannet petrel, 2)", "gannet' OR 1=1 --", "gannet) OR (", "body:gannet AND"],
)  # fmt: skip
def test_operators_of_the_index_are_words_like_any_other(home: House, reader: Agent, query: str):
    hidden = home.entity(f"Hidden {len(query)}")
    shown = home.entity(f"Shown {len(query)}")
    add(home, "seen", "a gannet", entity_ids=[shown], collection=query)
    add(home, "unseen", f"a gannet {CANARY}", entity_ids=[hidden], collection=query)
    agent = home.agent("observer", scope=[shown])
    answer = home.answer(agent, "search_documents", {"query": query})
    assert CANARY not in answer.payload.decode()
    assert not answer.is_error
    told = json.loads(answer.payload)
    assert told["total"] == len(told["items"]) <= 1
    assert titles(home, agent, "gannet") == ["seen"]


@pytest.mark.guarantee("C2", "C11")
def test_what_is_hidden_leaves_no_trace_in_a_search(home: House):
    """The hidden documents dominate the corpus: with every guard in place nothing of them shows, not even a count."""
    shown, hidden = home.entity("Shown pier"), home.entity("Hidden pier")
    add(home, "Shown", "the pier at low tide", entity_ids=[shown])
    add(home, "Both", f"the pier {CANARY}", entity_ids=[shown, hidden])
    for n in range(30):
        add(home, f"{CANARY} {n}", f"pier pier pier {CANARY}", entity_ids=[hidden], tags=[CANARY], collection=CANARY)
    add(home, "Unlinked", f"pier {CANARY}")
    agent = home.agent("observer", scope=[shown])
    answer = home.answer(agent, "search_documents", {"query": "pier tide", "explain": True})
    assert CANARY not in answer.payload.decode()
    told = json.loads(answer.payload)
    assert told["total"] == 1
    assert [item["title"] for item in told["items"]] == ["Shown"]
    assert told["items"][0]["explain"] == {"ranks": {"bm25": 1}}
    everything = home.call(home.agent("observer"), "search_documents", query="pier tide", explain=True)
    assert everything["total"] == 33
    assert everything["items"][0]["explain"]["scores"]["bm25"] > 0
    for filtered in ({"tag": CANARY}, {"collection": CANARY}):
        assert home.call(agent, "search_documents", query="pier", **filtered)["total"] == 0
    assert home.refused(agent, "search_documents", query="pier", entity_id=hidden)["code"] == "not_found"


def test_a_filter_is_part_of_the_question(home: House, reader: Agent):
    """Were it applied to what was found already, better fitting documents outside would crowd out the one inside."""
    entity = home.entity("Lighthouse")
    for n in range(30):
        add(home, f"Best {n}", "lantern lantern lantern")
    home.clock.turn(60_000_000)
    since = rfc3339(home.clock.now())
    add(home, "Weak", "one lantern among a good many other words", collection="c", tags=["t"], entity_ids=[entity])
    home.clock.turn(60_000_000)
    for filtered in ({"collection": "c"}, {"tag": "t"}, {"entity_id": "lighthouse"}, {"since": since}):
        answer = home.call(reader, "search_documents", query="lantern", limit=1, **filtered)
        assert [item["title"] for item in answer["items"]] == ["Weak"]
        assert answer["total"] == 1
    assert home.call(reader, "search_documents", query="lantern", until=since)["total"] == 30
    assert home.refused(reader, "search_documents", query="lantern", since="yesterday")["argument"] == "since"


def test_pages_follow_each_other_while_documents_come_and_go(home: House, reader: Agent):
    made = [add(home, f"Buoy {n:02}", "buoy " * (30 - n) + f"number {n}", collection="buoys") for n in range(25)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = home.call(reader, "search_documents", query="buoy", collection="buoys", limit=7, **more)
        seen += [item["document_id"] for item in page["items"]]
        cursor = page.get("cursor")
        if cursor is None:
            break
        add(home, f"New {len(seen)}", "buoy " * 60, collection="buoys")
        home.call(home.owner, "archive_document", document_id=seen[-2])
    assert len(seen) == len(set(seen))
    assert set(made) <= set(seen)


@pytest.mark.guarantee("C2", "E7")
def test_a_cursor_tells_a_rank_and_no_score(home: House):
    shown = home.entity("Ranked")
    for n in range(3):
        add(home, f"Ranked {n}", "cormorant " * (n + 1), entity_ids=[shown])
    cursor = home.call(home.agent("observer", scope=[shown]), "search_documents", query="cormorant", limit=1)["cursor"]
    opened = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))[16:]
    assert json.loads(opened)[0] == 1


def test_a_document_shows_once_with_its_best_passage(home: House, reader: Agent):
    filler = "Nothing in particular is said in this sentence. " * 30
    body = f"# A\n\npelican {filler}\n\n# B\n\npelican pelican pelican sighting\n\n# C\n\npelican {filler}"
    add(home, "Birds", body)
    answer = home.call(reader, "search_documents", query="pelican sighting")
    assert [item["title"] for item in answer["items"]] == ["Birds"]
    assert "pelican sighting" in answer["items"][0]["passage"]


def test_what_is_archived_is_not_found(home: House, reader: Agent):
    document_id = add(home, "Old", "an obsolete semaphore")
    assert titles(home, reader, "semaphore") == ["Old"]
    home.call(home.owner, "archive_document", document_id=document_id)
    assert titles(home, reader, "semaphore") == []
    assert home.call(reader, "fetch_document", document_id=document_id)["text"] == "an obsolete semaphore"
    with home.databases.state.reading(home.owner) as db:
        assert db.rows("SELECT c.id FROM chunk c WHERE c.document_id = :id", id=document_id) == []
        assert db.rows("SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH 'semaphore'") == []


@pytest.mark.guarantee("E3")
def test_compact_and_fields_keep_what_they_name(home: House, reader: Agent):
    add(home, "Compact", "a singular gyrfalcon")
    compact = home.call(reader, "search_documents", query="gyrfalcon", compact=True)
    assert set(compact["items"][0]) == {"document_id", "title", "passage", "start", "end"}
    fields = home.call(reader, "search_documents", query="gyrfalcon", fields=["chunk_id"])
    assert list(fields["items"][0]) == ["chunk_id"]
    assert fields["fusion"]["signals"] == ["bm25"]


def test_a_search_counts_no_further_than_it_ranks(home: House, reader: Agent, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sophia.capabilities.documents.candidates.MOST", 4)
    for n in range(6):
        add(home, f"Tern {n}", "an arctic tern")
    answer = home.call(reader, "search_documents", query="arctic", limit=3)
    assert answer["total"] == 4
    assert answer["total_is_capped"] is True
    rest = home.call(reader, "search_documents", query="arctic", limit=3, cursor=answer["cursor"])
    assert len(rest["items"]) == 1
    assert "cursor" not in rest
