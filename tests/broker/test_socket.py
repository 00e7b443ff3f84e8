"""The owner's socket, met by well-behaved and other processes."""

import array
import asyncio
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvloop

from sophia.broker import protocol
from sophia.broker.peer import Peer
from sophia.broker.protocol import HEAD
from sophia.broker.socket import LONGEST_PATH, Limits, bound, listening
from sophia.core.errors import Conflict, TooLarge
from sophia.dispatch.news import News
from sophia.store.ownership import Ownership, acquire, release

SHORT = Limits(request_s=0.3, idle_s=0.5, write_s=1.0, connections=4)


@dataclass
class EchoDesk:
    """Answers with what was asked, after the steps that the request names, or when it is let."""

    pids: list[int] = field(default_factory=list)
    let: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: dict[str, Any], pid: int, progress: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        self.pids.append(pid)
        for step in range(request.get("steps", 0)):
            progress({"step": step})
        if request.get("wait"):
            self.let.wait(5)
        if request.get("huge"):
            return {"ok": "x" * (protocol.MAX_FRAME + 1)}
        return {"ok": request}


@dataclass
class Met:
    """A listening socket in a loop of its own."""

    path: Path
    desk: EchoDesk

    @contextmanager
    def line(self) -> Generator[socket.socket]:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(5)
            sock.connect(str(self.path))
            yield sock

    def said(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        with self.line() as sock:
            sock.sendall(protocol.framed(request))
            return until_answer(sock)


def frame(sock: socket.socket) -> dict[str, Any] | None:
    head = exactly(sock, HEAD.size)
    return protocol.told(exactly(sock, protocol.length(head)) or b"") if head else None


def code(told: dict[str, Any] | None) -> str:
    assert told is not None
    return str(told["error"]["code"])


def exactly(sock: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        part = sock.recv(size - len(got))
        if not part:
            return b""
        got += part
    return got


def until_answer(sock: socket.socket) -> list[dict[str, Any]]:
    heard: list[dict[str, Any]] = []
    while not heard or not heard[-1].keys() & {"ok", "error"}:
        told = frame(sock)
        assert told is not None, heard
        heard.append(told)
    return heard


@pytest.fixture
def ownership(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ownership]:
    held = acquire(tmp_path_factory.mktemp("s") / "d")
    yield held
    release(held)


@contextmanager
def listened(ownership: Ownership, limits: Limits = SHORT) -> Generator[Met]:
    desk, stop, up = EchoDesk(), threading.Event(), threading.Event()

    async def serve() -> None:
        with ThreadPoolExecutor(4) as executor:
            async with listening(ownership, desk, executor, News(), limits):
                up.set()
                await asyncio.get_running_loop().run_in_executor(None, stop.wait)

    def run() -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve())

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert up.wait(5)
        yield Met(ownership.socket_path, desk)
    finally:
        desk.let.set()
        stop.set()
        thread.join(10)
    assert not thread.is_alive()


@pytest.fixture
def met(ownership: Ownership) -> Generator[Met]:
    with listened(ownership) as one:
        yield one


def test_a_request_is_taken_at_once_and_then_answered(met: Met):
    heard = met.said({"command": "x", "steps": 3})
    assert heard[0] == {"taken": True}
    assert [step["progress"]["step"] for step in heard[1:-1]] == [0, 1, 2]
    assert heard[-1] == {"ok": {"command": "x", "steps": 3}}
    assert met.desk.pids == [os.getpid()]


def test_several_requests_go_over_one_line(met: Met):
    with met.line() as sock:
        for n in range(3):
            sock.sendall(protocol.framed({"n": n}))
            assert until_answer(sock)[-1] == {"ok": {"n": n}}


def test_a_slow_command_is_taken_at_once(met: Met):
    with met.line() as sock:
        sock.sendall(protocol.framed({"wait": True}))
        assert frame(sock) == {"taken": True}
        met.desk.let.set()
        assert until_answer(sock)[-1]["ok"] == {"wait": True}


def test_a_huge_frame_is_refused_before_it_is_read(met: Met):
    with met.line() as sock:
        sock.sendall(HEAD.pack(protocol.MAX_FRAME + 1))
        told = frame(sock)
        assert code(told) == "too_large"
        assert frame(sock) is None


def test_what_is_no_frame_is_refused(met: Met):
    with met.line() as sock:
        sock.sendall(HEAD.pack(2) + b"[]")
        told = frame(sock)
        assert code(told) == "bad_arguments"
        assert frame(sock) is None


def test_an_answer_that_is_too_long_is_told_as_such(met: Met):
    assert met.said({"huge": True})[-1]["error"]["code"] == "too_large"


@pytest.mark.parametrize("begun", [b"", b"\0\0", HEAD.pack(10) + b"{"])
def test_who_stops_speaking_is_hung_up_on(met: Met, begun: bytes):
    with met.line() as sock:
        sock.sendall(begun)
        since = time.monotonic()
        assert sock.recv(1) == b""
        assert time.monotonic() - since < 3


def test_there_is_a_bound_on_how_many_speak_at_once(met: Met):
    lines = [met.line() for _ in range(SHORT.connections)]
    socks = [line.__enter__() for line in lines]
    try:
        for n, sock in enumerate(socks):
            sock.sendall(protocol.framed({"n": n}))
            assert until_answer(sock)[-1]["ok"] == {"n": n}
        with met.line() as one_more:
            told = frame(one_more)
            assert code(told) == "limit_reached"
    finally:
        for line in lines:
            line.__exit__(None, None, None)
    assert until(lambda: "ok" in met.said({"again": True})[-1])


def until(look: Callable[[], bool], within_s: float = 5.0) -> bool:
    deadline = time.monotonic() + within_s
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return True


def test_descriptors_that_are_sent_along_are_not_kept(met: Met, tmp_path: Path):
    before = len(os.listdir("/proc/self/fd"))
    read, write = os.pipe()
    with met.line() as sock:
        sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [write] * 20))]
        sock.sendmsg([protocol.framed({"n": 1})], sent)
        assert until_answer(sock)[-1]["ok"] == {"n": 1}
        os.close(write)
        assert os.read(read, 1) == b"", "the last copy of the pipe's end is closed"
    os.close(read)
    until(lambda: len(os.listdir("/proc/self/fd")) <= before)


