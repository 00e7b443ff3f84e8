"""A full disk and one that cannot be written to: writes are refused by name, reads answer, and it recovers."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.process import Process, eventually, prepared, refused, running

UNSHARE = shutil.which("unshare")


@contextmanager
def mounted(place: Path, megabytes: int, *on: str) -> Iterator[int]:
    """The pid of a shell in whose namespace each of these folders is a small disk of its own, with what was in it."""
    if UNSHARE is None:
        pytest.skip("util-linux is not installed")
    steps = "".join(
        f"cp -a {place}/{name} {place}/{name}.was; mount -t tmpfs -o size={megabytes}m,mode=700 x {place}/{name};"
        f" cp -a {place}/{name}.was/. {place}/{name}/;"
        for name in on
    )
    shell = subprocess.Popen(
        [UNSHARE, "-rm", "sh", "-c", f"set -e; {steps} echo ready; exec cat"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert shell.stdout
    assert shell.stdin
    assert shell.stderr
    try:
        if shell.stdout.readline() != "ready\n":
            told = shell.stderr.read()
            if "not permitted" in told:
                pytest.skip(f"no user namespaces here: {told}")
            raise AssertionError(told)
        yield shell.pid
    finally:
        shell.communicate(timeout=10)


def within(pid: int) -> tuple[str, ...]:
    return ("nsenter", f"--target={pid}", "--user", "--mount", "--preserve-credentials")


def run(pid: int, script: str) -> None:
    subprocess.run([*within(pid), "sh", "-c", script], check=True, timeout=20, capture_output=True)


def failing(daemon: Process) -> dict[str, object]:
    """What health says once it says that it fails."""
    for _ in eventually():
        told = daemon.call("health")
        if told["status"] == "failing":
            return told
    raise AssertionError


@pytest.mark.guarantee("4.6", "J2")
def test_a_full_disk_refuses_writes_answers_reads_and_recovers(tmp_path: Path):
    token, (entity,) = prepared(tmp_path, "one")
    with mounted(tmp_path, 6, "data") as pid, running(tmp_path, token, within(pid)) as daemon:
        assert daemon.call("update_entity", entity_id=entity, name="two")["mutation_seq"]
        run(pid, f"dd if=/dev/zero of={tmp_path}/data/ballast bs=4k 2>/dev/null || true")
        codes = set()
        for n in range(400):
            told = daemon.call("update_entity", entity_id=entity, name=f"{n}-" + "x" * 190, reason="r" * 400)
            codes.add(told.get("error", {}).get("code"))
            if "error" in told:
                break
        assert codes <= {None, "storage_full"}
        assert "storage_full" in codes
        name = daemon.call("get_entity", entity_id=entity)["name"]
        assert name == "two" or int(name.split("-")[0]) == n - 1, "the last that was acknowledged"
        told = failing(daemon)
        assert told["write_ok"] is False
        assert "FullError" in str(told["reasons"])
        assert (daemon.status("/healthz"), daemon.status("/readyz")) == (200, 503)
        still_failing(daemon)

        run(pid, f"rm {tmp_path}/data/ballast")
        for _ in eventually():
            if daemon.call("health")["write_ok"]:
                break
        assert daemon.call("update_entity", entity_id=entity, name="three")["entity"]["name"] == "three"
        daemon.signal(15)
        assert daemon.ended() == 0
        assert "Traceback" not in daemon.errors()


def still_failing(daemon: Process) -> None:
    """Health does not flutter while nothing has changed: it looks every second."""
    for left in eventually(6):
        assert daemon.call("health")["write_ok"] is False
        if left < 3:
            return


@pytest.mark.guarantee("4.6", "4.29")
def test_a_daemon_on_a_full_disk_still_ends_cleanly(tmp_path: Path):
    token, (entity,) = prepared(tmp_path, "one")
    with mounted(tmp_path, 6, "data") as pid, running(tmp_path, token, within(pid)) as daemon:
        run(pid, f"dd if=/dev/zero of={tmp_path}/data/ballast bs=4k 2>/dev/null || true")
        while "error" not in daemon.call("update_entity", entity_id=entity, name="x" * 190, reason="r" * 400):
            pass
        daemon.signal(15)
        assert daemon.ended() == 0
        assert "Traceback" not in daemon.errors()


@pytest.mark.guarantee("4.7")
def test_a_disk_that_turns_read_only_under_a_daemon_leaves_the_reads(tmp_path: Path):
    token, (entity,) = prepared(tmp_path, "one")
    with mounted(tmp_path, 6, "data") as pid, running(tmp_path, token, within(pid)) as daemon:
        assert daemon.call("update_entity", entity_id=entity, name="two")["mutation_seq"]
        # Files that are open for writing keep a mount from turning read-only; a disk that fails does not ask.
        run(pid, f"mount -o bind,ro {tmp_path}/data {tmp_path}/data && mount -o remount,bind,ro {tmp_path}/data")
        assert daemon.call("get_entity", entity_id=entity)["name"] == "two"
        daemon.signal(15)
        assert daemon.ended() == 0


@pytest.mark.guarantee("4.7")
def test_a_directory_that_cannot_be_written_to_is_refused_by_name(tmp_path: Path):
    token, _ = prepared(tmp_path, "one")
    with mounted(tmp_path, 6, "data") as pid:
        run(pid, f"mount -o remount,ro {tmp_path}/data")
        code, told = refused(tmp_path, before=within(pid))
        assert code == 84
        assert "Read-only file system" in told
        assert "Traceback" not in told
    assert token


@pytest.mark.guarantee("4.7", "4.6")
def test_a_first_start_on_a_full_disk_is_refused_and_the_next_one_starts(tmp_path: Path):
    (tmp_path / "data").mkdir(mode=0o700)
    with mounted(tmp_path, 4, "data") as pid:
        run(pid, f"dd if=/dev/zero of={tmp_path}/data/ballast bs=4k 2>/dev/null || true")
        code, told = refused(tmp_path, before=within(pid))
        assert code in (81, 84, 86)
        assert "Traceback" not in told
        assert "damaged" not in told
        run(pid, f"rm {tmp_path}/data/ballast")
        with running(tmp_path, "", within(pid)) as daemon:
            assert daemon.status("/readyz") == 200


@pytest.mark.guarantee("4.6")
def test_what_is_noted_outside_may_fail_without_the_daemon(tmp_path: Path):
    """The anchor's directory is on a full disk of its own: the state is served, and noted when there is room."""
    token, (entity,) = prepared(tmp_path, "one")
    with mounted(tmp_path, 1, "keys") as pid:
        run(pid, f"dd if=/dev/zero of={tmp_path}/keys/ballast bs=512 2>/dev/null || true")
        with running(tmp_path, token, within(pid)) as daemon:
            assert daemon.call("update_entity", entity_id=entity, name="two")["mutation_seq"]
            daemon.signal(15)
            assert daemon.ended() == 0
    assert os.path.exists(tmp_path / "keys")
