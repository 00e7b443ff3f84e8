"""Why Sophia would not start, as a supervisor is told it: the exit code, and one JSON line on standard error."""

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

from sophia.core.refusals import REFUSALS
from sophia.store.databases import open_databases
from sophia.store.engine import connect
from sophia.store.keys import unlock
from sophia.store.ownership import acquire, release
from sophia.system_clock import SystemClock
from tests.support.daemon import SOPHIA, Place, Said, place, prints, running
from tests.support.processes import until
from tests.support.pty import at_terminal

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "exit_codes.json").read_text())


def refused(said: Said, code: int) -> dict[str, object]:
    """What is told with this exit code, under the name that it has for good."""
    assert said.code == code, said
    (line,) = said.err.splitlines()
    told: dict[str, object] = json.loads(line)
    assert told["exit"] == code
    assert told["refused"] == next(refusal.name for refusal in REFUSALS if refusal.exit_code == code)
    assert said.out == ""
    return told


def serve(at: Place, *options: str, **environ: str) -> Said:
    return at.sophia("serve", "--port", "0", *options, **environ)


def patched(at: Place, before: str) -> Said:
    """`sophia serve` in an interpreter that something was done to before."""
    program = f"{before}\nfrom sophia.cli.main import main\nmain(['serve', '--port', '0'])"
    told = subprocess.run(
        [SOPHIA[0], "-c", program], env=at.environ, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=30, check=False,
    )  # fmt: skip
    return Said(told.returncode, told.stdout, told.stderr)


def test_each_code_is_in_the_golden_table():
    assert json.dumps(GOLDEN).count("80") >= 1
    assert [refusal.exit_code for refusal in REFUSALS] == list(range(80, 90))


def test_80_another_owner_is_live():
    with running() as daemon:
        told = refused(serve(daemon), 80)
        assert str(daemon.pid) in str(told["message"])


def test_at_a_terminal_a_refusal_is_told_in_words():
    with place(SOPHIA_HOST="0.0.0.0") as at, at_terminal([*SOPHIA, "serve"], at.environ) as screen:
        assert screen.ended() == 85
        assert screen.shown.startswith("bind_not_loopback: ")
        assert "Set SOPHIA_HOST to 127.0.0.1" in screen.shown
        assert "{" not in screen.shown


def test_81_a_directory_that_is_a_link():
    with place() as at:
        at.data.symlink_to(at.root)
        refused(serve(at), 81)


def test_82_a_lock_that_is_a_pipe():
    with place() as at:
        at.data.mkdir(mode=0o700)
        os.mkfifo(at.data / "owner.lock")
        refused(serve(at), 82)
        refused(at.sophia("mint", "--name", "a"), 82)


@pytest.mark.guarantee("L13")
def test_83_a_lock_that_is_taken_away_from_under_a_daemon():
    with running() as daemon:
        (daemon.data / "owner.lock").unlink()
        refused(Said(*_ended(daemon)), 83)
        with running(Place(daemon.root, daemon.environ)) as newcomer:
            assert newcomer.ask("status")["running"]


def _ended(daemon: object) -> tuple[int, str, str]:
    said = daemon.ended(15)  # type: ignore[attr-defined]
    return said.code, "", said.err


def test_84_a_file_system_that_locks_nothing():
    with place() as at:
        refused(patched(at, "import errno, fcntl\ndef no(*_): raise OSError(errno.ENOLCK, 'no')\nfcntl.flock = no"), 84)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.com", ""])
def test_85_an_address_that_is_not_loopback(host: str):
    with place() as at:
        said = serve(at, "--host", host)
        if host:
            refused(said, 85)
        assert said.code != 0
        assert not at.data.exists(), "before anything is made"


def test_86_a_key_that_is_gone_or_another_one():
    with place() as at:
        at.ask("connections")
        (key,) = at.keys.glob("*.key")
        kept = key.read_bytes()
        key.unlink()
        told = refused(serve(at), 86)
        assert "key" in str(told["message"])
        key.write_bytes(bytes(len(kept)))
        key.chmod(0o600)
        refused(at.sophia("connections"), 86)


@pytest.mark.parametrize("mode", [None, 0o644], ids=["gone", "open to others"])
def test_86_is_explained_by_the_doctor(mode: int | None):
    with place() as at:
        at.ask("connections")
        (key,) = at.keys.glob("*.key")
        key.unlink() if mode is None else key.chmod(mode)
        said = at.sophia("doctor", "--config", "--json")
        assert said.code == 86
        told = json.loads(said.out)
        (check,) = told["checks"]
        assert (told["ok"], check["ok"], check["check"]) == (False, False, "db_unavailable")
        assert str(key) in check["told"]
        assert check["fix"]
        assert {one["setting"]: one["value"] for one in told["config"]}["data_dir"] == str(at.data)
        assert json.loads(said.err)["exit"] == 86
        shown = at.sophia("doctor")
        assert shown.code == 86
        assert "what mends it" in shown.out


def test_87_a_database_of_a_newer_version():
    with place() as at:
        at.ask("connections")
        ownership = acquire(at.data)
        keys = unlock(ownership, at.keys, False)
        db = connect(ownership, at.data / "state.db", keys.state)
        db.execute("PRAGMA user_version = 9999")
        db.close()
        release(ownership)
        files = list(at.data.rglob("*.db*"))
        before = prints(files)
        refused(serve(at), 87)
        assert prints(files) == before


def test_88_a_library_that_is_too_old():
    with place() as at:
        refused(patched(at, "import sophia.store.engine as engine\nengine.OLDEST_SAFE = (9, 9, 9)"), 88)


def test_89_a_port_that_is_taken():
    with place() as at, socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = refused(at.sophia("serve", "--port", str(port)), 89)
        assert str(port) in str(told["message"])
        assert until(lambda: at.ask("status")["running"] is False or None)


def test_a_wrong_setting_is_an_error_in_words():
    with place() as at:
        said = serve(at, SOPHIA_PRESENCE="sometimes")
        assert said.code == 1
        assert said.err.startswith("bad_setting: ")
        assert not at.data.exists()


def test_databases_are_opened_by_their_owner_only():
    with place() as at:
        ownership = acquire(at.data)
        keys = unlock(ownership, at.keys, False)
        release(ownership)
        with pytest.raises(TypeError):
            open_databases(ownership, keys, SystemClock())
