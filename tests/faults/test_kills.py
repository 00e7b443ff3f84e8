"""Killed at any moment, and at every named one: what was acknowledged is there once, and nothing is there by half."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from sophia.opening import Opened, opened
from tests.support.beneath import bare, faults, owned
from tests.support.process import Process, eventually, prepared, running, settings
from tests.support.terms import FULL

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def names(place: Path) -> Counter[str]:
    """The names of all entities, with how often each is there; the state is checked on the way."""
    with owned(place) as (ownership, keys), bare(ownership, keys) as db:
        assert faults(db, keys.seal) == []
        return Counter(str(row[0]) for row in db.execute("SELECT name FROM entity"))


def killed_while_writing(place: Path, chance: random.Random) -> list[str]:
    """What a house acknowledged before it was killed at a random moment after its first write."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.support.writer", str(place)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert child.stdout
    first = child.stdout.readline()
    assert first
    time.sleep(chance.uniform(0, 0.15))
    os.kill(child.pid, signal.SIGKILL)
    rest = child.stdout.read()
    child.wait(10)
    child.stdout.close()
    return [first.strip(), *rest.split("\n")[:-1]]


def kill_over_and_over(place: Path, times: int) -> None:
    chance = random.Random(times)
    acknowledged: list[str] = []
    for _ in range(times):
        acknowledged += killed_while_writing(place, chance)
    found = names(place)
    assert len(acknowledged) > times
    assert set(acknowledged) <= set(found)
    assert max(found.values()) == 1
    assert len(found) - len(acknowledged) <= times, "at most one write of each run was not acknowledged"


@pytest.mark.guarantee("4.1")
def test_no_kill_loses_what_was_acknowledged(tmp_path: Path):
    kill_over_and_over(tmp_path, 12)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.guarantee("4.1")
def test_no_kill_of_many_loses_what_was_acknowledged(tmp_path: Path):
    kill_over_and_over(tmp_path, 200)


def write_over_http(place: Path, token: str, entities: list[str], times: int) -> None:
    """Four clients whose daemon is killed again and again, and that repeat what was not acknowledged."""
    chance = random.Random(7)
    acknowledged: list[tuple[str, int]] = []
    counts = [0] * len(entities)
    open_keys: dict[int, int] = {}

    def client(who: int, daemon: Process) -> None:
        mine = daemon.another()
        while True:
            n = open_keys.get(who) or counts[who] + 1
            open_keys[who], counts[who] = n, n
            try:
                name = f"{who}-{n}"
                told = mine.call("update_entity", entity_id=entities[who], name=name, idempotency_key=name)
            except (OSError, http.client.HTTPException, json.JSONDecodeError):
                return
            assert "mutation_seq" in told, told
            acknowledged.append((f"{who}-{n}", told["mutation_seq"]))
            del open_keys[who]

    for _ in range(times):
        with running(place, token) as daemon:
            threads = [threading.Thread(target=client, args=(who, daemon)) for who in range(len(entities))]
            for thread in threads:
                thread.start()
            had = len(acknowledged)
            for _ in eventually():
                if len(acknowledged) > had + 4:
                    break
            time.sleep(chance.uniform(0, 0.1))
            daemon.signal(signal.SIGKILL)
            for thread in threads:
                thread.join(20)
    with owned(place) as (ownership, keys), bare(ownership, keys) as db:
        assert faults(db, keys.seal) == []
        stored = [
            (str(name), int(str(seq)))
            for name, seq in db.execute(
                "SELECT json_extract(after, '$.name'), mutation_seq FROM mutation_change WHERE op = 'update'"
            )
        ]
    assert len(acknowledged) > 4 * times
    assert set(acknowledged) <= set(stored), "each is there, under the number that was told"
    assert max(Counter(name for name, _ in stored).values()) == 1
    assert len(stored) - len(set(acknowledged)) <= len(open_keys)


@pytest.mark.guarantee("4.2")
@pytest.mark.timeout(180)
def test_no_kill_of_the_daemon_loses_or_doubles_a_write(tmp_path: Path):
    token, entities = prepared(tmp_path, *"abcd")
    write_over_http(tmp_path, token, entities, 8)


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.guarantee("4.2")
def test_no_kill_of_the_daemon_of_many_loses_or_doubles_a_write(tmp_path: Path):
    token, entities = prepared(tmp_path, *"abcd")
    write_over_http(tmp_path, token, entities, 40)


ACTS: dict[str, Callable[[Opened, dict[str, str]], object]] = {
    "write": lambda house, ids: house.parts.dispatcher.call(
        house.parts.owner, "update_entity", {"entity_id": ids["entity"], "name": "two", "idempotency_key": "k"}
    ),
    "mint": lambda house, _: house.parts.mint.mint(FULL, "owner"),
    "revoke": lambda house, ids: house.parts.mint.revoke(ids["connection"], "owner"),
    "approve": lambda house, ids: house.parts.approvals.approve(ids["approval"], "owner"),
}
POINTS = {
    "write": ("before_journal", "after_journal", "before_commit", "after_commit"),
    "mint": ("fence_before_commit:2", "fence_after_commit:2", "ops_before_commit:2", "ops_after_commit:2"),
    "revoke": ("fence_before_commit:2", "fence_after_commit:2", "ops_before_commit:2", "ops_after_commit:2"),
    "approve": ("before_journal", "after_journal", "before_commit", "after_commit", "ops_before_commit:2",
                "ops_after_commit:2"),
}  # fmt: skip
"""The start itself writes the fence and ops once each."""
CASES = [(act, point) for act, points in POINTS.items() for point in points]


