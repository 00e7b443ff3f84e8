"""The HTTP server of the daemon: uvicorn's parser and loop, with the deadlines and limits that it lacks."""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn import Config, Server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from sophia.agent.asgi import App


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how large a request may be. Times in seconds, sizes in bytes."""

    head_s: float = 5.0
    body_s: float = 15.0
    write_s: float = 30.0
    idle_s: float = 75.0
    stop_s: float = 10.0
    head: int = 64 * 1024
    headers: int = 100
    url: int = 8 * 1024
    connections: int = 512


REASONS = {
    400: (b"Bad Request", b"bad_request"),
    408: (b"Request Timeout", b"too_slow"),
    414: (b"URI Too Long", b"url_too_long"),
    421: (b"Misdirected Request", b"misdirected"),
    431: (b"Request Header Fields Too Large", b"headers_too_large"),
    503: (b"Service Unavailable", b"too_many_connections"),
}


class _Stop(Exception):
    """Stops the parser; the connection knows why."""


class Connection(HttpToolsProtocol):
    """One connection: uvicorn's, watched by a timer of its own."""

    limits: ClassVar[Limits] = Limits()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the connection, or turn it away when there are too many."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._status = 400
        self._refused = False
        self._in_head = True
        self._fed = 0  # bytes of the head, or of what frames the body, in earlier data
        self._at_hand = 0  # bytes of the data at hand
        self._boundaries = 0  # between requests, in the data at hand
        self.access_log = False
        self._task: asyncio.Task[None] | None = None
        self._stuck_since: float | None = None
        self._due: float | None = self.loop.time() + self.limits.head_s
        limits = self.limits
        self._period = min(1.0, limits.head_s / 4, limits.body_s / 4, limits.write_s / 4)
        self._timer = self.loop.call_later(self._period, self._look)
        if len(self.connections) > limits.connections:
            self._refuse(503)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop what runs for a client that is gone: its read ends here, its started write by itself."""
        self._timer.cancel()
        if self._task is not None and not self.cycle.response_complete:
            self._task.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Feed the parser, unless this connection was already given up."""
        if self._refused:
            return
        was_head, self._boundaries, self._at_hand = self._in_head, 0, len(data)
        super().data_received(data)
        if self._boundaries > was_head or self.transport.is_closing():
            return
        self._fed += len(data)
        if self._fed > self.limits.head:
            # In a body that is chunked, this bounds what is no body: trailers and the extensions of chunks.
            self._refuse(431 if self.headers or not self._in_head else 414)

    def on_message_begin(self) -> None:
        """A request starts: its head is due."""
        super().on_message_begin()
        self._in_head = True
        self._boundaries += 1
        self._fed = 0
        self._due = self.loop.time() + self.limits.head_s

    def on_headers_complete(self) -> None:
        """The head is whole: judge its size and its target; the body is due."""
        limits = self.limits
        if len(self.url) > limits.url:
            self._stop(414)
        if len(self.headers) > limits.headers or (self._fed + self._at_hand > limits.head and self._is_large()):
            self._stop(431)
        if not self.url.startswith(b"/"):
            self._stop(421)
        self._in_head = False
        self._due = self.loop.time() + limits.body_s
        super().on_headers_complete()
        self.headers = []  # what is parsed as a header from here on is a trailer, and no part of the request

    def on_body(self, body: bytes) -> None:
        """Take a part of the body; with it goes the framing that a chunk of one byte needs."""
        self._fed -= 8 * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is whole: from here on the answer takes its time."""
        self._in_head = True
        self._boundaries += 2
        self._due = None
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - our answers say nothing of the parser
        """Answer what the parser stopped at, and close."""
        self._refuse(self._status)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        task = self.loop.create_task(cycle.run_asgi(app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)
        self._task = task

    def _unsupported_upgrade_warning(self) -> None:
        """The application refuses upgrades itself; there is nothing to warn of."""

    def _is_large(self) -> bool:
        return sum(len(name) + len(value) + 4 for name, value in self.headers) > self.limits.head

    def _stop(self, status: int) -> None:
        self._status = status
        raise _Stop

    def _refuse(self, status: int) -> None:
        self._refused = True
        answered = not self._in_head and self._task is not None and self.cycle.response_started
        if not answered:
            reason, code = REASONS[status]
            body = b'{"error":"' + code + b'"}'
            self.transport.write(
                b"HTTP/1.1 %d %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\ncache-control: no-store\r\n"
                b"x-content-type-options: nosniff\r\nconnection: close\r\n\r\n%s" % (status, reason, len(body), body)
            )
        self.transport.close()

    def _look(self) -> None:
        """Close what is overdue: a head, a body, or a reader that does not read."""
        now = self.loop.time()
        if self.transport.get_write_buffer_size() == 0:
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = now
        elif now - self._stuck_since >= self.limits.write_s:
            self.transport.abort()
            return
        if self._due is not None and now >= self._due and not self.transport.is_closing():
            self._overdue()
        self._timer = self.loop.call_later(self._period, self._look)

    def _overdue(self) -> None:
        if self._task is not None and not self.cycle.response_complete and not self.cycle.more_body:
            return  # the next request trickles in while this one is answered
        self._refuse(408)


class _Embedded(Server):
    """A uvicorn server that leaves signals to the daemon and ends when it is told to."""

    def __init__(self, config: Config, stopping: asyncio.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing: signals are the daemon's."""
        yield

    async def main_loop(self) -> None:
        """Wait for the end."""
        await self.on_tick(0)
        await self._stopping.wait()


async def serve(
    app: App,
    sock: socket.socket,
    *,
    stopping: asyncio.Event,
    started: Callable[[], None] = lambda: None,
    limits: Limits | None = None,
) -> None:
    """Serve `app` on a bound loopback socket in the running loop until `stopping`; requests get `stop_s` to end."""
    limits = limits or Limits()
    config = Config(
        app,
        http=type("Connection", (Connection,), {"limits": limits}),
        ws="none",
        loop="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=1024,
        timeout_keep_alive=int(limits.idle_s),
        timeout_graceful_shutdown=int(limits.stop_s),
    )
    server = _Embedded(config, stopping)
    config.load()
    startup = server.startup

    async def starting(sockets: list[socket.socket] | None = None) -> None:
        await startup(sockets)
        started()

    server.startup = starting  # type: ignore[method-assign]
    await server.serve([sock])
    await asyncio.gather(*server.server_state.tasks, return_exceptions=True)  # those that were out of time say so
