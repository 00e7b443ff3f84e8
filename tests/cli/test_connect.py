"""Connecting clients: what each of them reads afterwards, and what stays as it was."""

import json
import re
import stat
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from sophia.cli import hints
from tests.support.as_clients import READERS, Server, claude_code
from tests.support.daemon import Daemon, Said, place, running

BEARER = re.compile(r"sophia_[A-Za-z0-9_-]{43}")
FILES = {"claude-code": ".claude.json", "cursor": ".cursor/mcp.json", "codex": ".codex/config.toml"}


@dataclass(frozen=True)
class Desk:
    """A user with a home and a project, beside a daemon."""

    daemon: Daemon
    home: Path
    project: Path

    def said(self, *words: str) -> Said:
        return replace(self.daemon, environ=self.environ).sophia(*words)

    def ask(self, *words: str) -> Any:
        said = self.said(*words, "--json")
        assert said.code == 0, said
        return said.json

    def connect(self, client: str, *words: str) -> Any:
        return self.ask("connect", client, "--project", str(self.project), *words)

    @property
    def environ(self) -> dict[str, str]:
        return self.daemon.environ | {"HOME": str(self.home)}

    def reads(self, client: str, told: dict[str, Any], project: Path | None = None) -> Server:
        """The server as this client would reach it, from a shell that has read what it was told to."""
        environ = dict(self.environ)
        if told["env_file"]:
            shell = ["/bin/sh", "-c", f". '{told['env_file']}'; printf %s \"${told['variable']}\""]
            environ[told["variable"]] = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
        return READERS[client](self.home, project or self.project, environ)["sophia"]

    def live(self) -> set[str]:
        return {one["connection_id"] for one in self.ask("connections")}


@pytest.fixture(scope="module")
def served() -> Iterator[Daemon]:
    with place() as at, running(at) as daemon:
        yield daemon


@pytest.fixture
def desk(served: Daemon, tmp_path: Path) -> Desk:
    (tmp_path / "home").mkdir()
    project = tmp_path / "work" / "notes"
    (project / ".git").mkdir(parents=True)
    return Desk(served, tmp_path / "home", project)


@contextmanager
def untouched(desk: Desk, *paths: Path) -> Iterator[None]:
    """Nothing was minted or rotated, and nothing written, in the block."""
    connections = [one | {"last_seen": None, "request_count": None} for one in desk.ask("connections", "--all")]
    before = [path.read_bytes() for path in paths]
    yield
    assert [path.read_bytes() for path in paths] == before
    assert [one | {"last_seen": None, "request_count": None} for one in desk.ask("connections", "--all")] == connections


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("own", [True, False], ids=["user", "project"])
def test_a_client_that_is_connected_reads_its_file_and_gets_through(desk: Desk, client: str, own: bool):
    told = desk.ask("connect", client) if own else desk.connect(client)
    names, orient = desk.reads(client, told).met()
    assert all(name.startswith("sophia_") for name in names), "some clients refuse a list for one dot"
    row = next(one for one in desk.ask("connections") if one["connection_id"] == told["connection_id"])
    assert (row["surface"], row["name_style"], row["delivered"]) == ("core", "underscore", True)
    assert (row["profile"], row["write_approval_mode"]) == ("assistant", "per_call")
    assert row["name"] == (client if own else f"{client} in notes")
    assert row["request_count"] > 0 or orient
    assert "sections" in orient


@pytest.mark.parametrize("client", FILES)
def test_once_more_the_same_connection_gets_a_new_bearer(desk: Desk, client: str):
    first = desk.connect(client)
    before, live = desk.reads(client, first), desk.live()
    again = desk.connect(client)
    assert (again["connection_id"], again["rotated"], first["rotated"]) == (first["connection_id"], True, False)
    assert desk.live() == live
    now = desk.reads(client, again)
    assert now.headers != before.headers
    now.met()


def test_a_connection_that_was_revoked_is_made_anew(desk: Desk):
    first = desk.connect("cursor")
    desk.ask("revoke", first["connection_id"])
    again = desk.connect("cursor")
    assert again["connection_id"] != first["connection_id"]
    desk.reads("cursor", again).met()


