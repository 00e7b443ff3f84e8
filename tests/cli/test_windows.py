"""Windows with a connection of their own, run with clients that read what they are given as the real ones do."""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon, place, running
from tests.support.pty import at_terminal

CLIENT = """\
#!{python}
import json, os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from tests.support import as_clients

words = sys.argv[1:]
if Path(sys.argv[0]).name == "codex":
    given = [word for last, word in zip(words, words[1:]) if last == "-c"]
    server = as_clients.codex(Path("/nowhere"), Path("/nowhere"), os.environ, *given)["sophia"]
else:
    config = next(word.partition("=")[2] for word in words if word.startswith("--mcp-config="))
    server = as_clients.claude_server(json.loads(config)["mcpServers"]["sophia"], os.environ)
names, orient = server.met()
def heard(number, frame):
    print(f"heard {{signal.Signals(number).name}}", flush=True)
    sys.exit(9)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, heard)
print(json.dumps({{"names": names, "words": words, "pid": os.getpid(), "orient": orient, "tty": sys.stdin.isatty(),
                  "token": server.headers["Authorization"]}}), flush=True)
if "--wait" in words:
    while True:
        signal.pause()
os.kill(os.getpid(), 9) if "--die" in words else sys.exit(7)
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Daemon]:
    with place() as at:
        programs = at.root / "programs"
        programs.mkdir()
        for name in ("claude", "codex"):
            (programs / name).write_text(CLIENT.format(python=sys.executable, here=str(Path.cwd())))
            (programs / name).chmod(0o755)
        at.environ["PATH"] = f"{programs}{os.pathsep}{at.environ['PATH']}"
        with running(at) as daemon:
            yield daemon


@pytest.fixture(params=["claude-code", "codex"])
def client(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@contextmanager
def window(served: Daemon, client: str, *words: str) -> Generator[tuple["subprocess.Popen[str]", dict[str, Any]]]:
    """A window that is open, and what its client said when it had connected."""
    process = subprocess.Popen(
        served.command("run", client, "--", *words), env=served.environ, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            assert selector.select(20), "the client did not connect in time"
        line = process.stdout.readline()
        assert line, process.communicate(timeout=10)
        yield process, json.loads(line)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # the client too, where its window is gone
        process.communicate(timeout=20)


def eventually(true: Callable[[], bool], within_s: float = 10.0) -> None:
    until = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < until
        time.sleep(0.02)


def live(served: Daemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = served.ask("connections")
    return found


def test_a_client_runs_with_a_connection_that_ends_with_it(served: Daemon, client: str):
    said = served.command("run", client, "--", "--flag", "a prompt")
    done = subprocess.run(
        said, env=served.environ, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 7, done.stderr
    told = json.loads(done.stdout)
    assert told["words"][-2:] == ["--flag", "a prompt"]
    assert all(name.startswith("sophia_") for name in told["names"])
    assert "sections" in told["orient"]
    (one,) = [one for one in served.ask("connections", "--all") if one["name"].startswith(client)][-1:]
    assert (one["status"], one["revoke_reason"]) == ("revoked", "`sophia run` ended")
    assert one["name"].startswith(f"{client} in ")
    assert live(served) == []


def test_two_windows_are_two_parties_and_no_bearer_is_seen_in_their_words(served: Daemon):
    with window(served, "claude-code", "--wait") as (_, one), window(served, "claude-code", "--wait") as (_, other):
        assert one["token"] != other["token"]
        assert len({each["name"] for each in live(served)}) == 2
        for told in (one, other):
            assert told["token"].removeprefix("Bearer ") not in json.dumps(told["words"])
            assert "${SOPHIA_RUN_TOKEN}" in json.dumps(told["words"])
    eventually(lambda: live(served) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_reaches_the_client_and_the_connection_ends(served: Daemon, client: str, number: signal.Signals):
    with window(served, client, "--wait") as (process, _):
        process.send_signal(number)
        out, _ = process.communicate(timeout=20)
        assert out == f"heard {number.name}\n"
        assert process.returncode == 9
        assert live(served) == []


def test_a_client_that_dies_is_told_as_a_shell_tells_it(served: Daemon):
    said = subprocess.run(
        served.command("run", "codex", "--", "--die"), env=served.environ, capture_output=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert said.returncode == 128 + 9
    assert live(served) == []


def test_a_window_that_is_killed_ends_its_connection_too(served: Daemon):
    with window(served, "claude-code", "--wait") as (process, _):
        assert len(live(served)) == 1
        process.kill()
        eventually(lambda: live(served) == [])


def test_what_is_typed_reaches_the_client_and_it_decides(served: Daemon):
    with at_terminal(served.command("run", "claude-code", "--", "--wait"), served.environ) as screen:
        screen.until('"tty": true')
        os.write(screen.master, b"\x03")
        screen.until("heard SIGINT")
        assert screen.ended() == 9
    assert live(served) == []


def test_where_there_is_nothing_to_run_or_to_connect_to_nothing_is_minted(served: Daemon):
    missing = served.environ | {"PATH": "/nowhere"}
    done = subprocess.run(served.command("run", "codex"), env=missing, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "PATH" in done.stderr
    assert live(served) == []
    with place(PATH=served.environ["PATH"]) as nobody:
        said = nobody.sophia("run", "codex")
        assert (said.code, "sophia up" in said.err) == (1, True)
        assert not nobody.data.exists()


def test_a_window_goes_on_when_the_daemon_is_gone(served: Daemon):
    with (
        place(PATH=served.environ["PATH"]) as at,
        running(at) as daemon,
        window(daemon, "claude-code", "--wait") as (process, _),
    ):
        daemon.stopped()
        assert process.poll() is None
        process.terminate()
        out, err = process.communicate(timeout=20)
        assert "heard SIGTERM" in out
        assert "ends at" in err
        assert process.returncode == 9
