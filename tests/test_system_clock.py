import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sophia.core.clock import SECOND, Clock
from sophia.core.errors import Unsupported
from sophia.core.ids import Ids
from sophia.system_clock import SystemClock, SystemIds
from tests.support.clock import TurnableClock
from tests.support.ids import CountedIds


def test_the_clock_tells_the_time_and_how_long_the_machine_is_up():
    clock: Clock = SystemClock()
    assert abs(clock.now() - time.time_ns() // 1000) < SECOND
    awake = clock.awake()
    assert abs(awake - time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000) < SECOND
    assert clock.awake() >= awake
    assert clock.boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip() == SystemClock().boot_id()


def test_on_macos_the_clock_that_runs_through_sleep_and_the_boot_session_are_asked(monkeypatch: pytest.MonkeyPatch):
    def asked(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
        assert command[-1] == "kern.bootsessionuuid"
        return subprocess.CompletedProcess(command, 0, stdout="6A4A-BOOT\n")

    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(subprocess, "run", asked)
    clock = SystemClock()
    assert clock.boot_id() == "6A4A-BOOT"
    assert abs(clock.awake() - time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) // 1000) < SECOND


def test_a_system_without_such_clocks_is_named_and_not_guessed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "plan9")
    with pytest.raises(Unsupported, match="plan9"):
        SystemClock()
    with pytest.raises(Unsupported, match="plan9"):
        SystemClock(_boot="known")


def test_ids_are_readable_sorted_by_time_and_never_the_same():
    clock = TurnableClock()
    ids: Ids = SystemIds(clock)
    first = ids.new("e")
    assert re.fullmatch("e-[0-9a-hjkmnp-tv-z]{26}", first)
    assert len({ids.new("e") for _ in range(100)}) == 100
    clock.turn(SECOND)
    assert ids.new("e") > first


def test_a_tests_clock_turns_only_when_it_is_turned():
    clock = TurnableClock()
    wall, awake, boot = clock.now(), clock.awake(), clock.boot_id()
    clock.turn(5)
    clock.set_wall(7)
    assert (clock.now(), clock.awake(), clock.boot_id()) == (7, awake + 5, boot)
    assert wall != 7
    clock.reboot()
    assert (clock.awake(), clock.boot_id() != boot) == (0, True)
    ids: Ids = CountedIds()
    assert ids.new("f") < ids.new("f")
