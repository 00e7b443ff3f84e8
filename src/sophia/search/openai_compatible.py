"""A server that speaks `/v1/embeddings`: Ollama, a gateway. On this machine, unless the owner allows another."""

import json
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib import import_module, util
from threading import Timer

import msgspec

from sophia.core.errors import Unavailable
from sophia.search.breaker import Breaker
from sophia.search.provider import Embeddings, ModelMissing, ModelRefused, Numbers, Provider, Question
from sophia.settings import BadSetting, EmbeddingsServer, embeddings_server

NAME = "openai_compatible"
TIMEOUT_S = 30.0
"""How long an answer may take that nobody waits for."""
QUESTION_S = 1.5
"""How long a search waits for the vector of what it asks."""
MOST_BYTES = 64 * 1024 * 1024
MOST_DIMENSIONS = 8192
LARGEST = 1e30
"""A number beyond is no part of a vector: its square is more than can be counted with."""


class Vector(msgspec.Struct):
    """The vector of one text, and which of the texts that is."""

    index: int
    embedding: list[float]


class Told(msgspec.Struct):
    """An answer, as far as it is read."""

    data: list[Vector]


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

    def __init__(
        self, place: EmbeddingsServer, model: str, key: str | None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._place = place
        self._model = model
        self._key = key
        self._breaker = Breaker(now)
        self._dimensions: int | None = None
        self._troubles: dict[bool, str] = {}

    @property
    def model_id(self) -> str:
        """The model's name, as the server knows it."""
        return f"{NAME}/{self._model}"

    @property
    def trouble(self) -> str | None:
        """Why the last answer could not be used: to searches, or else to what is done behind them."""
        return self._troubles.get(True) or self._troubles.get(False)

    def expect(self, dimensions: int) -> None:
        """Use vectors of this length only: those that are kept of the model have it."""
        self._dimensions = dimensions

    def embedded(self, texts: Sequence[str], *, awaited: bool = False) -> Numbers:
        """A unit vector for each text, one a row; `Unavailable` where the server has no answer that can be used.

        An answer that a search has `awaited` comes soon or not at all, and is not asked for again and again.
        """
        try:
            if awaited:
                with self._breaker.asking():
                    found = self._vectors(texts, QUESTION_S)
            else:
                found = self._vectors(texts, TIMEOUT_S)
        except Unavailable as error:
            self._troubles.setdefault(awaited, error.message)
            raise
        self._troubles.pop(awaited, None)
        return import_module("sophia.search.nearest").units(found)

    def question(self, text: str) -> Question | None:
        """What is asked for."""
        return Question(self.embedded([text], awaited=True)[0])

    def tokens(self, _: Sequence[str]) -> None:
        """Such a server tells of no words."""

    def _vectors(self, texts: Sequence[str], within_s: float) -> list[list[float]]:
        found = _read(self._asked(json.dumps({"model": self._model, "input": list(texts)}).encode(), within_s))
        sizes = {len(vector) for vector in found}
        if len(found) != len(texts) or len(sizes) != 1 or not 1 <= (size := sizes.pop()) <= MOST_DIMENSIONS:
            raise Unavailable("The embedding server's vectors are not those of what was asked.")
        if self._dimensions is None:
            self._dimensions = size
        if size != self._dimensions:
            raise Unavailable(
                f"The embedding server's vectors have {size} numbers, and those of this model {self._dimensions}:"
                " another model needs another name in embeddings_model."
            )
        return found

    def _asked(self, what: bytes, within_s: float) -> bytes:
        kind = HTTPSConnection if self._place.encrypted else HTTPConnection
        connection = kind(self._place.address, self._place.port, timeout=within_s)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            began = time.monotonic()
            connection.connect()
            with _ending(connection.sock, within_s - (time.monotonic() - began)):
                connection.request("POST", self._place.path, what, headers)
                answer = connection.getresponse()
                content = answer.read(MOST_BYTES + 1)
            if time.monotonic() - began >= within_s:
                raise TimeoutError
        except (OSError, HTTPException, ValueError) as error:
            raise Unavailable(f"The embedding server does not answer: {type(error).__name__}.") from None
        finally:
            connection.close()
        if answer.status != 200 or len(content) > MOST_BYTES:
            raise Unavailable(f"The embedding server answered {answer.status}, with nothing that can be used.")
        return content


@contextmanager
def _ending(sock: socket.socket, within_s: float) -> Iterator[None]:
    """End the conversation after that time: a timeout alone begins anew with every byte that comes."""
    timer = Timer(max(within_s, 0.0), _ended, [sock])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _ended(sock: socket.socket) -> None:
    try:
        socket.socket.shutdown(sock, socket.SHUT_RDWR)  # not TLS's own, which other threads must not call
    except OSError:
        return  # it ended by itself


def _read(content: bytes) -> list[list[float]]:
    """The vectors of an answer, in the order of what was asked; `Unavailable` where it is no such answer."""
    try:
        rows = sorted(msgspec.json.decode(content, type=Told).data, key=lambda each: each.index)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise Unavailable("The embedding server's answer has no vectors in it.") from None
    if [each.index for each in rows] != list(range(len(rows))):
        raise Unavailable("The embedding server's vectors are not those of what was asked.")
    if not all(-LARGEST <= number <= LARGEST for each in rows for number in each.embedding):
        raise Unavailable("The embedding server's vectors have numbers in them that are none.")
    return [each.embedding for each in rows]
