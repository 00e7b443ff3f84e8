"""The owner's socket: made by whoever holds the data directory, answering its own user's processes and no others."""

import asyncio
import logging
import os
import socket
import stat
from collections.abc import AsyncGenerator
from concurrent.futures import Executor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from sophia.broker import protocol
from sophia.broker.peer import peer_of
from sophia.broker.protocol import HEAD, TAKEN, Desk, NotAFrame, TooLongFrame
from sophia.broker.standing import News, Standing
from sophia.core.errors import Conflict, TooLarge
from sophia.store.ownership import Ownership, proven

_log = logging.getLogger("sophia.broker")
Steps = asyncio.Queue[dict[str, Any] | None]
"""What a command tells of its way, and `None` behind the last."""
LONGEST_PATH: Final = 107 if hasattr(socket, "SO_PEERCRED") else 103
"""Bytes of a socket's path that the kernel takes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long and how many. Times in seconds."""

    request_s: float = 10.0
    idle_s: float = 60.0
    write_s: float = 30.0
    connections: int = 64


@asynccontextmanager
async def listening(
    ownership: Ownership, desk: Desk, executor: Executor, news: News, limits: Limits = Limits()
) -> AsyncGenerator["Listener"]:
    """The owner's socket, answering for the block."""
    sock = bound(ownership)
    inode = _inode(ownership.socket_path)
    listener = Listener(desk, executor, news, limits)
    server = await asyncio.start_unix_server(listener.met, sock=sock)
    try:
        yield listener
    finally:
        server.close()
        await listener.end()
        # Another owner's socket may stand there by now, if the directory was taken from under this one.
        with suppress(OSError):
            if _inode(ownership.socket_path) == inode:
                ownership.socket_path.unlink()


def bound(ownership: Ownership) -> socket.socket:
    """A listening socket, for this user alone, in place of the one that a dead owner left."""
    path = proven(ownership).socket_path
    if len(os.fsencode(path)) > LONGEST_PATH:
        raise TooLarge(
            f"The path of the data directory is too long for its socket ({LONGEST_PATH} bytes at most); "
            "choose a shorter SOPHIA_DATA_DIR."
        )
    _clear(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | getattr(socket, "SOCK_CLOEXEC", 0))
    before = os.umask(0o177)
    try:
        sock.bind(str(path))
    except BaseException:
        sock.close()
        raise
    finally:
        os.umask(before)
    sock.listen(128)
    return sock


def _clear(path: Path) -> None:
    """Take away the socket of an owner that is gone: the lock that this process holds says that it is."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise Conflict(f"{path.name} in the data directory is no socket; move it away.")
    path.unlink()


def _inode(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


@dataclass
class Listener:
    """Every conversation that is going on."""

    desk: Desk
    executor: Executor
    news: News
    limits: Limits
    _open: set[asyncio.Task[None]] = field(default_factory=set)
    _idle: set[asyncio.Task[None]] = field(default_factory=set)

    async def met(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Talk with one process until it leaves."""
        task = _current()
        self._open.add(task)
        try:
            await self._talk(reader, Line(writer, self.limits.write_s))
        except (TimeoutError, OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def end(self) -> None:
        """End the conversations that wait for a next request; those in the middle of one are heard out."""
        for task in self._idle:
            task.cancel()
        if self._open:
            await asyncio.wait(self._open, timeout=self.limits.request_s)

    async def _talk(self, reader: asyncio.StreamReader, line: "Line") -> None:
        peer = peer_of(line.socket)
        if not peer.is_owner:
            _log.warning("a process of another user was refused at the socket", extra={"uid": peer.uid})
            return
        if len(self._open) > self.limits.connections:
            await line.say(protocol.refused("limit_reached", "Too many commands at once; try again."))
            return
        while True:
            try:
                request = await self._request(reader)
            except TooLongFrame:
                await line.say(protocol.refused("too_large", f"A request has at most {protocol.MAX_FRAME} bytes."))
                return
            except NotAFrame:
                await line.say(protocol.refused("bad_arguments", "A request is a JSON object behind its length."))
                return
            await line.say(TAKEN)
            standing = Standing(self.news, lambda connection_id: self._revoked(connection_id, peer.pid))
            if not standing.takes(request):
                await self._answer(request, peer.pid, line)
            elif not await self._stand(standing, request, reader, line):
                return

    async def _stand(
        self, standing: Standing, request: dict[str, Any], reader: asyncio.StreamReader, line: "Line"
    ) -> bool:
        """Whether the conversation goes on after a request that lasts. The daemon's end does not wait for it."""
        self._idle.add(_current())
        try:
            answer = await standing.answer(request, reader)
        finally:
            self._idle.discard(_current())
        if answer is not None:
            await line.say(answer)
        return answer is not None

    async def _revoked(self, connection_id: str, pid: int) -> None:
        ended = {"connection_id": connection_id, "reason": "whoever held it has ended"}
        request = {"command": "revoke", "arguments": ended}
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.executor, self.desk.answer, request, pid, _unheard)

    async def _request(self, reader: asyncio.StreamReader) -> dict[str, Any]:
        self._idle.add(_current())
        try:
            async with asyncio.timeout(self.limits.idle_s):
                head = await reader.readexactly(HEAD.size)
        finally:
            self._idle.discard(_current())
        size = protocol.length(head)
        async with asyncio.timeout(self.limits.request_s):
            return protocol.told(await reader.readexactly(size))

    async def _answer(self, request: dict[str, Any], pid: int, line: "Line") -> None:
        loop = asyncio.get_running_loop()
        steps: Steps = asyncio.Queue(256)

        def progress(step: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(_offer, steps, step)

        work = loop.run_in_executor(self.executor, self.desk.answer, request, pid, progress)
        work.add_done_callback(lambda _done: _close(steps))
        await self._tell(steps, line)
        answer = await work
        try:
            await line.say(answer)
        except TooLongFrame:
            await line.say(protocol.refused("too_large", "The answer is too long; ask for less."))

    async def _tell(self, steps: Steps, line: "Line") -> None:
        """Say each step, until the work is done."""
        while (step := await steps.get()) is not None:
            await line.say({"progress": step})


def _unheard(_step: dict[str, Any]) -> None:
    """Nobody is there to hear of it."""


def _current() -> asyncio.Task[None]:
    return cast("asyncio.Task[None]", asyncio.current_task())


def _offer(steps: Steps, step: dict[str, Any]) -> None:
    """Steps that nobody takes in time are left out: the work does not wait for its spectators."""
    with suppress(asyncio.QueueFull):
        steps.put_nowait(step)


def _close(steps: Steps) -> None:
    """Say that no step comes after."""
    if steps.full():
        steps.get_nowait()
    steps.put_nowait(None)


@dataclass(frozen=True)
class Line:
    """The way back to one process."""

    writer: asyncio.StreamWriter
    write_s: float

    @property
    def socket(self) -> socket.socket:
        """The socket itself, as the kernel knows it."""
        found: socket.socket = self.writer.get_extra_info("socket")
        return found

    async def say(self, told: dict[str, Any]) -> None:
        """Send one frame."""
        self.writer.write(protocol.framed(told))
        async with asyncio.timeout(self.write_s):
            await self.writer.drain()
