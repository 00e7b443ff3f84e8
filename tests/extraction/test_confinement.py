"""The child ends with who started it, whatever it is at."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.processes import ROOT, until

DEAF = """
import os, sys, signal
from sophia.extraction.confinement import confine
from sophia.extraction.limits import Limits
confine(Limits(), int(sys.argv[1]))
print(os.getpid(), flush=True)
while True:
    signal.pause()
"""
PARENT = """
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())]).wait()
"""


def is_gone(pid: int) -> bool | None:
    """Whether a process is no more, or waits for nothing but to be counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z" or None
    except OSError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_child_that_hears_nothing_is_ended_with_its_parent():
    with subprocess.Popen([sys.executable, "-c", PARENT, DEAF], stdout=subprocess.PIPE, cwd=ROOT) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        parent.kill()
        try:
            until(lambda: is_gone(child), 2)
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_child_whose_parent_died_before_it_could_ask_ends_by_itself():
    ran = subprocess.run([sys.executable, "-c", DEAF, "1"], capture_output=True, timeout=8, check=False, cwd=ROOT)
    assert (ran.returncode, ran.stdout) == (0, b"")


@pytest.mark.parametrize("said", [b"", b"\0\0", b"\0\0\0\x09half"], ids=["nothing", "half a header", "half a file"])
def test_a_child_ends_where_what_it_reads_ends(said: bytes):
    command = [sys.executable, "-m", "sophia.extraction.worker", "{}", str(os.getpid())]
    ran = subprocess.run(command, input=said, capture_output=True, timeout=8, check=False, cwd=ROOT)
    assert (ran.returncode, ran.stdout) == (0, b"")