@pytest.mark.guarantee("PR1")
def test_another_user_is_not_even_answered(met: Met, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sophia.broker.socket.peer_of", lambda _sock: Peer(1, os.geteuid() + 1))
    with met.line() as sock:
        try:
            sock.sendall(protocol.framed({"n": 1}))
            assert sock.recv(1) == b""
        except (ConnectionResetError, BrokenPipeError):
            pass
    assert met.desk.pids == []


@pytest.mark.guarantee("4.19")
@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_socket_is_its_users_alone_whatever_the_umask(ownership: Ownership, umask: int):
    before = os.umask(umask)
    try:
        with bound(ownership):
            mode = ownership.socket_path.stat().st_mode
            assert stat.S_IMODE(mode) == 0o600
        assert os.umask(umask) == umask, "the umask is what it was"
    finally:
        os.umask(before)


def test_the_socket_of_a_dead_owner_is_replaced(ownership: Ownership):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(ownership.socket_path))
    with listened(ownership) as met:
        assert met.said({"n": 1})[-1]["ok"] == {"n": 1}
    assert not ownership.socket_path.exists()


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: path.symlink_to("elsewhere")])
def test_what_is_no_socket_is_never_taken_away(ownership: Ownership, make: Callable[[Path], None]):
    make(ownership.socket_path)
    with pytest.raises(Conflict):
        bound(ownership)
    assert ownership.socket_path.is_symlink() or ownership.socket_path.exists()


def test_only_who_owns_the_directory_makes_the_socket(ownership: Ownership):
    with pytest.raises(TypeError):
        bound("a path")  # type: ignore[arg-type]
    release(ownership)
    with pytest.raises(TypeError):
        bound(ownership)


def test_a_path_that_no_socket_can_have_is_refused_in_words(tmp_path: Path):
    held = acquire(tmp_path / ("x" * LONGEST_PATH))
    try:
        with pytest.raises(TooLarge, match="SOPHIA_DATA_DIR"):
            bound(held)
    finally:
        release(held)


def test_a_socket_that_another_made_meanwhile_is_left_alone(ownership: Ownership):
    with listened(ownership) as met:
        met.path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(met.path))
    assert met.path.exists()


def test_the_end_hears_out_who_is_in_the_middle_of_a_command(ownership: Ownership):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(5)
        with listened(ownership, Limits(request_s=5)) as met:
            sock.connect(str(met.path))
            sock.sendall(protocol.framed({"wait": True}))
            assert frame(sock) == {"taken": True}
        assert until_answer(sock)[-1] == {"ok": {"wait": True}}
        assert frame(sock) is None
