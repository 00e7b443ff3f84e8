"""The terminal at which a process was started by hand, as the kernel tells it."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Terminal:
    """One terminal in one login: a device that is used again by another session is another terminal."""

    device: str
    session: int
    since: int
    """When the session began, in the kernel's own count: session numbers come again."""


TerminalOf = Callable[[int], Terminal | None]


def terminal_of(pid: int) -> Terminal | None:
    """The terminal that the process reads from and that controls it; `None` where there is none.

    A process that has a terminal but reads from a pipe is run by another program, not by hand.
    """
    if sys.platform == "linux":
        return _by_proc(pid)
    return _by_ps(pid)


def _by_proc(pid: int) -> Terminal | None:
    try:
        fields = _stat(pid)
        session, device = int(fields[3]), int(fields[4])
        reads = Path(f"/proc/{pid}/fd/0").stat()
    except (OSError, ValueError, IndexError):
        return None
    if device == 0 or not stat.S_ISCHR(reads.st_mode) or reads.st_rdev != _device(device):
        return None
    try:
        since = int(_stat(session)[19])
    except (OSError, ValueError, IndexError):
        since = 0  # the session's first process has ended
    return Terminal(str(device), session, since)


def _stat(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` from the third on: the second, the name, may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()


def _device(tty_nr: int) -> int:
    return os.makedev((tty_nr >> 8) & 0xFFF, (tty_nr & 0xFF) | ((tty_nr >> 12) & 0xFFF00))


def _by_ps(pid: int) -> Terminal | None:
    asked = ["/bin/ps", "-o", "tty=,sess=", "-p", str(pid)]
    try:
        return from_ps(subprocess.run(asked, check=True, capture_output=True, text=True, timeout=5).stdout)
    except (OSError, subprocess.SubprocessError):
        return None


def from_ps(line: str) -> Terminal | None:
    """The terminal in a line of `ps`; `None` where it tells of none."""
    told = line.split()
    if len(told) != 2 or told[0] in ("?", "??", "-"):
        return None
    return Terminal(told[0], int(told[1], 16), 0)
