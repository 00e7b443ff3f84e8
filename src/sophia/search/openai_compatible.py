"""A server that speaks `/v1/embeddings`: Ollama, a gateway. On this machine, unless the owner allows another."""

import json
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib import import_module, util
from typing import Any

from sophia.core.errors import Unavailable
from sophia.search.provider import Embeddings, ModelMissing, ModelRefused, Numbers, Provider, Question
from sophia.settings import BadSetting, EmbeddingsServer, embeddings_server

NAME = "openai_compatible"
TIMEOUT_S = 30.0
MOST_BYTES = 64 * 1024 * 1024
MOST_DIMENSIONS = 8192


def required(chosen: Embeddings) -> None:
    """Refuse what cannot be asked, or must not be."""
    if util.find_spec("numpy") is None or util.find_spec("onnxruntime") is None:
        raise ModelMissing("Vectors are compared by packages that come with the extra `dense`.")
    if not chosen.url or not chosen.model:
        raise ModelMissing("The provider openai_compatible needs embeddings_url and embeddings_model.")
    _server(chosen)


def model_id(chosen: Embeddings) -> str:
    """The model's name, as the server knows it."""
    return f"{NAME}/{chosen.model}"


def provider(chosen: Embeddings) -> Provider:
    """The server as a provider; nothing is asked of it yet."""
    return Server(_server(chosen), chosen.model or "", chosen.key)


def _server(chosen: Embeddings) -> EmbeddingsServer:
    try:
        return embeddings_server(chosen.url or "", may_leave=chosen.documents_leave_machine)
    except BadSetting as error:
        raise ModelRefused(error.message) from None


class Server:
    """Asks the server. One request, one connection; no proxy, and no redirect that is followed."""

    floor = None

    def __init__(self, place: EmbeddingsServer, model: str, key: str | None) -> None:
        self._place = place
        self._model = model
        self._key = key

    @property
    def model_id(self) -> str:
        """The model's name, as the server knows it."""
        return f"{NAME}/{self._model}"

    def embedded(self, texts: Sequence[str]) -> Numbers:
        """A unit vector for each text, one a row; `Unavailable` where the server has no answer that can be used."""
        vectors = _vectors(self._asked({"model": self._model, "input": list(texts)}), len(texts))
        return import_module("sophia.search.nearest").units(vectors)

    def question(self, text: str) -> Question | None:
        """What is asked for."""
        return Question(self.embedded([text])[0])

    def tokens(self, _: Sequence[str]) -> None:
        """Such a server tells of no words."""

    def _asked(self, what: dict[str, Any]) -> Any:
        kind = HTTPSConnection if self._place.encrypted else HTTPConnection
        connection = kind(self._place.address, self._place.port, timeout=TIMEOUT_S)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            connection.request("POST", self._place.path, json.dumps(what).encode(), headers)
            answer = connection.getresponse()
            content = answer.read(MOST_BYTES + 1)
        except (OSError, HTTPException) as error:
            raise Unavailable(f"The embedding server does not answer: {type(error).__name__}.") from None
        finally:
            connection.close()
        if answer.status != 200 or len(content) > MOST_BYTES:
            raise Unavailable(f"The embedding server answered {answer.status}, with nothing that can be used.")
        try:
            return json.loads(content)
        except ValueError:
            raise Unavailable("The embedding server answered with something that is not JSON.") from None


def _vectors(told: Any, many: int) -> list[list[float]]:
    """The vectors of an answer, in the order of what was asked; `Unavailable` where it is not an answer to that."""
    try:
        rows = sorted(told["data"], key=lambda each: int(each["index"]))
        found = [[float(number) for number in each["embedding"]] for each in rows]
        indexes = [int(each["index"]) for each in rows]
    except (KeyError, TypeError, ValueError):
        raise Unavailable("The embedding server's answer has no vectors in it.") from None
    sizes = {len(vector) for vector in found}
    if indexes != list(range(many)) or len(sizes) != 1 or not 1 <= sizes.pop() <= MOST_DIMENSIONS:
        raise Unavailable("The embedding server's vectors are not those of what was asked.")
    return found
