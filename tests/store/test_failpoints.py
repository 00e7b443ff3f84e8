"""Failpoints do nothing unless they are asked for by name."""

import os
import signal
import subprocess
import sys

import pytest

from sophia.core.errors import Unavailable
from sophia.store.failpoints import Failpoints


def test_nothing_happens_where_none_or_another_is_asked_for():
    for spec in ("", "other:fail", "other:kill"):
        Failpoints(spec).reach("here")


def test_the_one_that_is_asked_for_fails_at_its_time_and_from_then_on():
    point = Failpoints("here:fail:3")
    point.reach("here")
    point.reach("here")
    for _ in range(2):
        with pytest.raises(Unavailable, match="failpoint here"):
            point.reach("here")


def test_the_one_that_is_asked_to_kill_sends_the_signal_that_nothing_can_catch(monkeypatch: pytest.MonkeyPatch):
    sent: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "kill", lambda *signal_: sent.append(signal_))
    with pytest.raises(Unavailable):
        Failpoints("here:kill").reach("here")
    assert sent == [(os.getpid(), signal.SIGKILL)]


def test_the_one_that_is_asked_to_kill_ends_the_process_at_once():
    program = "from sophia.store.failpoints import Failpoints; Failpoints('here:kill').reach('here'); print('alive')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == -signal.SIGKILL
    assert done.stdout == ""
