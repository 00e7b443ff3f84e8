"""Vectors are made behind the writes, go with what they are of, and are never compared with another model's."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sophia.search import embedding, vectors
from sophia.search.embedding import Embedding
from sophia.search.provider import Embeddings
from tests.support.embedder import Embedder, embedder
from tests.support.house import House, house


@pytest.fixture
def server() -> Iterator[Embedder]:
    with embedder() as made:
        yield made


@pytest.fixture
def home(server: Embedder) -> Iterator[House]:
    with house(embeddings=server.chosen()) as standing:
        yield standing


def add(home: House, title: str, body: str) -> str:
    made: str = home.call(home.owner, "add_document", title=title, body=body)["document"]["document_id"]
    return made


def settle(home: House) -> None:
    assert home.parts.chores.settle(30)


def chore(home: House) -> Embedding:
    return next(each for each in home.parts.chores.chores if isinstance(each, Embedding))


def titles(home: House, query: str, **more: Any) -> list[str]:
    return [item["title"] for item in home.call(home.owner, "search_documents", query=query, **more)["items"]]


def held(home: House) -> dict[str, int]:
    with home.databases.state.reading(home.owner) as db:
        return vectors.models(db)


def texts(server: Embedder) -> list[str]:
    return [text for asked in server.asked for text in asked["input"]]


def test_a_document_is_found_by_its_meaning_once_its_vectors_are_there(home: House):
    add(home, "Wheels", "about an automobile")
    assert titles(home, "vehicle") == []
    settle(home)
    assert titles(home, "vehicle") == ["Wheels"]
    add(home, "Bakery", "a loaf for everybody")
    settle(home)
    assert titles(home, "bread") == ["Bakery"]


def test_many_passages_are_done_in_bounded_steps(home: House, server: Embedder, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding, "LOOKED_AT", 7)
    for n in range(embedding.TOGETHER + 5):
        add(home, f"Text {n}", f"number {n} of them")
    settle(home)
    assert held(home) == {"openai_compatible/first": embedding.TOGETHER + 5}
    assert all(len(asked["input"]) <= embedding.TOGETHER for asked in server.asked)
    assert len(texts(server)) == embedding.TOGETHER + 5
    assert chore(home).step() == embedding.IDLE_S


def test_a_restart_goes_on_where_the_last_one_ended(server: Embedder, tmp_path: Path):
    with house(embeddings=server.chosen(), directory=tmp_path) as home:
        for n in range(embedding.TOGETHER + 3):
            add(home, f"Text {n}", f"number {n} of them")
        # As SIGKILL would leave it: one step is done.
        assert chore(home).step() == 0
        assert held(home) == {"openai_compatible/first": embedding.TOGETHER}
    with house(embeddings=server.chosen(), directory=tmp_path) as home:
        settle(home)
        assert held(home) == {"openai_compatible/first": embedding.TOGETHER + 3}
        assert len(texts(server)) == len(set(texts(server)))


def test_what_is_archived_leaves_with_its_vectors_in_the_same_transaction(home: House):
    document_id = add(home, "Wheels", "about an automobile")
    settle(home)
    assert titles(home, "vehicle") == ["Wheels"]
    home.call(home.owner, "archive_document", document_id=document_id)
    assert held(home) == {}
    assert titles(home, "vehicle") == []
    assert home.call(home.owner, "search_documents", query="vehicle")["no_match"] is True
    settle(home)
    assert titles(home, "vehicle") == []


def test_a_passage_under_the_id_of_another_gets_a_vector_of_its_own(home: House):
    """Ids of passages are given again: what comes back under one must not be taken for what was there."""
    add(home, "Stays", "something else")
    document_id = add(home, "Wheels", "about an automobile")
    settle(home)
    with home.databases.state.reading(home.owner) as db:
        before = vectors.last_passage(db)
    home.call(home.owner, "archive_document", document_id=document_id)
    add(home, "Bakery", "a loaf for everybody")
    with home.databases.state.reading(home.owner) as db:
        assert vectors.last_passage(db) == before
    assert titles(home, "vehicle") == []
    settle(home)
    assert titles(home, "vehicle") == []
    assert titles(home, "bread") == ["Bakery"]


def test_what_changes_while_its_vector_is_made_waits_again(home: House, server: Embedder):
    """The server is slow, and the text is another one by the time it answers."""
    document_id = add(home, "Wheels", "about an automobile")
    answer = server.answer

    def slowly(asked: dict[str, Any]) -> bytes:
        server.answer = answer  # type: ignore[method-assign]
        home.call(home.owner, "archive_document", document_id=document_id)
        add(home, "Bakery", "a loaf for everybody")
        return answer(asked)

    server.answer = slowly  # type: ignore[method-assign]
    settle(home)
    assert titles(home, "bread") == ["Bakery"]
    assert titles(home, "vehicle") == []
    assert held(home) == {"openai_compatible/first": 1}


@contextmanager
def changed(server: Embedder, place: Path, first: Embeddings, second: Embeddings) -> Iterator[House]:
    """A house that was filled with one model, and is opened with another."""
    with house(embeddings=first, directory=place) as home:
        for title, body in (("Wheels", "about an automobile"), ("Bakery", "a loaf"), ("Harbour", "one vessel")):
            add(home, title, body)
        settle(home)
    server.asked.clear()
    with house(embeddings=second, directory=place) as home:
        yield home


def test_another_model_makes_its_vectors_behind_while_the_old_ones_serve(server: Embedder, tmp_path: Path):
    with changed(server, tmp_path, server.chosen("first"), server.chosen("second")) as home:
        found = home.call(home.owner, "search_documents", query="vehicle")
        assert [item["title"] for item in found["items"]] == ["Wheels"]
        assert found["fusion"]["signals"] == ["bm25", "dense"]
        assert {asked["model"] for asked in server.asked} == {"first"}
        assert home.call(home.owner, "health")["model"] == {"dense": True, "model_id": "openai_compatible/first"}
        settle(home)
        assert held(home) == {"openai_compatible/second": 3}
        server.asked.clear()
        assert titles(home, "bread") == ["Bakery"]
        assert {asked["model"] for asked in server.asked} == {"second"}
        assert home.call(home.owner, "health")["model"] == {"dense": True, "model_id": "openai_compatible/second"}


def test_vectors_of_two_models_are_never_compared(server: Embedder, tmp_path: Path):
    """The two spaces are turned against each other: a question of one model is near to the wrong texts of the other."""
    with changed(server, tmp_path, server.chosen("first"), server.chosen("second")) as home:
        assert chore(home).step() == 0
        assert set(held(home)) == {"openai_compatible/first", "openai_compatible/second"}
        for query, title in (("vehicle", "Wheels"), ("bread", "Bakery"), ("boat", "Harbour")):
            assert titles(home, query) == [title]
        serving = home.parts.interior.dense._serving  # type: ignore[attr-defined]
        assert len(serving.nearest) == 3
        settle(home)
        for query, title in (("vehicle", "Wheels"), ("bread", "Bakery"), ("boat", "Harbour")):
            assert titles(home, query) == [title]


def test_where_the_old_model_cannot_be_had_any_more_the_words_serve(server: Embedder, tmp_path: Path):
    with changed(server, tmp_path, server.chosen("first"), Embeddings("packaged")) as home:
        found = home.call(home.owner, "search_documents", query="automobile")
        assert [item["title"] for item in found["items"]] == ["Wheels"]
        assert found["fusion"]["signals"] == ["bm25"]
        settle(home)
        assert held(home) == {"packaged/all-MiniLM-L6-v2-int8": 3}
        assert titles(home, "vehicle") == ["Wheels"]


def test_nothing_of_it_is_journaled(home: House):
    add(home, "Wheels", "about an automobile")
    before = home.databases.state.head
    assert chore(home).step() == 0
    assert home.databases.state.head == before
    assert held(home) == {"openai_compatible/first": 1}


def test_notes_of_what_went_are_let_go_of(home: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(embedding, "FORGOTTEN", 2)
    made = [add(home, f"Text {n}", f"number {n} of them") for n in range(5)]
    settle(home)
    assert titles(home, "number") != []
    for document_id in made:
        home.call(home.owner, "archive_document", document_id=document_id)
    settle(home)
    with home.databases.state.reading(home.owner) as db:
        assert len(vectors.gone(db, 0)) < 2


def test_a_house_that_only_reads_makes_none(home: House):
    add(home, "Wheels", "about an automobile")
    home.databases.state.read_only = "for the test"
    assert chore(home).step() is None


def test_without_a_provider_there_is_nothing_to_do():
    with house() as home:
        add(home, "Wheels", "about an automobile")
        assert chore(home).step() is None
        assert held(home) == {}
