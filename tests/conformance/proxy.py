"""A loopback proxy that adds a bearer to each request: the official suite has none to send."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def adding(bearer: str, port: int) -> Iterator[int]:
    """The port of a proxy before `port`, which leaves every other byte alone."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(
        asyncio.start_server(lambda reader, writer: _pass_on(reader, writer, bearer, port), "127.0.0.1", 0)
    )
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        server.close()
        pending = asyncio.all_tasks(loop)
        for task in pending:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*pending, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, bearer: str, port: int) -> None:
    own = writer.get_extra_info("sockname")[1]
    upstream, onward = await asyncio.open_connection("127.0.0.1", port)
    answers = asyncio.ensure_future(_pipe(upstream, writer))
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            # The daemon's own name has the daemon's port; a foreign Host or Origin stays foreign.
            head = head.replace(b":%d\r\n" % own, b":%d\r\n" % port)
            onward.write(head[:-2] + b"Authorization: Bearer " + bearer.encode() + b"\r\n\r\n")
            await _body(head, reader, onward)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        onward.close()
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            await answers
        writer.close()


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
