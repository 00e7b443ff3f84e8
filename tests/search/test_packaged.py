"""The packaged model: only the very files that are pinned, and what they make of texts."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from sophia.search import packaged, provider
from sophia.search.provider import Embeddings, ModelMissing, ModelRefused, Provider
from tests.support.house import house

CHOSEN = Embeddings("packaged")


@pytest.fixture(scope="module")
def model() -> Provider:
    return provider.made(CHOSEN)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the model's files, in place of them."""
    for name in packaged.HASHES:
        shutil.copy(packaged._place(name), tmp_path / name)
    monkeypatch.setattr(packaged, "_place", lambda name: tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", packaged.HASHES)
def test_a_model_with_one_changed_byte_is_refused_and_searches_go_on_without_it(files: Path, name: str):
    provider.made(CHOSEN)
    content = bytearray((files / name).read_bytes())
    content[len(content) // 2] ^= 1
    (files / name).write_bytes(content)
    with pytest.raises(ModelRefused, match=name):
        provider.made(CHOSEN)
    with house(embeddings=CHOSEN) as home:
        home.call(home.owner, "add_document", title="Bread", body="rye flour and water")
        assert home.parts.chores.settle(30)
        told = home.call(home.owner, "health")
        assert told["model"] == {"dense": False}
        assert told["status"] == "degraded"
        assert any(name in reason for reason in told["reasons"])
        found = home.call(home.owner, "search_documents", query="flour")
        assert found["fusion"]["signals"] == ["bm25"]
        assert [item["title"] for item in found["items"]] == ["Bread"]


def test_a_file_that_cannot_be_read_is_refused(files: Path):
    (files / "model.onnx").unlink()
    with pytest.raises(ModelRefused, match=r"model\.onnx cannot be read"):
        provider.made(CHOSEN)


def test_without_the_packages_words_are_searched_and_nobody_is_warned(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(packaged, "NEEDED", (*packaged.NEEDED, "a_package_that_nobody_has"))
    with pytest.raises(ModelMissing, match="extra `dense`"):
        provider.made(CHOSEN)
    with house(embeddings=CHOSEN) as home:
        home.call(home.owner, "add_document", title="Bread", body="rye flour and water")
        assert home.parts.chores.settle(30)
        assert home.call(home.owner, "health")["model"] == {"dense": False}
        assert home.call(home.owner, "health")["status"] == "ok"
        assert home.call(home.owner, "search_documents", query="flour")["fusion"]["signals"] == ["bm25"]


def test_a_provider_that_is_not_registered_is_refused_by_its_name():
    with pytest.raises(ModelMissing, match="'pakcaged'"):
        provider.made(Embeddings("pakcaged"))
    with pytest.raises(ModelMissing, match="'pakcaged'"), house(embeddings=Embeddings("pakcaged")):
        pass


def test_its_package_is_data_and_is_never_run(model: Provider):
    assert packaged.PACKAGE not in sys.modules


def test_what_means_the_same_is_near(model: Provider):
    texts = ["The cat was at the vet.", "Bake the bread at 230 degrees.", "The flight leaves from gate B12."]
    vectors = model.embedded(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for nearest, query in enumerate(["kitten doctor", "baking instructions", "plane departure"]):
        question = model.question(query)
        assert question is not None
        cosines = vectors @ question.vector
        assert int(cosines.argmax()) == nearest
        assert float(cosines.max()) > (model.floor or 0)


def test_a_text_has_the_same_vector_alone_and_among_others(model: Provider):
    short, long = "a short one", "a much longer text about harbours, ships, cranes and tides " * 12
    alone = model.embedded([short])[0]
    assert float(alone @ model.embedded([long, short, long])[1]) > 0.98


def test_it_knows_words_and_no_made_up_ones(model: Provider):
    for query in ("automobile", "the harvest", "x86 processor"):
        question = model.question(query)
        assert question is not None
        assert question.known
    for query in ("flurbic znorgle", "xqzvbn", "wbxpvtmihn", "of the and"):
        question = model.question(query)
        assert question is not None
        assert not question.known


def test_it_does_not_pretend_to_read_other_scripts(model: Provider):
    for query in ("会议", "東京の天気", "안녕하세요", "привет", "مرحبا"):
        assert model.question(query) is None
    assert model.question("café naïve Straße") is not None


def test_the_vocabulary_is_the_one_whose_licence_lies_beside_it():
    folder = Path(packaged.__file__).parent / "minilm"
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert packaged.HASHES["tokenizer.json"] in (folder / "README.md").read_text()
    assert len(json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]) == 30522
