"""The supervisor's files."""

import configparser
import plistlib
import subprocess
from pathlib import Path

import pytest

from sophia.cli import units
from sophia.core.refusals import REFUSALS
from sophia.settings import Settings
from tests.support.daemon import place


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


def test_the_file_is_written_where_the_supervisor_looks(tmp_path: Path):
    with place(XDG_CONFIG_HOME=str(tmp_path), HOME=str(tmp_path)) as at:
        told = at.ask("service", "install")
        written = Path(told["written"])
        assert written.read_text() == at.sophia("service", "show", "--kind", units.kind()).out
        assert written.stat().st_mode & 0o077 == 0
        assert "systemctl" in told["then"] or "launchctl" in told["then"]
