"""The time, the boot and the chance of this machine: what the protocols of core.clock and core.ids are in earnest."""

import secrets
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from sophia.core.clock import Clock
from sophia.core.errors import Unsupported
from sophia.core.ids import ulid


def _awake_clock() -> int:
    """The clock that runs through sleep and that nobody sets.

    On Linux CLOCK_MONOTONIC stands still while the machine sleeps, and CLOCK_BOOTTIME does not. On macOS it is
    CLOCK_MONOTONIC_RAW that goes on (it reads mach_continuous_time), and CLOCK_UPTIME_RAW that stands still.
    """
    if sys.platform == "linux":
        return time.CLOCK_BOOTTIME
    if sys.platform == "darwin":
        return time.CLOCK_MONOTONIC_RAW
    raise Unsupported(f"Sophia knows no clock that runs through sleep on {sys.platform}.")


def _boot() -> str:
    """A text that changes with every boot."""
    if sys.platform == "linux":
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    if sys.platform == "darwin":
        asked = ["/usr/sbin/sysctl", "-n", "kern.bootsessionuuid"]
        return subprocess.run(asked, check=True, capture_output=True, text=True, timeout=5).stdout.strip()
    raise Unsupported(f"Sophia cannot tell one boot from another on {sys.platform}.")


@dataclass(frozen=True)
class SystemClock:
    """The machine's clocks, as `core.clock.Clock`."""

    _boot: str = field(default_factory=_boot)
    _awake: int = field(default_factory=_awake_clock)

    def now(self) -> int:
        """Microseconds since 1970-01-01 UTC by the wall clock."""
        return time.time_ns() // 1000

    def awake(self) -> int:
        """Microseconds since boot, sleep included; the wall clock does not move it."""
        return time.clock_gettime_ns(self._awake) // 1000

    def boot_id(self) -> str:
        """A text that changes with every boot of the machine."""
        return self._boot


@dataclass(frozen=True)
class SystemIds:
    """Ids that sort by time and that nobody can guess, as `core.ids.Ids`."""

    clock: Clock

    def new(self, prefix: str) -> str:
        """A fresh id such as `e-01k9…`."""
        return f"{prefix}-{ulid(self.clock.now() // 1000, secrets.randbits(80))}"
