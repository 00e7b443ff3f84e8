"""A loopback proxy that adds a bearer to each request: the official suite has none to send."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def adding(bearer: str, port: int) -> Iterator[int]:
    """The port of a proxy before `port`, which leaves every other byte alone."""
    up = threading.Event()
    held: dict[str, Any] = {}

    async def main() -> None:
        proxy = Proxy(bearer, port)
        held["loop"], held["stopping"] = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        held["port"] = server.sockets[0].getsockname()[1]
        up.set()
        await held["stopping"].wait()
        server.close()
        await proxy.end()

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    thread.start()
    assert up.wait(10), "the proxy did not start"
    try:
        yield held["port"]
    finally:
        held["loop"].call_soon_threadsafe(held["stopping"].set)
        thread.join(10)


class Proxy:
    """The connections that are open, each with one of its own to the daemon."""

    def __init__(self, bearer: str, port: int) -> None:
        self._added = b"Authorization: Bearer " + bearer.encode() + b"\r\n\r\n"
        self._port = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a connection on."""
        task = asyncio.ensure_future(self._pass_on(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def end(self) -> None:
        """Close what is open, and wait for it."""
        for writer in list(self._writers):
            writer.close()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = writer.get_extra_info("sockname")[1]
        upstream, onward = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers |= {writer, onward}
        answers = asyncio.ensure_future(_pipe(upstream, writer))
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                # The daemon's own name has the daemon's port; a foreign Host or Origin stays foreign.
                head = head.replace(b":%d\r\n" % own, b":%d\r\n" % self._port)
                onward.write(head[:-2] + self._added)
                await _body(head, reader, onward)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            onward.close()
            await answers
            writer.close()
            self._writers -= {writer, onward}


async def _body(head: bytes, reader: asyncio.StreamReader, onward: asyncio.StreamWriter) -> None:
    lowered = head.lower()
    if b"\r\ntransfer-encoding: chunked" in lowered:
        while True:
            line = await reader.readline()
            onward.write(line + await reader.readexactly(int(line, 16) + 2))
            if int(line, 16) == 0:
                break
    elif b"\r\ncontent-length:" in lowered:
        length = int(lowered.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0])
        onward.write(await reader.readexactly(length))
    await onward.drain()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    writer.close()
