"""What `doctor` finds in the clients' files."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sophia.cli.client_checks import watches
from tests.support.daemon import Daemon, place, running


@pytest.fixture(scope="module")
def served() -> Iterator[Daemon]:
    with place() as at, running(at) as daemon:
        yield daemon


@pytest.fixture
def desk(served: Daemon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    """A user whose home and folder at hand are empty, and to whom no client is known."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    yield replace(served, environ=served.environ | {"HOME": str(tmp_path)})
    for record in (served.keys / "clients").glob("*"):
        record.unlink()


def found(desk: Daemon, name: str) -> dict[str, Any]:
    (check,) = [one for one in desk.sophia("doctor", "--json").json["checks"] if one["check"] == name]
    assert isinstance(check, dict)
    return check


def test_what_is_connected_is_tried(desk: Daemon, tmp_path: Path):
    project = tmp_path / "notes"
    project.mkdir()
    for words in (["claude-code"], ["codex", "--project", str(project)], ["cursor"], ["json"]):
        desk.ask("connect", *words)
    told = desk.ask("doctor")
    assert told["ok"]
    connected = [one for one in told["checks"] if "it connects" in one["told"]]
    assert [one["check"] for one in connected] == ["claude-code", "codex in notes", "cursor"]
    assert desk.sophia("doctor").code == 0


def test_a_bearer_that_was_revoked_is_found_and_how_to_mend_it(desk: Daemon, tmp_path: Path):
    project = tmp_path / "my notes"
    project.mkdir()
    desk.ask("revoke", desk.ask("connect", "codex", "--project", str(project))["connection_id"])
    check = found(desk, "codex in my notes")
    assert "revoked" in check["told"]
    assert f"connect codex --project {shlex.quote(str(project))}" in check["fix"]
    assert desk.sophia("doctor").code == 1
    desk.ask("connect", "codex", "--project", str(project))
    assert found(desk, "codex in my notes")["ok"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda servers: servers.clear(), "no server called sophia"),
        (lambda servers: servers["sophia"].update(url="http://127.0.0.1:1/mcp"), "it points to http://127.0.0.1:1/mcp"),
        (lambda servers: servers["sophia"]["headers"].clear(), "its bearer is not to be had"),
        (lambda servers: servers["sophia"]["headers"].update(Authorization="Bearer ${env:GONE}"), "GONE"),
    ],
)
def test_a_file_that_was_changed_is_found(desk: Daemon, tmp_path: Path, change: Any, told: str):
    desk.ask("connect", "cursor")
    file = tmp_path / ".cursor" / "mcp.json"
    whole = json.loads(file.read_text())
    change(whole["mcpServers"])
    file.write_text(json.dumps(whole))
    assert told in found(desk, "cursor")["told"]
    assert not found(desk, "cursor")["ok"]
    file.write_text("{")
    assert "cannot be read" in found(desk, "cursor")["told"]


def test_a_bearer_that_others_may_read_is_found(desk: Daemon, tmp_path: Path):
    desk.ask("connect", "claude-code")
    file = tmp_path / ".claude.json"
    file.chmod(0o644)
    check = found(desk, "bearer in .claude.json")
    assert "read by others" in check["told"]
    assert check["fix"] == f"chmod 600 {file}"


def test_a_bearer_in_a_repository_is_found(desk: Daemon, tmp_path: Path):
    (tmp_path / "here" / ".git").mkdir()
    bearer = desk.ask("mint", "--name", "pasted")["bearer_token"]
    (tmp_path / "here" / ".mcp.json").write_text(json.dumps({"headers": {"Authorization": f"Bearer {bearer}"}}))
    check = found(desk, "bearer in .mcp.json")
    assert "repository" in check["told"]
    assert bearer not in json.dumps(check)


def test_without_a_daemon_files_are_still_read():
    with place() as at:
        at.environ["HOME"] = str(at.root)
        at.ask("connect", "cursor")
        told = at.ask("doctor")
        assert next(one for one in told["checks"] if one["check"] == "cursor")["told"].endswith("as it was written")


def test_too_few_folders_to_watch_are_told(tmp_path: Path):
    limit = tmp_path / "limit"
    limit.write_text("100\n")
    assert not watches(limit)[0]["ok"]
    limit.write_text("1000000\n")
    assert watches(limit)[0]["ok"]
    assert watches(tmp_path / "none") == []


def test_each_setting_is_shown_with_where_it_came_from(desk: Daemon):
    told = {one["setting"]: one for one in desk.ask("doctor", "--config")["config"]}
    assert told["presence"]["from"] == "environment (SOPHIA_PRESENCE)"
    assert told["log_level"]["from"] == "default"
