"""Many calls leave the daemon as they found it: no memory, descriptors, threads or children more."""

import asyncio
import gc
import json
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sophia.agent.app import application
from sophia.agent.guard import loopback
from sophia.core.caller import Agent
from sophia.dispatch.workers import Workers
from sophia.store import writer
from tests.support.beneath import bare
from tests.support.house import house
from tests.support.process import eventually, prepared, running
from tests.support.processes import ROOT
from tests.support.wire import META

PORT = 7342


def request(token: str, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """One call as a server hands it to the application."""
    asked = {"_meta": META, "name": tool, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}).encode()
    headers = {
        "host": f"127.0.0.1:{PORT}", "authorization": f"Bearer {token}", "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool,
    }  # fmt: skip
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": "/mcp", "raw_path": b"/mcp", "query_string": b"", "root_path": "", "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", PORT), "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }  # fmt: skip
    return scope, body


async def asked(app: Any, scope: dict[str, Any], body: bytes) -> tuple[int, bytes]:
    """The status and body of the answer."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


def resident() -> int:
    """Bytes of memory that the process holds."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def slope(points: list[tuple[float, float]]) -> float:
    """The line through the points by least squares: how much y grows with each x."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread


def alone(what: str) -> Any:
    """What a call of this module comes to in a process of its own, whose heap has no room that others left."""
    program = f"import json; from tests.faults import test_growth; print(json.dumps(test_growth.{what}))"
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(told.stdout)


def grown(calls: int, warm: int) -> tuple[float, dict[str, int]]:
    """Bytes that each call leaves behind, and how many more of each kind of thing there are at the end."""
    with house() as home, Workers(4) as workers:
        entity = home.entity("one")
        agent = home.agent()
        token = home.tokens[agent.connection_id]
        app = application(home.parts.front(workers, 0), loopback(PORT))
        chance = random.Random(3)
        kinds = [
            request(token, "sophia.get_entity", {"entity_id": entity}),
            request(token, "sophia.list_entities", {"compact": True}),
            request(token, "sophia.get_entity", {"entity_id": "e-none"}),
            request(token, "sophia.health", {}),
            request(token, "sophia.list_entities", {"limt": 1}),
            request("sophia_" + "x" * 43, "sophia.health", {}),
        ]
        write = request(token, "sophia.update_entity", {"entity_id": entity, "name": "two"})

        async def some(number: int) -> None:
            for n in range(number):
                scope, body = write if n % 50 == 0 else chance.choice(kinds)
                status, told = await asked(app, scope, body)
                assert status in (200, 401), told
                if n % 500 == 0:
                    home.parts.usage.flush()

        async def main() -> tuple[float, dict[str, int]]:
            await some(warm)
            before = counted()
            points = [(0.0, float(resident()))]
            for step in range(1, 11):
                await some(calls // 10)
                points.append((step * calls / 10, float(resident())))
            after = counted()
            return slope(points), {name: after[name] - before[name] for name in before}

        return asyncio.run(main())


def counted() -> dict[str, int]:
    """How many descriptors, threads and children there are."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {"fds": len(os.listdir("/proc/self/fd")), "threads": threading.active_count(), "children": len(children)}


@pytest.mark.guarantee("4.20", "4.21")
def test_ten_thousand_calls_leave_nothing_behind():
    each, more = alone("grown(10_000, 2_000)")
    assert each * 100_000 < 20_000_000, "a leak of 200 bytes a call would show"
    assert all(abs(number) <= 2 for number in more.values()), more


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.guarantee("4.20", "4.21")
def test_a_hundred_thousand_calls_leave_nothing_behind():
    each, more = alone("grown(100_000, 5_000)")
    assert each * 100_000 < 5_000_000
    assert all(abs(number) <= 2 for number in more.values()), more


@pytest.mark.guarantee("4.24")
def test_eight_threads_that_read_and_write_at_once_meet_no_locked_database():
    busy_for(3)


