"""What lies in the data directory is its owner's alone, whatever the umask, and after a crash."""

import signal
import stat
from pathlib import Path

import pytest

from tests.support.daemon import Place, place, running


def modes(root: Path) -> dict[str, int]:
    return {
        str(path.relative_to(root)): stat.S_IMODE(path.lstat().st_mode)
        for path in (root, *root.rglob("*"))
        if path.exists()
    }


def private(at: Place) -> None:
    for root in (at.data, at.keys):
        for name, mode in modes(root).items():
            directory = (root / name).is_dir()
            assert mode == (0o700 if directory else 0o600), (root.name, name, oct(mode))


@pytest.mark.guarantee("4.19", "A10")
@pytest.mark.parametrize("umask", [0o000, 0o077], ids=["umask 000", "umask 077"])
def test_files_are_private_while_running_after_a_crash_and_after_the_end(umask: int):
    with place() as at:
        with running(at, umask=umask) as daemon:
            daemon.ask("mint", "--name", "a")
            daemon.ask("call", "create_entity", '{"kind": "person", "name": "Ada"}')
            private(at)
            assert daemon.stopped(signal.SIGKILL).code == -signal.SIGKILL
            private(at)
        with running(at, umask=umask) as daemon:
            assert daemon.ask("verify")["ok"]
            private(at)
            assert daemon.stopped().code == 0
        private(at)


@pytest.mark.guarantee("A10")
def test_the_log_keeps_its_mode_when_it_is_rotated():
    with place() as at:
        at.ask("connections")
        (at.data / "log" / "sophia.log").write_bytes(b"x" * 10_000_000)
        with running(at) as daemon:
            daemon.ask("status")
            assert (at.data / "log" / "sophia.log.1").exists()
            private(at)


@pytest.mark.guarantee("4.29")
def test_two_terminations_and_a_hangup_end_it_once_and_whole():
    with running() as daemon:
        daemon.process.send_signal(signal.SIGHUP)
        daemon.process.send_signal(signal.SIGPIPE)
        assert daemon.ask("status")["running"]
        daemon.process.send_signal(signal.SIGTERM)
        said = daemon.stopped(signal.SIGTERM, 15)
        assert said.code == 0, said
        assert not (daemon.data / "sophia.sock").exists()
        assert not list(daemon.data.glob("*-wal")) or all(p.stat().st_size == 0 for p in daemon.data.glob("*-wal"))