def test_two_projects_of_one_name_are_two_parties(desk: Desk, tmp_path: Path):
    other = tmp_path / "elsewhere" / "notes"
    other.mkdir(parents=True)
    first, second = desk.connect("claude-code"), desk.ask("connect", "claude-code", "--project", str(other))
    assert first["connection_id"] != second["connection_id"]
    assert desk.reads("claude-code", first) != desk.reads("claude-code", second, other)
    desk.reads("claude-code", first).met()


def test_a_connection_of_that_name_is_taken_over_and_of_two_none(desk: Desk):
    made = desk.ask("mint", "--name", "claude-code in journal")
    project = desk.project.with_name("journal")
    project.mkdir()
    told = desk.ask("connect", "claude-code", "--project", str(project))
    assert (told["connection_id"], told["rotated"]) == (made["connection_id"], True)
    project = desk.project.with_name("diary")
    project.mkdir()
    for _ in range(2):
        desk.ask("mint", "--name", "cursor in diary")
    said = desk.said("connect", "cursor", "--project", str(project), "--json")
    assert "revoke all but one" in said.error["message"]
    assert not (project / ".cursor").exists()


def test_a_project_may_be_called_what_no_connection_may(desk: Desk):
    project = desk.project.with_name("server")
    project.mkdir()
    told = desk.ask("connect", "cursor", "--project", str(project))
    assert re.fullmatch(r"cursor in [0-9a-f]{8}", told["name"])


@pytest.mark.parametrize("client", ["cursor", "codex", "claude-code"])
def test_no_bearer_lies_in_a_project(desk: Desk, client: str):
    desk.connect(client, "--hints")
    files = [path for path in desk.project.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert not BEARER.search(path.read_text()), path


def test_no_bearer_lies_in_a_home_that_is_a_repository(desk: Desk):
    (desk.home / ".git").mkdir()
    for client, file in FILES.items():
        told = desk.ask("connect", client)
        assert not BEARER.search((desk.home / file).read_text())
        desk.reads(client, told).met()


@pytest.mark.parametrize("client", FILES)
def test_what_holds_a_bearer_is_its_owners_alone(desk: Desk, client: str):
    file = desk.home / FILES[client]
    file.parent.mkdir(exist_ok=True)
    file.write_text("")
    file.chmod(0o644)
    told = desk.ask("connect", client)
    holding = [path for path in (*desk.home.rglob("*"), *desk.daemon.keys.rglob("*")) if path.is_file()]
    holding = [path for path in holding if BEARER.search(path.read_text("utf-8", "replace"))]
    assert holding
    for path in holding:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    if told["env_file"]:
        assert stat.S_IMODE(Path(told["env_file"]).parent.stat().st_mode) == 0o700


def test_a_file_without_a_bearer_keeps_its_mode(desk: Desk):
    file = desk.project / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('model = "m"\n')
    file.chmod(0o664)
    desk.connect("codex")
    assert stat.S_IMODE(file.stat().st_mode) == 0o664


def test_other_servers_and_everything_else_in_json_stay(desk: Desk):
    file = desk.home / ".claude.json"
    before = {
        "numStartups": 41, "cut": "half \ud83d", "mcpServers": {"other": {"command": "x", "args": ["ä"]}},
        "projects": {str(desk.project): {"allowedTools": ["Bash"], "mcpServers": {"third": {"type": "sse"}}}},
        "lastCost": 0.1234567,
    }  # fmt: skip
    file.write_text(json.dumps(before, indent=4))
    desk.connect("claude-code")
    text = file.read_text()
    after = json.loads(text)
    assert after["projects"][str(desk.project)]["mcpServers"].pop("sophia")["type"] == "http"
    assert after == before
    assert list(after) == list(before)
    assert '\n    "numStartups"' in text


def test_what_claude_code_keeps_of_a_project_is_all_there_when_it_is_new(desk: Desk):
    desk.connect("claude-code")
    kept = json.loads((desk.home / ".claude.json").read_text())["projects"][str(desk.project)]
    assert kept["allowedTools"] == []
    assert list(kept["mcpServers"]) == ["sophia"]


def test_other_servers_and_comments_in_toml_stay(desk: Desk):
    file = desk.home / ".codex" / "config.toml"
    file.parent.mkdir()
    before = (
        '# mine\nmodel = "m"   # the large one\n\n[mcp_servers.other]\ncommand = "x"\nargs = [ "a",\n  "b" ] # two\n'
        '\n[mcp_servers.sophia]\nurl = "http://127.0.0.1:1/mcp"\nstartup_timeout_sec = 20 # slow disk\n'
        'http_headers = { Authorization = "Bearer old" }\n\n[profiles.fast]\nmodel = "s"\n'
    )
    file.write_text(before)
    told = desk.ask("connect", "codex")
    after = file.read_text()
    for line in (
        "# mine",
        "# the large one",
        '  "b" ] # two',
        "startup_timeout_sec = 20 # slow disk",
        "[profiles.fast]",
    ):
        assert line in after
    assert "Bearer old" not in after
    assert tomllib.loads(after)["mcp_servers"]["other"] == {"command": "x", "args": ["a", "b"]}
    desk.reads("codex", told).met()


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude-code", "{ not json"), ("claude-code", "[]"), ("claude-code", '{"projects": 3}'),
        ("cursor", '{"mcpServers": []}'), ("cursor", "// mine\n{}"), ("cursor", "\x00\x01"), ("codex", "a = = 1"),
        ("codex", "mcp_servers = 3"), ("codex", '[mcp_servers.sophia]\ncommand = "mine"'),
        ("cursor", '{"mcpServers": {"sophia": {"command": "mine"}}}'),
    ],
    ids=str,
)  # fmt: skip
def test_a_file_that_cannot_be_added_to_is_refused_before_anything_is_minted(desk: Desk, client: str, text: str):
    file = (desk.home if client == "claude-code" else desk.project) / FILES[client]
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    with untouched(desk, file):
        said = desk.said("connect", client, "--project", str(desk.project), "--json")
        assert "nothing was written" in said.error["message"]
        assert said.error["hint"]


