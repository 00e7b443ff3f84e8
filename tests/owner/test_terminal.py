"""The terminal of a process, as the kernel tells it."""

import os
import subprocess
import sys

import pytest

from sophia.owner.terminal import Terminal, from_ps, terminal_of
from tests.support.pty import at_terminal

SAYS = "import os, sys; from sophia.owner.terminal import terminal_of; print(terminal_of(os.getpid()))"


@pytest.mark.guarantee("PR1")
def test_a_process_in_a_pipe_has_none():
    told = subprocess.run(
        [sys.executable, "-c", SAYS], stdin=subprocess.PIPE, capture_output=True, text=True, check=True,
        start_new_session=True,
    )  # fmt: skip
    assert told.stdout.strip() == "None"


def test_a_process_at_a_terminal_has_that_one():
    with at_terminal([sys.executable, "-c", SAYS]) as screen:
        assert screen.ended() == 0
        assert "Terminal(device=" in screen.shown


def test_a_process_that_has_a_terminal_and_reads_from_elsewhere_has_none():
    with at_terminal(["/bin/sh", "-c", f'"{sys.executable}" -c "{SAYS}" < /dev/null']) as screen:
        assert screen.ended() == 0
        assert "None" in screen.shown


def test_two_programs_of_one_session_share_a_terminal_and_another_session_has_another():
    twice = f'"{sys.executable}" -c "{SAYS}"; "{sys.executable}" -c "{SAYS}"'
    shown = []
    for _ in range(2):
        with at_terminal(["/bin/sh", "-c", twice]) as screen:
            screen.ended()
            first, second = [line for line in screen.shown.splitlines() if line.startswith("Terminal")]
            assert first == second
            shown.append(first)
    assert shown[0] != shown[1]


def test_a_process_that_is_not_there_has_none():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert terminal_of(child.pid) is None
    assert terminal_of(0) is None
    assert os.getpid()


@pytest.mark.parametrize(
    ("line", "terminal"),
    [("ttys003  1f2e\n", Terminal("ttys003", 0x1F2E, 0)), ("??       0\n", None), ("?  12", None), ("", None)],
)
def test_where_there_is_no_proc_ps_is_asked(line: str, terminal: Terminal | None):
    assert from_ps(line) == terminal
