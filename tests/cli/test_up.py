"""The first minute."""

import shlex
import socket
import subprocess
import time
from pathlib import Path

from sophia.cli.main import main
from sophia.cli.snippets import snippets
from tests.support.daemon import Place, place


def source(at: Place) -> Path:
    folder = at.root / "my notes"
    folder.mkdir()
    (folder / "first.md").write_text(
        "# My notes\n\nThe lighthouse at the northern cape was built in 1874 by Ada Lovell. It still stands.\n"
        "\nLast painted: 12 May 2025\n"
    )
    return folder


def port() -> str:
    """A port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        return str(held.getsockname()[1])


def test_up_brings_a_fresh_directory_to_life_and_again_in_a_moment():
    with place(SOPHIA_PORT=port(), SOPHIA_PRESENCE="terminal") as at:
        folder = source(at)
        try:
            told = at.ask("up", str(folder))
            assert told["started"]
            assert told["mcp_url"] == f"http://127.0.0.1:{at.environ['SOPHIA_PORT']}/mcp"
            assert "left_out" not in told, "the run that makes the directory needs no presence"
            assert told["imported"]["documents"] == 1
            assert "sections" in told["oriented"]
            assert "'My notes'" in told["searched"]
            assert "built in 1874" in told["claimed"]
            (fact,) = told["facts"]
            assert (fact["about"], fact["predicate"], fact["object"]) == ("My notes", "last_painted", "2025-05-12")
            assert (fact["quote"], fact["source"]) == ("Last painted: 12 May 2025", "My notes")
            (one,) = at.ask("connections", "--all")
            assert (one["name"], one["status"]) == ("first-look", "revoked")
            begun = time.monotonic()
            again = at.ask("up", str(folder))
            assert time.monotonic() - begun < 5
            assert (again["started"], again["pid"]) == (False, told["pid"])
            assert "terminal" in again["left_out"], "now the owner has to be there"
            assert at.ask("connections") == []
        finally:
            at.ask("stop")


def test_up_shows_people_how_to_connect_their_clients():
    with place(SOPHIA_PORT=port()) as at:
        try:
            said = at.sophia("up", str(source(at)))
            assert said.code == 0, said
            for name in ("Claude Code", "Codex", "Cursor"):
                assert f"Connect {name}:" in said.out
            assert at.environ["SOPHIA_PORT"] in said.out
            assert "sophia connect codex --project ." in said.out
            assert "My notes · last painted · 2025-05-12" in said.out
            assert "Where to look next:" in said.out
        finally:
            at.ask("stop")


def test_up_ends_as_the_daemon_would_where_it_cannot_start():
    with place() as at, socket.create_server(("127.0.0.1", 0)) as other:
        said = at.sophia("up", str(at.root), SOPHIA_PORT=str(other.getsockname()[1]))
        assert said.code == 89
        assert '"port_in_use"' in said.err


def test_what_is_not_taken_in_is_not_toured_and_nothing_is_said_to_be_readable():
    with place(SOPHIA_PORT=port()) as at:
        try:
            said = at.sophia("up", str(at.root / "nowhere"))
            assert said.code == 1
            assert "not taken in" in said.out
            for line in ("searched", "left out", "Agents may read"):
                assert line not in said.out
            assert at.ask("connections", "--all") == []
        finally:
            at.ask("stop")


def test_a_file_by_itself_is_looked_for_and_lets_agents_read_no_folder():
    with place(SOPHIA_PORT=port()) as at:
        letter = at.root / "letter.txt"
        letter.write_text("The code of the gate is in the blue letter.")
        try:
            said = at.sophia("up", str(letter))
            assert said.code == 0, said
            assert "1 document speaks of 'letter', first 'letter'" in said.out
            assert "Agents may read" not in said.out
        finally:
            at.ask("stop")


def test_without_a_path_it_takes_the_repository_around():
    with place(SOPHIA_PORT=port()) as at:
        (at.root / "repository" / "deep").mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(at.root / "repository")], check=True)
        try:
            told = subprocess.run(
                at.command("up", "--json"), cwd=at.root / "repository" / "deep", env=at.environ, capture_output=True,
                text=True, check=True, stdin=subprocess.DEVNULL,
            )  # fmt: skip
            assert f'"source": "{(at.root / "repository").resolve()}"' in told.stdout
        finally:
            at.ask("stop")


def test_every_client_is_told_of_by_a_command_that_there_is():
    for lines in snippets().values():
        for line in lines.splitlines():
            words = shlex.split(line, comments=True)[1:]
            with main.make_context("sophia", words) as context:
                command = main.get_command(context, words[0])
            assert command is not None
            assert command.make_context(words[0], words[1:]).params["client"] == words[1]