@pytest.mark.parametrize("client", FILES)
@pytest.mark.parametrize("own", [True, False], ids=["user", "project"])
@pytest.mark.parametrize("whole", [True, False], ids=["file", "folder"])
def test_a_link_is_not_followed(desk: Desk, tmp_path: Path, client: str, own: bool, whole: bool):
    base = desk.home if own or client == "claude-code" else desk.project
    outside = tmp_path / "outside"
    outside.mkdir()
    file = base / FILES[client]
    if whole or client == "claude-code":
        file.parent.mkdir(exist_ok=True)
        target = outside / "target"
        target.write_text("")
        file.symlink_to(target)
    else:
        target = outside / file.name
        target.write_text("")
        file.parent.symlink_to(outside)
    with untouched(desk, target):
        words = [] if own else ["--project", str(desk.project)]
        error = desk.said("connect", client, *words, "--json").error
        assert error["code"] == "not_permitted"
        assert "link" in error["message"]
    assert [*outside.iterdir()] == [target]


def test_printing_writes_nothing(desk: Desk):
    for client in (*FILES, "json"):
        told = desk.connect(client, "--print", "--hints")
        assert told["written"] == []
        assert BEARER.fullmatch(told["bearer_token"])
        assert told["mcp_url"] in told["config"]
    printed = json.loads(desk.connect("claude-code", "--print")["config"])
    assert list(printed) == ["projects"], "pasted into the shared file of the project, it would be committed"
    assert not [*desk.home.iterdir()]
    assert [path.name for path in desk.project.iterdir()] == [".git"]
    said = desk.said("connect", "codex", "--project", str(desk.project), "--print")
    assert "bearer_token_env_var" in said.out
    assert re.search(r"^export SOPHIA_CODEX_NOTES_[0-9A-F]{8}_TOKEN=sophia_", said.out, re.MULTILINE)


def test_what_is_printed_connects_any_client(desk: Desk):
    one = json.loads(desk.ask("connect", "json")["config"])["mcpServers"]["sophia"]
    Server(one["url"], one["headers"]).met()


