"""The supervisor's files."""

import configparser
import os
import plistlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sophia.cli import units
from sophia.core.refusals import REFUSALS
from sophia.settings import Settings
from tests.support.daemon import Place, place


def parsed(text: str) -> configparser.ConfigParser:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    return unit


def test_systemd_does_not_start_again_what_refused_to_start(tmp_path: Path):
    service = parsed(units.text("systemd", Settings(data_dir=tmp_path)))["Service"]
    assert service["RestartPreventExitStatus"].split() == [str(code) for code in range(80, 90)]
    assert [int(code) for code in service["RestartPreventExitStatus"].split()] == [r.exit_code for r in REFUSALS]
    assert service["Restart"] == "on-failure"
    assert service["UMask"] == "0077"
    assert "serve --port 7342 --host 127.0.0.1" in service["ExecStart"]


@pytest.mark.parametrize("name", ["with space", "100%", "$HOME", "a'b"])
def test_a_path_of_any_kind_stays_one_word(name: str, tmp_path: Path):
    text = units.text("systemd", Settings(data_dir=tmp_path / name))
    line = next(line for line in text.splitlines() if "SOPHIA_DATA_DIR" in line)
    told = line.removeprefix("Environment=").replace("%%", "%").replace("$$", "$")
    words = subprocess.run(["/bin/sh", "-c", f"printf '%s\\n' {told}"], capture_output=True, text=True, check=True)
    assert words.stdout == f"SOPHIA_DATA_DIR={tmp_path / name}\n"


def test_launchd_starts_again_after_a_crash_alone(tmp_path: Path):
    told = plistlib.loads(units.text("launchd", Settings(data_dir=tmp_path / "a&b")).encode())
    assert told["KeepAlive"] == {"Crashed": True}
    assert told["EnvironmentVariables"]["SOPHIA_DATA_DIR"] == str(tmp_path / "a&b")
    assert told["ProgramArguments"][-5:] == ["serve", "--port", "7342", "--host", "127.0.0.1"]


@pytest.fixture
def supervised(tmp_path: Path) -> Iterator[Place]:
    """A user with a supervisor that keeps what it is told."""
    (tmp_path / "bin").mkdir()
    for name in ("systemctl", "launchctl"):
        program = tmp_path / "bin" / name
        program.write_text(
            f'#!/bin/sh\necho "$@" >> {tmp_path}/acts\n[ ! -e {tmp_path}/broken ] || {{ echo no >&2; exit 1; }}\n'
        )
        program.chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    with place(XDG_CONFIG_HOME=str(tmp_path), HOME=str(tmp_path), PATH=path) as at:
        yield at


def test_the_file_is_written_where_the_supervisor_looks_and_taken_up(supervised: Place, tmp_path: Path):
    told = supervised.ask("service", "install")
    written = Path(told["written"])
    assert tmp_path in written.parents
    shown = supervised.sophia("service", "show", "--kind", units.kind()).out
    assert written.read_text() == shown == supervised.sophia("service", "install", "--print").out
    assert written.stat().st_mode & 0o077 == 0
    assert told["started"]
    acts = (tmp_path / "acts").read_text()
    assert "enable --now sophia" in acts or f"load -w {written}" in acts
    assert supervised.ask("service", "install", "--no-start")["then"]
    ended = supervised.ask("service", "uninstall")
    assert (ended["removed"], ended["stopped"]) == (str(written), True)
    assert not written.exists()
    assert supervised.ask("service", "uninstall")["removed"] is None


def test_a_supervisor_that_does_not_is_told_of(supervised: Place, tmp_path: Path):
    (tmp_path / "broken").touch()
    told = supervised.ask("service", "install")
    assert (told["started"], told["said"].endswith(": no")) == (False, True)
    assert told["then"]
    none = supervised.ask("service", "install", PATH=str(tmp_path))
    assert "There is no" in none["said"]


def test_a_file_that_somebody_else_wrote_is_neither_written_over_nor_taken_away(supervised: Place):
    written = Path(supervised.ask("service", "install", "--no-start")["written"])
    written.write_text("[Service]\nExecStart=/mine\n")
    for act in ("install", "uninstall"):
        assert supervised.sophia("service", act, "--json").error["code"] == "conflict"
    assert "/mine" in written.read_text()