def ground(place: Path) -> dict[str, str]:
    """An entity, a connection with a worker of its own, and a request of the connection that waits for the owner."""
    house = opened(settings(place))
    call = house.parts.dispatcher.call
    made = json.loads(call(house.parts.owner, "create_entity", {"kind": "k", "name": "one"}).payload)
    minted, worker = (house.parts.mint.mint(FULL, "owner") for _ in range(2))
    with house.databases.ops.writing() as tx:
        tx.run("UPDATE connection SET parent_id = :p WHERE id = :id", p=minted.connection_id, id=worker.connection_id)
    agent = house.parts.front(None, 0).authenticate(minted.bearer_token.encode())  # type: ignore[arg-type]
    assert agent is not None
    told = json.loads(call(agent, "create_entity", {"kind": "k", "name": "asked"}).payload)
    house.close()
    return {
        "entity": made["entity"]["entity_id"], "connection": minted.connection_id, "worker": worker.connection_id,
        "token": minted.bearer_token, "approval": told["error"]["details"]["approval_id"],
    }  # fmt: skip


def look(place: Path) -> dict[str, object]:
    """What there is, after a start that made whole what was between the two databases."""
    house = opened(settings(place))
    try:
        assert house.databases.state.read_only is None
        with house.databases.state.reading(house.parts.owner) as rows, house.databases.ops.reading() as ops:
            with bare(house.ownership, house.keys) as db:
                assert faults(db, house.keys.seal) == []
                fence = {row[0]: row[1] for row in db.execute("SELECT connection_id, ended FROM party")}
            connections = ops.rows("SELECT id, revoked_at IS NOT NULL AS ended, delivered FROM connection ORDER BY id")
            logged = Counter(row["what"] for row in ops.rows("SELECT what FROM security_event"))
            for row in connections:
                assert fence[row["id"]] == row["ended"], "both databases say the same of each connection"
            return {
                "names": sorted(row["name"] for row in rows.rows("SELECT name FROM entity")),
                "mutations": rows.value("SELECT count(*) FROM mutation"),
                "connections": len(connections),
                "ended": sum(row["ended"] for row in connections),
                "delivered": sum(row["delivered"] for row in connections),
                "approval": ops.value("SELECT status FROM approval"),
                "result": ops.value("SELECT result FROM approval") is not None,
                "logged": {what: logged[what] for what in ("minted", "revoked", "approval_approved")},
            }
    finally:
        house.close()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    """What there is with each act not done (`before`) and done (`write`, `mint` …)."""
    found = {}
    for act in ("before", *ACTS):
        place = tmp_path_factory.mktemp(act)
        ids = ground(place)
        if act != "before":
            house = opened(settings(place))
            ACTS[act](house, ids)
            house.close()
        found[act] = look(place)
    assert len({repr(outcome) for outcome in found.values()}) == 5, "each act can be told from none"
    return found


def killed_at(place: Path, act: str, point: str, ids: dict[str, str]) -> None:
    """A house that is killed at this point of this act."""
    name, _, time_ = point.partition(":")
    program = (
        "import json, sys; from dataclasses import replace; from pathlib import Path\n"
        "from tests.faults.test_kills import ACTS; from tests.support.process import settings\n"
        "from sophia.opening import opened\n"
        "place, act, point, ids = sys.argv[1:]\n"
        "house = opened(replace(settings(Path(place)), failpoint=point))\n"
        "ACTS[act](house, json.loads(ids))\n"
    )
    given = [str(place), act, f"{name}:kill:{time_ or 1}", json.dumps(ids)]
    done = subprocess.run(
        [sys.executable, "-c", program, *given], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.mark.guarantee("4.3", "P14", "M9", "D10", "J2")
@pytest.mark.parametrize(("act", "point"), CASES, ids=lambda value: value.replace(":", "-"))
def test_an_act_that_is_killed_at_a_named_point_is_done_or_not_done(
    tmp_path: Path, outcomes: dict[str, dict[str, object]], act: str, point: str
):
    ids = ground(tmp_path)
    killed_at(tmp_path, act, point, ids)
    found = look(tmp_path)
    done = "after_commit" in point or point.startswith("ops_after") or (act != "mint" and point.startswith("ops"))
    if act == "mint" and point.startswith("fence"):
        done = False  # the fence admits it, and no connection of that id was ever made
    assert found == outcomes[act if done else "before"]
    assert look(tmp_path) == found, "the next start finds nothing more to do"
    if act == "approve" and not done:
        house = opened(settings(tmp_path))
        assert house.parts.approvals.approve(ids["approval"], "owner").status == "approved"
        house.close()
        assert look(tmp_path) == outcomes["approve"]


BOOT = ("boot_owned", "boot_unlocked", "state_made", "mid_migrate", "mid_migrate:2", "ops_made", "boot_opened",
        "ops_before_commit", "ops_after_commit", "fence_after_commit", "boot_reconciled")  # fmt: skip


@pytest.mark.guarantee("L20", "4.3")
@pytest.mark.parametrize("point", BOOT, ids=lambda value: value.replace(":", "-"))
def test_a_first_start_that_is_killed_anywhere_leaves_a_directory_that_starts(tmp_path: Path, point: str):
    name, _, time_ = point.partition(":")
    program = (
        "import sys; from dataclasses import replace; from pathlib import Path\n"
        "from tests.support.process import settings; from sophia.opening import opened\n"
        "opened(replace(settings(Path(sys.argv[1])), failpoint=sys.argv[2]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), f"{name}:kill:{time_ or 1}"], capture_output=True, text=True,
        timeout=60, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL, done.stderr
    house = opened(settings(tmp_path))
    assert house.databases.state.read_only is None
    assert not house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": "n"}).is_error
    house.close()
    assert names(tmp_path) == {"n": 1}