def test_a_project_tells_its_agents_once_where_to_start(desk: Desk):
    memory = desk.project / "CLAUDE.md"
    memory.write_text("# Mine\n\nBe brief.")
    for _ in range(2):
        desk.connect("claude-code", "--hints")
    text = memory.read_text()
    assert text.startswith("# Mine\n\nBe brief.\n\n<!-- sophia:begin -->")
    assert text.count(hints.BEGIN) == 1
    assert "sophia_orient" in text
    memory.write_text(text.replace("Start every session", "OLD") + "\nMore of mine.\n")
    desk.connect("claude-code", "--hints")
    assert memory.read_text() == text + "\nMore of mine.\n"
    settings = json.loads((desk.project / ".claude" / "settings.local.json").read_text())
    (start,) = settings["hooks"]["SessionStart"]
    command = start["hooks"][0]["command"]
    said = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert said.strip() == hints.REMINDER


def test_hints_go_to_the_one_text_that_a_project_keeps_for_all(desk: Desk, tmp_path: Path):
    (desk.project / "AGENTS.md").write_text("# All\n")
    (desk.project / "CLAUDE.md").symlink_to("AGENTS.md")
    desk.connect("claude-code", "--hints")
    assert hints.BEGIN in (desk.project / "AGENTS.md").read_text()
    assert (desk.project / "CLAUDE.md").is_symlink()
    desk.connect("codex", "--hints")
    assert (desk.project / "AGENTS.md").read_text().count(hints.BEGIN) == 1
    assert desk.said("connect", "codex", "--hints").code == 2
    outside = tmp_path / "outside.md"
    outside.write_text("")
    (desk.project / "CLAUDE.md").unlink()
    (desk.project / "CLAUDE.md").symlink_to(outside)
    with untouched(desk, outside):
        assert desk.said("connect", "claude-code", "--project", str(desk.project), "--hints", "--json").error


def test_a_hook_that_is_there_stays(desk: Desk):
    file = desk.project / ".claude" / "settings.local.json"
    file.parent.mkdir()
    mine = {"matcher": "startup", "hooks": [{"type": "command", "command": "mine"}]}
    file.write_text(json.dumps({"permissions": {"allow": ["x"]}, "hooks": {"SessionStart": [mine]}}))
    desk.connect("claude-code", "--hints")
    settings = json.loads(file.read_text())
    assert settings["permissions"] == {"allow": ["x"]}
    assert settings["hooks"]["SessionStart"][0] == mine
    assert len(settings["hooks"]["SessionStart"]) == 2


def test_a_second_working_copy_is_the_same_project_to_claude_code(desk: Desk, tmp_path: Path):
    main = tmp_path / "main"
    copy = tmp_path / "copy"
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-C", str(main)]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(copy)], check=True, capture_output=True)
    (copy / "deep").mkdir()
    told = desk.ask("connect", "claude-code", "--project", str(copy / "deep"))
    for root in (main, copy):
        claude_code(desk.home, root.resolve(), desk.environ)["sophia"].met()
    assert told["project"] == str(copy.resolve())


def test_clients_may_keep_their_files_elsewhere(desk: Desk, tmp_path: Path):
    elsewhere = {"CLAUDE_CONFIG_DIR": str(tmp_path / "c"), "CODEX_HOME": str(tmp_path / "x")}
    for path in elsewhere.values():
        Path(path).mkdir()
    there = replace(desk, daemon=replace(desk.daemon, environ=desk.daemon.environ | elsewhere))
    for client in ("claude-code", "codex"):
        there.reads(client, there.ask("connect", client)).met()
    assert not [*desk.home.iterdir()]


def test_who_keeps_no_keys_here_may_connect_a_client_too(desk: Desk, tmp_path: Path):
    """As where a supervisor runs the daemon with directories of its own."""
    elsewhere = desk.daemon.environ | {"SOPHIA_KEY_DIR": str(tmp_path / "none" / "keys")}
    there = replace(desk, daemon=replace(desk.daemon, environ=elsewhere), project=desk.project.with_name("atlas"))
    there.project.mkdir()
    told = there.connect("codex")
    there.reads("codex", told).met()
    assert there.connect("codex")["rotated"]


