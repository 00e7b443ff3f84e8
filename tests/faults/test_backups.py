"""Backups of a daemon that many write to, or whose disk is full: each is a whole state of one moment, or none."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sophia.opening import opened
from sophia.store.verify import verified
from tests.faults.test_storage import mounted, run, within
from tests.support.backups import put_back
from tests.support.beneath import bare, owned
from tests.support.daemon import SOPHIA
from tests.support.process import Process, environment, eventually, prepared, running, settings

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


def sophia(place: Path, *words: str, before: tuple[str, ...] = ()) -> tuple[int, Any]:
    """How a command of the owner's ended, and what it answered."""
    told = subprocess.run(
        [*before, *SOPHIA, *words, "--json"], env=environment(place), capture_output=True, text=True, timeout=100,
        check=False, cwd=ROOT,
    )  # fmt: skip
    return told.returncode, json.loads(told.stdout) if told.stdout else told.stderr


@contextmanager
def writers(daemon: Process, count: int) -> Iterator[list[int]]:
    """Clients that go on writing over HTTP; the mutations that were acknowledged to any of them."""
    acknowledged: list[int] = []
    stop = threading.Event()

    def write(who: int) -> None:
        one = daemon.another()
        while not stop.wait(0.005):
            n = len(acknowledged)
            told = one.call("add_document", title=f"notes {who}-{n}", body="word " * 50, tags=[f"t{n}"])
            acknowledged.append(told["mutation_seq"])
        one.hang_up()

    threads = [threading.Thread(target=write, args=(who,)) for who in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        stop.set()
        for thread in threads:
            thread.join(30)


def chain(place: Path) -> dict[int, str]:
    """The hash of each mutation: one that is the same is of the same journal up to it."""
    with owned(place) as (ownership, keys), bare(ownership, keys) as db:
        return {int(seq): str(link) for seq, link in db.execute("SELECT seq, hash FROM mutation")}


@pytest.mark.guarantee("4.26")
def test_each_backup_under_load_is_a_prefix_of_the_journal_and_its_rows_are_what_that_says(tmp_path: Path):
    token, _ = prepared(tmp_path)
    backups = []
    with running(tmp_path, token) as daemon, writers(daemon, 4) as acknowledged:
        for n in range(4):
            for _ in eventually():
                if len(acknowledged) > 40 * (n + 1):
                    break
            before = max(acknowledged)
            code, told = sophia(tmp_path, "backup", str(tmp_path / f"b{n}"))
            assert code == 0, told
            assert told["mutations"] >= before, "what was acknowledged before is in it"
            backups.append(told["mutations"])
            assert sophia(tmp_path, "verify")[1]["ok"]
        assert daemon.call("health")["status"] == "ok"
        daemon.hang_up()
    assert backups == sorted(set(backups))
    whole = chain(tmp_path)
    for n, seq in enumerate(backups):
        again = tmp_path / f"again{n}"
        assert put_back(tmp_path / f"b{n}", again, keys=tmp_path / "keys")["ok"]
        house = opened(replace(settings(again), key_dir=tmp_path / "keys"))
        try:
            assert house.databases.state.read_only is None
            assert house.databases.state.head.seq == seq
            assert verified(house.ownership, house.keys).whole, "the rows are the fold of the journal"
            with bare(house.ownership, house.keys) as db:
                kept = {int(one): str(link) for one, link in db.execute("SELECT seq, hash FROM mutation")}
        finally:
            house.close()
        assert kept == {one: link for one, link in whole.items() if one <= seq}


@pytest.mark.guarantee("4.26", "L16")
def test_a_restore_over_a_live_owner_exits_with_80(tmp_path: Path):
    token, _ = prepared(tmp_path, "one")
    with running(tmp_path, token):
        assert sophia(tmp_path, "backup", str(tmp_path / "b"))[0] == 0
        code, told = sophia(tmp_path, "restore", str(tmp_path / "b"))
        assert (code, json.loads(told)["refused"]) == (80, "owner_live")
    assert sophia(tmp_path, "restore", str(tmp_path / "b"))[0] == 1, "and without one, into an empty directory only"


@pytest.mark.guarantee("4.26")
def test_a_full_disk_takes_no_half_of_a_backup_and_a_full_data_disk_still_gives_one(tmp_path: Path):
    token, (entity,) = prepared(tmp_path, "one")
    for name in ("out", "roomy"):
        (tmp_path / name).mkdir(mode=0o700)
    with mounted(tmp_path, 1, "out") as pid, running(tmp_path, token, within(pid)) as daemon:
        for n in range(60):
            daemon.call("update_entity", entity_id=entity, name=f"{n}-" + os.urandom(90).hex(), reason="r" * 400)
        code, told = sophia(tmp_path, "backup", str(tmp_path / "out" / "b"), before=within(pid))
        assert (code, told["error"]["code"]) == (1, "storage_full"), told
        run(pid, f'test -z "$(ls -A {tmp_path}/out)"')
        code, told = sophia(tmp_path, "backup", str(tmp_path / "roomy" / "b"), before=within(pid))
        assert code == 0, told
    with mounted(tmp_path, 8, "data") as pid, running(tmp_path, token, within(pid)):
        run(pid, f"dd if=/dev/zero of={tmp_path}/data/ballast bs=4k 2>/dev/null || true")
        code, told = sophia(tmp_path, "backup", str(tmp_path / "roomy" / "c"), before=within(pid))
        assert code == 0, told
    assert put_back(tmp_path / "roomy" / "c", tmp_path / "again", keys=tmp_path / "keys")["ok"]


KILLED = """
import os, signal, sys
from pathlib import Path
from sophia.opening import opened
from sophia.owner.desk import Desk
from sophia.owner.office import Office
from tests.support.process import settings
house = opened(settings(Path(sys.argv[1])))
def progress(step):
    if step["step"] == sys.argv[3]:
        os.kill(os.getpid(), signal.SIGKILL)
desk = Desk.of(Office.of(house, "", serving=False, fresh=True))
desk.answer({"command": "backup", "arguments": {"path": sys.argv[2]}}, os.getpid(), progress)
"""


@pytest.mark.guarantee("4.26")
@pytest.mark.parametrize("at", ["copying", "checking", "writing"])
def test_a_backup_that_is_killed_leaves_the_one_before_and_the_data_as_they_were(tmp_path: Path, at: str):
    prepared(tmp_path, "one")
    assert sophia(tmp_path, "backup", str(tmp_path / "b"))[0] == 0
    before = (tmp_path / "b").read_bytes()
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), str(tmp_path / "b"), at], cwd=ROOT, timeout=60, check=False
    )
    assert killed.returncode == -9
    assert (tmp_path / "b").read_bytes() == before
    assert sophia(tmp_path, "verify")[1]["ok"]
    assert sophia(tmp_path, "backup", str(tmp_path / "b"))[0] == 0
    assert not (tmp_path / ".b.part").exists(), "what the killed one left is gone"
