"""The daemon as a process: told to stop, robbed of its ground, short of threads."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sophia.cli.client import SocketLine
from sophia.opening import opened
from sophia.store.ownership import acquire, release
from tests.support.beneath import bare, faults, owned
from tests.support.process import (
    PROGRAM,
    Process,
    environment,
    eventually,
    prepared,
    refused,
    running,
    settings,
)
from tests.support.terms import FULL

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A directory, a bearer, an entity."""
    made = tmp_path_factory.mktemp("daemon")
    token, (entity,) = prepared(made, "one")
    return made, token, entity


def writing(daemon: Process, entity: str, acknowledged: list[str], stop: threading.Event, who: int) -> threading.Thread:
    """A client that writes until it cannot."""

    def run() -> None:
        client = daemon.another()
        n = 0
        while not stop.is_set():
            n += 1
            try:
                told = client.call("update_entity", entity_id=entity, name=f"{who}-{n}", idempotency_key=f"{who}-{n}")
            except (OSError, http.client.HTTPException):
                break
            if "mutation_seq" in told:
                acknowledged.append(f"{who}-{n}")
        client.hang_up()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def named(place: Path) -> list[str]:
    """The names that were ever written, from the journal; the state is checked on the way."""
    with owned(place) as (ownership, keys), bare(ownership, keys) as db:
        assert faults(db, keys.seal) == []
        return [
            str(row[0])
            for row in db.execute("SELECT json_extract(after, '$.name') FROM mutation_change WHERE op = 'update'")
        ]


@pytest.mark.guarantee("4.29")
@pytest.mark.parametrize("signals", [[signal.SIGTERM], [signal.SIGTERM, signal.SIGTERM], [signal.SIGINT]])
def test_a_daemon_that_is_told_to_stop_under_load_ends_whole(place: tuple[Path, str, str], signals: list[int]):
    where, token, entity = place
    acknowledged: list[str] = []
    stop = threading.Event()
    with running(where, token) as daemon:
        for ignored in (signal.SIGHUP, signal.SIGPIPE):
            daemon.signal(ignored)
        base = 10 * len(signals) + signals[0]
        threads = [writing(daemon, entity, acknowledged, stop, base * 10 + who) for who in range(4)]
        for _ in eventually():
            if len(acknowledged) >= 12:
                break
        began = time.monotonic()
        for number in signals:
            daemon.signal(number)
        assert daemon.ended(12) == 0
        assert time.monotonic() - began < 10
        stop.set()
        for thread in threads:
            thread.join(10)
        assert "Traceback" not in daemon.errors()
    written = named(where)
    assert set(acknowledged) <= set(written)
    assert len(set(written)) == len(written)
    assert not (where / "data" / "state.db-wal").exists(), "the log was folded back"


@pytest.mark.guarantee("L13")
@pytest.mark.parametrize("robbed", ["lock", "directory"])
def test_a_daemon_whose_ground_moves_stops_by_itself(tmp_path: Path, robbed: str):
    token, (entity,) = prepared(tmp_path, "one")
    with running(tmp_path, token) as daemon:
        assert daemon.call("get_entity", entity_id=entity)["name"] == "one"
        if robbed == "lock":
            (tmp_path / "data" / "owner.lock").unlink()
        else:
            (tmp_path / "data").rename(tmp_path / "elsewhere")
        began = time.monotonic()
        assert daemon.ended(10) == 83
        assert time.monotonic() - began < 7
        assert '"refused": "lockfile_swapped"' in daemon.errors()
    if robbed == "lock":
        release(acquire(tmp_path / "data"))
        assert named(tmp_path) == []


@pytest.mark.guarantee("4.11", "L1")
@pytest.mark.timeout(180)
def test_of_twelve_daemons_that_start_at_once_one_serves(tmp_path: Path):
    prepared(tmp_path)
    for _ in range(2):
        children = [
            subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             env=environment(tmp_path)) for _ in range(12)
        ]  # fmt: skip
        try:
            for _ in eventually(within_s=90):
                if sum(child.poll() is not None for child in children) >= 11:
                    break
            alive = [child for child in children if child.poll() is None]
            assert len(alive) == 1
            losers = [child for child in children if child.poll() is not None]
            assert {child.returncode for child in losers} == {80}
            for child in losers:
                told = child.communicate(timeout=10)[1]
                assert '"refused": "owner_live"' in told
                assert str(alive[0].pid) in told
            os.kill(alive[0].pid, signal.SIGTERM)
            assert alive[0].wait(20) == 0
        finally:
            for child in children:
                child.kill()
                child.communicate()
    assert named(tmp_path) == []


