"""A server of embeddings: asked over real HTTP, on this machine only, and believed in nothing that it cannot mean."""

import json
from collections.abc import Iterator

import pytest

from sophia.core.errors import Unavailable
from sophia.search import provider
from sophia.search.provider import Embeddings, ModelMissing, ModelRefused
from sophia.settings import BadSetting, Settings
from tests.support.embedder import DIMENSIONS, Embedder, embedder
from tests.support.house import house


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


def test_a_key_is_told_to_nobody():
    settings = Settings.from_environ({"SOPHIA_EMBEDDINGS_KEY": "k-very-secret"}, None)
    assert "k-very-secret" not in repr(settings)
    told = {each["setting"]: each["value"] for each in settings.told()}
    assert told["embeddings_key"] == "(set)"