@pytest.mark.soak
@pytest.mark.guarantee("4.24")
def test_eight_threads_that_read_and_write_for_long_meet_no_locked_database():
    busy_for(20)


def busy_for(seconds: float) -> None:
    with house() as home:
        entities = [home.entity(f"n{n}") for n in range(8)]
        agents = [home.agent(name=f"a{n}") for n in range(8)]
        ends = time.monotonic() + seconds
        counts, refused = [0] * 8, []

        def work(who: int, agent: Agent) -> None:
            while time.monotonic() < ends:
                counts[who] += 1
                name, arguments = (
                    ("update_entity", {"entity_id": entities[who], "name": f"{who}-{counts[who]}"})
                    if counts[who] % 3 == 0
                    else ("list_entities", {})
                )
                answer = home.answer(agent, name, arguments)
                if answer.is_error:
                    refused.append(answer.payload)

        threads = [threading.Thread(target=work, args=(who, agent)) for who, agent in enumerate(agents)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(seconds + 30)
        assert refused == []
        assert min(counts) > 3
        found = {row["entity_id"]: row["name"] for row in home.call(home.owner, "list_entities")["items"]}
        for who, entity in enumerate(entities):
            assert found[entity] == f"{who}-{counts[who] // 3 * 3}" if counts[who] >= 3 else f"n{who}"


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.guarantee("4.23")
def test_a_reader_that_is_held_open_under_fifty_thousand_writes_is_told_of_and_then_folded(
    monkeypatch: pytest.MonkeyPatch,
):
    with house() as home:
        entity = home.entity("one")
        log = Path(home.databases.state.writer.db.filename_wal)
        with bare(home.ownership, home.keys) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entity").fetchall()
            for n in range(50_000):
                home.call(home.owner, "update_entity", entity_id=entity, name=f"n{n}")
                if n % 500 == 0:
                    home.databases.probe()
            assert log.stat().st_size > writer.LOG_ALARMING
            assert home.call(home.owner, "health")["status"] == "degraded"
            reader.execute("COMMIT")
        home.databases.probe()
        assert log.stat().st_size < 4 * 1024 * 1024
        assert home.call(home.owner, "health")["status"] == "ok"


@pytest.mark.guarantee("4.21")
def test_a_daemon_that_served_many_clients_holds_nothing_of_theirs(tmp_path: Path):
    token, (entity,) = prepared(tmp_path, "one")
    with running(tmp_path, token) as daemon:

        def held() -> tuple[int, int, int]:
            threads = int(Path(f"/proc/{daemon.pid}/status").read_text().split("Threads:\t")[1].split()[0])
            children = Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text().split()
            return len(os.listdir(f"/proc/{daemon.pid}/fd")), threads, len(children)

        def visit(_: int) -> None:
            client = daemon.another()
            assert client.call("get_entity", entity_id=entity)["name"] == "one"
            client.hang_up()

        def after(visits: int) -> tuple[int, int, int]:
            with ThreadPoolExecutor(12) as many:
                list(many.map(visit, range(visits)))
            seen = [held()]
            for _ in eventually():  # the last connections are closed
                seen.append(held())
                if len(seen) > 20 and len(set(seen[-20:])) == 1:
                    break
            return seen[-1]

        rounds = [after(200)]
        for _ in range(5):  # readers are made when they are first needed, and there are at most twelve
            rounds.append(after(200))
            if all(abs(one - other) <= 2 for one, other in zip(rounds[-2], rounds[-1], strict=True)):
                break
        else:
            pytest.fail(f"it grows with each round: {rounds}")


def keeping() -> float:
    """The slope where as much is kept of each call."""
    kept: list[bytes] = []
    points = []
    for step in range(8):
        kept.extend(bytes(200_000) + b"." for _ in range(200))
        points.append((step * 200.0, float(resident())))
    return slope(points)


def test_a_house_can_be_watched_growing():
    """The control of the measure: what is kept for each call shows in the slope."""
    assert alone("keeping()") > 150_000