def test_what_is_disconnected_is_revoked_and_its_file_left_to_its_owner(desk: Desk):
    told = desk.connect("codex")
    file = desk.project / ".codex" / "config.toml"
    before = file.read_text()
    ended = desk.ask("disconnect", "codex", "--project", str(desk.project))
    assert ended["revoked"] == [told["connection_id"]]
    assert str(file) in ended["then"]
    assert file.read_text() == before
    assert not Path(told["env_file"]).exists()
    assert desk.said("disconnect", "codex", "--project", str(desk.project), "--json").error["code"] == "not_found"


def test_people_are_told_what_was_written_and_what_to_do(desk: Desk):
    said = desk.said("connect", "codex", "--project", str(desk.project))
    assert "Connected: codex in notes" in said.out
    assert "bearer_token" not in said.out
    assert not BEARER.search(said.out), "it is in its file, and need not be on the screen"
    assert ".env" in said.out
    again = desk.said("connect", "codex", "--project", str(desk.project))
    assert "A new bearer for codex in notes" in again.out
    assert "Revoked" in desk.said("disconnect", "codex", "--project", str(desk.project)).out


@pytest.mark.parametrize("words", [("connect",), ("connect", "emacs"), ("connect", "codex", "--project", "/none")])
def test_wrong_usage_is_told(desk: Desk, words: tuple[str, ...]):
    assert desk.said(*words).code == 2


def test_without_the_owner_nothing_is_minted_and_nothing_written(tmp_path: Path):
    with place(SOPHIA_PRESENCE="terminal", HOME=str(tmp_path)) as at, running(at) as daemon:
        for words in (("connect", "cursor"), ("connect", "json"), ("connect", "codex", "--print")):
            said = daemon.sophia(*words, "--json")
            assert said.error["code"] == "presence_refused"
            assert not BEARER.search(said.out)
        assert daemon.ask("connections") == []
        assert not [*tmp_path.iterdir()]
        assert not (daemon.keys / "clients").exists()


def test_projects_of_one_name_and_of_other_scripts_share_no_variable(desk: Desk, tmp_path: Path):
    told = []
    for name in ("a/notes", "b/notes", "заметки", "メモ"):
        (tmp_path / name).mkdir(parents=True)
        told.append(desk.ask("connect", "codex", "--project", str(tmp_path / name)))
    assert len({one["variable"] for one in told}) == 4
    assert all(re.fullmatch(r"SOPHIA_CODEX_[A-Z0-9_]+_TOKEN", one["variable"]) for one in told)
    again = desk.ask("connect", "codex", "--project", str(tmp_path / "a" / "notes"))
    assert again["variable"] == told[0]["variable"]
    for one, name in zip([again, *told[1:]], ("a/notes", "b/notes", "заметки", "メモ"), strict=True):
        desk.reads("codex", one, tmp_path / name).met()


@pytest.mark.parametrize(
    "written",
    [
        '{"size": 1e400}',
        '{"size": NaN}',
        '{"size": 0.1234567890123456789}',
        '{"a": 1, "a": 2}',
        '{"b": [{"c": 1, "c": 1}]}',
    ],
)
def test_what_would_be_written_back_changed_is_left_alone(desk: Desk, written: str):
    file = desk.home / ".claude.json"
    file.write_text(written)
    with untouched(desk, file):
        said = desk.said("connect", "claude-code")
        assert (said.code != 0, "nothing was written" in said.err, "--print" in said.err) == (True, True, True)


def test_a_home_that_is_not_there_is_refused_before_anything_is_minted(desk: Desk, tmp_path: Path):
    for home in (str(tmp_path / "absent"), "", "relative"):
        astray = replace(desk, daemon=replace(desk.daemon, environ=desk.daemon.environ | {"HOME": home}))
        for client in FILES:
            with untouched(desk):
                said = astray.daemon.sophia("connect", client)
            assert said.code != 0
            assert "Traceback" not in said.err
            assert ("HOME" if not home.startswith("/") else "There is no folder") in said.err
    assert not Path("/.codex").exists()
