"""The tests themselves keep away from the owner's directories."""

import hashlib
import os
import socket
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from tests import pinned

ROOT = Path(__file__).parents[1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a live data directory of Sophia in it."""
    data = tmp_path / ".local" / "share" / "sophia"
    data.mkdir(parents=True)
    (data / "state.db").write_bytes(os.urandom(4096))
    return tmp_path


def run_some_tests(home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "tests/core/test_ids.py"],
        cwd=ROOT,
        env=kept | {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def fingerprint(directory: Path) -> list[tuple[str, int, str]]:
    return [
        (path.name, path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "")
        for path in sorted([directory, *directory.rglob("*")])
    ]


def data_directory_below(home: Path) -> Path:
    asked = subprocess.run(
        [sys.executable, "-c", "import platformdirs; print(platformdirs.user_data_dir('sophia', appauthor=False))"],
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(asked.stdout.strip())


@pytest.mark.guarantee("T26")
def test_without_a_named_directory_the_tests_make_their_own_and_leave_a_live_one_alone(home: Path):
    live = data_directory_below(home)
    live.mkdir(parents=True, exist_ok=True)
    before = fingerprint(live)
    finished = run_some_tests(home)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert fingerprint(live) == before


@pytest.mark.guarantee("T26")
@pytest.mark.parametrize("name", ["SOPHIA_DATA_DIR", "SOPHIA_KEY_DIR"])
def test_the_tests_refuse_to_run_on_a_live_directory(home: Path, name: str):
    live = data_directory_below(home)
    finished = run_some_tests(home, **{name: str(live / ".." / "sophia")})
    assert finished.returncode == 3
    assert f"{name} names a real directory of Sophia" in finished.stdout + finished.stderr
    assert "passed" not in finished.stdout


@pytest.mark.guarantee("T26")
def test_a_test_that_opens_the_live_directory_is_stopped():
    live = Path(platformdirs.user_data_dir("sophia", appauthor=False))
    with pytest.raises(pinned.NotPinnedError):
        (live / "state.db").read_bytes()
    with pytest.raises(pinned.NotPinnedError):
        list(live.iterdir())
    assert Path(os.environ["SOPHIA_DATA_DIR"]).parent.is_dir()


@pytest.mark.guarantee("T26")
def test_sophia_is_not_imported_before_the_directory_is_pinned():
    finished = subprocess.run(
        [sys.executable, "-c", "import sophia.core.ids; from tests import pinned; pinned.pin({})"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode != 0
    assert "sophia was imported before" in finished.stderr


def test_a_test_that_connects_beyond_this_machine_is_stopped():
    with socket.socket() as outward, pytest.raises(pinned.NotPinnedError):
        outward.connect(("192.0.2.1", 9))
