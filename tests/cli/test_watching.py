"""Waiting for what agents ask."""

import json
import os
import selectors
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from sophia.cli.failed import Failed
from sophia.cli.session import Session
from sophia.cli.snippets import command
from tests.support.daemon import Daemon, place, running


def filed(daemon: Daemon, name: str, kind: str = "person") -> str:
    """A request that now waits for the owner."""
    session = Session(daemon.mcp, daemon.ask("mint", "--name", f"asking for {name}")["bearer_token"])
    with pytest.raises(Failed) as pending:
        session.call("create_entity", kind=kind, name=name)
    approval_id: str = pending.value.error["details"]["approval_id"]
    return approval_id


@contextmanager
def watching(daemon: Daemon, *words: str, **environ: str) -> Generator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        daemon.command("approvals", "--watch", *words), env=daemon.environ | environ, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=20)


def line(process: "subprocess.Popen[str]") -> str:
    """The next line, read byte by byte: what is read ahead would be waited for in vain."""
    assert process.stdout
    got = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while not got.endswith(b"\n"):
            assert selector.select(20), "nothing was shown in time"
            byte = os.read(process.stdout.fileno(), 1)
            assert byte, "it ended"
            got += byte
    return got.decode()


def test_what_waits_is_shown_and_what_comes_in_as_it_comes(daemon: Daemon):
    first = filed(daemon, "Ada")
    with watching(daemon, "--json") as process:
        while json.loads(line(process))["approval_id"] != first:
            pass  # what others asked before
        for name in ("Grace", "Mary"):
            approval_id = filed(daemon, name)
            told: dict[str, Any] = json.loads(line(process))
            assert (told["approval_id"], told["arguments"]["name"]) == (approval_id, name)
        daemon.ask("deny", first)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "", "")


def test_people_read_what_would_change_and_how_to_decide(daemon: Daemon):
    with watching(daemon) as process:
        approval_id = filed(daemon, "The cape", kind="place")
        seen = ""
        while f"sophia deny {approval_id}" not in seen:
            seen += line(process)
        assert f"{command()} approve {approval_id}\n" in seen, "as it is called from any folder"
        assert "new entity" in seen
        assert "kind: place" in seen
        assert '"op"' not in seen
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0
        assert "Traceback" not in err
        assert "Aborted" not in err


def test_the_desktop_is_told_in_words_that_are_no_markup(daemon: Daemon):
    programs = daemon.root / "programs"
    programs.mkdir()
    told = daemon.root / "told"
    (programs / "notify-send").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}.new && mv {told}.new {told}\n')
    (programs / "notify-send").chmod(0o755)
    with watching(daemon, "--json", PATH=f"{programs}:{daemon.environ['PATH']}") as process:
        filed(daemon, "<b>Bold</b> --help")
        while "Bold" not in line(process):
            pass
        filed(daemon, "another, so that the first was told")
        while "another" not in line(process):
            pass
    words = told.read_text().splitlines()
    assert words[:3] == ["--app-name=Sophia", "--", "Sophia: an agent asks"]
    assert "<b>" not in words[3]
    assert "sophia.create_entity" in words[3]


def test_without_a_daemon_nothing_is_waited_for():
    with place() as at:
        said = at.sophia("approvals", "--watch", "--json")
        assert said.error["code"] == "unavailable"
        assert not at.data.exists()


def test_a_daemon_that_ends_does_not_wait_for_who_watches():
    with running() as daemon, watching(daemon) as process:
        filed(daemon, "Ada")
        line(process)
        assert daemon.stopped(within_s=5).code == 0
        _, err = process.communicate(timeout=20)
        assert process.returncode == 1
        assert "The daemon ended" in err