SHORT_OF_THREADS = PROGRAM.replace(
    "try:\n",
    """
import resource
def ready(told):
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    print(json.dumps(told), flush=True)
try:
""",
).replace("ready=lambda told: print(json.dumps(told), flush=True)", "ready=ready")


@pytest.mark.guarantee("4.31")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user, whose processes are counted")
def test_a_daemon_that_can_start_no_more_threads_serves_on(tmp_path: Path):
    """All the threads that it needs are there before it is ready: after that it is allowed no other."""
    token, (entity,) = prepared(tmp_path, "one")
    # The limit counts for the real user, unless it is root or may go beyond limits.
    counted = ("setpriv", "--ruid=65534", "--bounding-set=-sys_resource,-sys_admin")
    with running(tmp_path, token, counted, SHORT_OF_THREADS) as daemon:
        before = threads_of(daemon)
        acknowledged: list[str] = []
        stop = threading.Event()
        clients = [writing(daemon, entity, acknowledged, stop, who) for who in range(16)]
        try:
            for _ in eventually():
                if len(acknowledged) >= 50:
                    break
        finally:
            stop.set()
        for client in clients:
            client.join(20)
        assert threads_of(daemon) == before
        assert daemon.call("health")["write_ok"]


def threads_of(daemon: Process) -> str:
    status = Path(f"/proc/{daemon.pid}/status").read_text()
    assert "Uid:\t65534\t0" in status
    return status.split("Threads:\t")[1].split("\n")[0]


@pytest.mark.guarantee("4.10")
@pytest.mark.parametrize("jump", ["-1d", "+40d"])
def test_a_daemon_whose_wall_clock_is_elsewhere_serves_all_the_same(place: tuple[Path, str, str], jump: str):
    library = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    where, token, entity = place
    with running(where, token, LD_PRELOAD=str(library), FAKETIME=jump, FAKETIME_DONT_FAKE_MONOTONIC="1") as daemon:
        told = daemon.call("update_entity", entity_id=entity, name=f"at {jump}")
        assert told["entity"]["name"] == f"at {jump}"
        daemon.signal(signal.SIGTERM)
        assert daemon.ended() == 0
    with running(where, token) as daemon:
        assert daemon.call("health")["write_ok"]
        assert daemon.call("get_entity", entity_id=entity)["name"] == f"at {jump}"


@pytest.mark.guarantee("L20")
def test_a_start_that_is_refused_says_so_and_ends(tmp_path: Path):
    prepared(tmp_path)
    with running(tmp_path) as daemon:
        code, told = refused(tmp_path)
        assert code == 80
        assert '"refused": "owner_live"' in told
        assert daemon.status("/healthz") == 200


WITH_A_SLOW_TOOL = PROGRAM.replace(
    "try:\n",
    """
import threading
from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.surface import GROUPS
slow = Group("read_slow", Access.READ)
@slow.tool()
def hold(call: ReadCall) -> dict[str, int]:
    '''Holds a thread.'''
    print("held", flush=True)
    threading.Event().wait(60)
    return {}
try:
""",
).replace("serve(settings,", "serve(settings, groups=(*GROUPS, slow),")


def test_the_owner_is_answered_while_agents_hold_every_thread(tmp_path: Path):
    house = opened(settings(tmp_path))
    flooding = [house.parts.mint.mint(FULL, "owner") for _ in range(2)]
    house.close()

    def held(client: Process) -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            client.call("hold", timeout=25)

    with running(tmp_path, program=WITH_A_SLOW_TOOL) as daemon:
        clients = [Process(daemon.child, daemon.port, daemon.pid, each.bearer_token) for each in flooding * 8]
        threads = [threading.Thread(target=held, args=(client,)) for client in clients]
        for thread in threads:
            thread.start()
        assert daemon.child.stdout
        for _ in range(8):  # as many as can read at once; the other threads wait for one of these
            assert daemon.child.stdout.readline() == "held\n"
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(10)
            sock.connect(str(tmp_path / "data" / "sophia.sock"))
            began = time.monotonic()
            request = {"command": "revoke", "arguments": {"connection_id": flooding[0].connection_id}}
            answer = SocketLine(sock).send(request, lambda _: None)
            assert "ok" in answer, answer
            assert time.monotonic() - began < 10
        daemon.child.kill()
        for thread in threads:
            thread.join(20)
