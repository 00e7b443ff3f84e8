"""A server of embeddings: asked over real HTTP, on this machine only, and believed in nothing that it cannot mean."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sophia.core.errors import Unavailable
from sophia.search import embedding, openai_compatible, provider
from sophia.search.provider import Embeddings, ModelMissing, ModelRefused
from sophia.settings import BadSetting, Settings, embeddings_server
from tests.support.embedder import DIMENSIONS, Embedder, embedder
from tests.support.house import House, house
from tests.support.processes import until


@pytest.fixture
def server() -> Iterator[Embedder]:
    with embedder() as made:
        yield made


def test_it_is_asked_for_vectors_by_model_and_with_the_key(server: Embedder):
    made = provider.made(server.chosen(key="k-123"))
    vectors = made.embedded(["a car", "a loaf", "an automobile"])
    assert vectors.shape == (3, DIMENSIONS)
    assert float(vectors[0] @ vectors[2]) > 0.9 > float(vectors[0] @ vectors[1])
    assert server.asked == [{"model": "first", "input": ["a car", "a loaf", "an automobile"], "path": "/v1/embeddings"}]
    assert server.headers[0]["Authorization"] == "Bearer k-123"
    assert made.model_id == "openai_compatible/first"


def data(*vectors: object) -> bytes:
    return json.dumps({"data": [{"index": n, "embedding": each} for n, each in enumerate(vectors)]}).encode()


def numbers(*told: str) -> bytes:
    """An answer to two texts, with these numbers as they are written."""
    return b'{"data": [{"index": 0, "embedding": [1, 2]}, {"index": 1, "embedding": [%s]}]}' % ",".join(told).encode()


DEEP = b"[" * 200_000
HOSTILE = [
    numbers("1e400", "1"), numbers("-1e400", "1"), numbers("NaN", "1"), numbers("Infinity", "1"), numbers("1e39", "1"),
    numbers("9" * 5_000, "1"), numbers('"1"', "1"), numbers("true", "1"), numbers("[1]", "1"), numbers("null", "1"),
    DEEP, b'{"data": ' + DEEP, b'{"more": ' + DEEP + b"]" * 200_000 + b', "data": []}', b'{"a":' * 200_000,
    b'{"data": [{"index": 1e400, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}]}',
    b'{"data": [{"index": NaN, "embedding": [1, 2]}, {"index": 1, "embedding": [1, 2]}]}',
    b'{"data": {"0": [1, 2]}}', b'{"data": [[1, 2], [3, 4]]}', b'"data"', b"\xff\xfe", b"\x00" * 50, b"",
]  # fmt: skip
"""Answers that are no vectors, each in another way."""
ELSEWHERE = ["http://192.0.2.7:11434/v1", "https://embeddings.example/v1", "http://0.0.0.0/v1", "http://127.0.0.1.nip.io/v1",
             "http://[2001:db8::1]/v1", "http://10.0.0.8/v1"]  # fmt: skip


@pytest.mark.parametrize("url", ELSEWHERE)
def test_documents_leave_the_machine_only_where_the_owner_allows_it(url: str):
    with pytest.raises(ModelRefused, match="not on this machine"):
        provider.made(Embeddings("openai_compatible", url, "m"))
    given = {"SOPHIA_EMBEDDINGS": "openai_compatible", "SOPHIA_EMBEDDINGS_URL": url, "SOPHIA_EMBEDDINGS_MODEL": "m"}
    with pytest.raises(BadSetting, match="documents_leave_machine"):
        Settings.from_environ(given, None)
    allowed = {**given, "SOPHIA_DOCUMENTS_LEAVE_MACHINE": "on"}
    if url.startswith("https"):
        assert Settings.from_environ(allowed, None).embeddings_url == url
    else:
        with pytest.raises(BadSetting, match="https"):
            Settings.from_environ(allowed, None)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/v1", "127.0.0.1:80", "http://", "http://127.0.0.1:x/v1",
                                 "http://user:pw@127.0.0.1/v1", "http://127.0.0.1/v1?a=b", "http://[::1"])  # fmt: skip
def test_an_address_that_is_none_is_refused_in_words(url: str):
    with pytest.raises(ModelRefused, match="must look like"):
        provider.made(Embeddings("openai_compatible", url, "m"))


def test_it_needs_to_know_whom_to_ask_for_what():
    for chosen in (Embeddings("openai_compatible"), Embeddings("openai_compatible", "http://127.0.0.1/v1")):
        with pytest.raises(ModelMissing, match="needs embeddings_url and embeddings_model"):
            provider.made(chosen)
    with pytest.raises(BadSetting, match="needs embeddings_url"):
        Settings.from_environ({"SOPHIA_EMBEDDINGS": "openai_compatible"}, None)


@pytest.mark.parametrize(
    ("status", "content"),
    [
        (500, data([1.0], [2.0])), (302, data([1.0], [2.0])), (200, b"not json"), (200, b"{}"), (200, b"[]"),
        (200, data([1.0])),
        (200, data([1.0], [1.0, 2.0])), (200, data([], [])), (200, data(["x"], ["y"])), (200, data(None, None)),
        (200, b'{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}'),
        *((200, content) for content in HOSTILE),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_no_vector(server: Embedder, status: int, content: bytes):
    server.instead = (status, content)
    with pytest.raises(Unavailable):
        provider.made(server.chosen()).embedded(["one", "two"])
    assert len(server.asked) == 1


def test_a_server_that_is_gone_leaves_the_words(server: Embedder):
    with house(embeddings=server.chosen()) as home:
        home.call(home.owner, "add_document", title="Wheels", body="about an automobile")
        assert home.parts.chores.settle(30)
        found = home.call(home.owner, "search_documents", query="vehicle")
        assert found["fusion"]["signals"] == ["bm25", "dense"]
        assert [item["title"] for item in found["items"]] == ["Wheels"]
        assert found["reranked"] is False
        server.instead = (500, b"")
        found = home.call(home.owner, "search_documents", query="car")
        assert found["fusion"]["signals"] == ["bm25"]
        assert found["no_match"] is True
        assert home.call(home.owner, "search_documents", query="about")["no_match"] is True
        assert home.call(home.owner, "search_documents", query="automobile")["total"] == 1


@contextmanager
def searched(server: Embedder) -> Iterator[House]:
    """A house with one document, by whose meaning it has been found."""
    with house(embeddings=server.chosen()) as home:
        home.call(home.owner, "add_document", title="Wheels", body="about an automobile")
        assert home.parts.chores.settle(30)
        assert signals(home, "vehicle") == ["bm25", "dense"]
        yield home


def signals(home: House, query: str) -> list[str]:
    found = home.call(home.owner, "search_documents", query=query)["fusion"]["signals"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("content", [numbers("1e400"), DEEP, numbers("NaN"), b'{"data": ' + DEEP])
def test_an_answer_that_is_none_ends_no_thread_of_chores(server: Embedder, content: bytes):
    server.instead = (200, content)
    with house(embeddings=server.chosen()) as home:
        home.call(home.owner, "add_document", title="Wheels", body="about an automobile")
        home.parts.chores.begin()
        try:
            until(lambda: home.parts.chores.failing or None, 20)
            assert home.parts.chores.failing == ["embedding"]
            server.instead = None
            until(lambda: signals(home, "vehicle")[1:] or None, 20)
        finally:
            home.parts.chores.end()


def test_vectors_of_another_length_are_refused_and_told_of(server: Embedder):
    with searched(server) as home:
        server.instead = (200, data([1.0] * (DIMENSIONS + 1)))
        found = home.call(home.owner, "search_documents", query="automobile")
        assert (found["total"], found["fusion"]["signals"]) == (1, ["bm25"])
        told = home.call(home.owner, "health")
        assert told["status"] == "degraded"
        assert f"have {DIMENSIONS + 1} numbers, and those of this model {DIMENSIONS}" in " ".join(told["reasons"])


def test_the_length_of_what_is_kept_holds_after_a_start_too(
    server: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(embedding, "TOGETHER", 1)
    with house(embeddings=server.chosen(), directory=tmp_path) as home:
        home.call(home.owner, "add_document", title="Wheels", body="about an automobile")
        home.call(home.owner, "add_document", title="Bakery", body="about a loaf")
        chore = next(each for each in home.parts.chores.chores if each.name == "embedding")
        assert chore.step() == 0
    server.instead = (200, data([1.0] * 7))
    with house(embeddings=server.chosen(), directory=tmp_path) as home:
        with pytest.raises(Unavailable, match="have 7 numbers"):
            home.parts.chores.settle(30)
        assert signals(home, "automobile") == ["bm25"]
        with home.databases.state.reading(home.owner) as db:
            assert db.rows("SELECT DISTINCT v.dimensions FROM chunk_vector v") == [{"dimensions": DIMENSIONS}]


def test_a_search_does_not_wait_for_a_server_that_hangs_and_the_next_does_not_ask_it(
    server: Embedder, monkeypatch: pytest.MonkeyPatch
):
    assert openai_compatible.QUESTION_S <= 2
    monkeypatch.setattr(openai_compatible, "QUESTION_S", 0.3)
    with searched(server) as home:
        server.silent = True
        began = time.monotonic()
        found = home.call(home.owner, "search_documents", query="automobile")
        assert time.monotonic() - began < 5
        assert (found["total"], found["fusion"]["signals"]) == (1, ["bm25"])
        asked = len(server.asked)
        assert signals(home, "a motorcar") == signals(home, "a boat") == ["bm25"]
        assert len(server.asked) == asked
        told = home.call(home.owner, "health")
        assert told["status"] == "degraded"
        assert any("embedding server does not answer" in reason for reason in told["reasons"])


def test_a_server_that_failed_is_asked_again_later_and_later(server: Embedder):
    now = [100.0]
    made = openai_compatible.Server(embeddings_server(server.url, may_leave=False), "first", None, lambda: now[0])
    server.instead = (500, b"")

    def asked_at(time_s: float) -> bool:
        now[0], before = time_s, len(server.asked)
        with pytest.raises(Unavailable):
            made.question("a car")
        return len(server.asked) > before

    assert [asked_at(each) for each in (100, 100.9, 101.1, 102.9, 103.2, 108, 108.3)] == [
        True, False, True, False, True, False, True,
    ]  # fmt: skip
    assert made.trouble is not None
    server.instead = None
    now[0] = 200
    assert made.question("a car") is not None
    assert made.trouble is None
    server.instead = (500, b"")
    assert [asked_at(each) for each in (200, 201.1)] == [True, True]


def test_a_key_is_told_to_nobody():
    settings = Settings.from_environ({"SOPHIA_EMBEDDINGS_KEY": "k-very-secret"}, None)
    assert "k-very-secret" not in repr(settings)
    told = {each["setting"]: each["value"] for each in settings.told()}
    assert told["embeddings_key"] == "(set)"
