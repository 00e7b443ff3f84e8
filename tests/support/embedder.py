"""A server of embeddings on this machine: real HTTP, and vectors that can be told from the words of a text."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from sophia.search.provider import Embeddings

MEANINGS = (
    {"car", "automobile", "vehicle", "motorcar"},
    {"doctor", "physician", "medic"},
    {"bread", "loaf", "baking"},
    {"ship", "vessel", "boat"},
)
DIMENSIONS = 24


def vector(text: str, turn: int = 0) -> list[float]:
    """Words of one meaning point one way, and every other word its own. Each `turn` is another model's space."""
    found = [0.0] * DIMENSIONS
    for word in text.casefold().replace(".", " ").split():
        meaning = next((n for n, words in enumerate(MEANINGS) if word in words), None)
        digest = hashlib.sha256(word.encode()).digest()
        at = meaning if meaning is not None else len(MEANINGS) + digest[0] % (DIMENSIONS - len(MEANINGS))
        found[(at + turn) % DIMENSIONS] += 3.0 if meaning is not None else 0.3
    return found


@dataclass
class Embedder:
    """What was asked of it, and what it is to answer instead, once it is told so."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    instead: tuple[int, bytes] | None = None
    silent: bool = False
    """Whether it lets whoever asks it wait, a byte now and then, until it is told to end."""
    end: Event = field(default_factory=Event)

    def chosen(self, model: str = "first", **more: Any) -> Embeddings:
        """The settings of whoever asks it."""
        return Embeddings("openai_compatible", self.url, model, **more)

    def answer(self, asked: dict[str, Any]) -> bytes:
        turn = {"first": 0, "second": 7}[asked["model"]]
        data = [{"index": n, "embedding": vector(text, turn)} for n, text in enumerate(asked["input"])]
        return json.dumps({"data": data[::-1], "model": asked["model"]}).encode()


@contextmanager
def embedder() -> Iterator[Embedder]:
    """The server, for the block."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            made.asked.append({**asked, "path": self.path})
            made.headers.append(dict(self.headers))
            status, content = made.instead or (200, made.answer(asked))
            if made.silent:
                self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Wait: ")
                while not made.end.wait(0.02):
                    try:
                        self.wfile.write(b".")
                    except OSError:
                        break
                return
            self.send_response(status)
            if status == 302:
                self.send_header("Location", made.url + "/embeddings")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """It says nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Embedder(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        made.end.set()
        server.shutdown()
        thread.join()
        server.server_close()
