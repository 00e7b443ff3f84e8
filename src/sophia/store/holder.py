"""Who holds a lock that was refused: what its file says, and whether the holder still answers."""

import json
import os
import socket
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from sophia.core.clock import rfc3339

ANSWER_WITHIN_S = 0.5
_HELLO = json.dumps({"command": "status", "arguments": {}}).encode()


@dataclass(frozen=True)
class Holder:
    """The live owner, as far as it can be told from outside."""

    pid: int | None
    version: str | None
    since: int | None
    answers: bool

    def told(self) -> str:
        """The holder in words."""
        who = f"process {self.pid}" if self.pid else "a process that has not said which"
        version = f", Sophia {self.version}" if self.version else ""
        since = f", started {rfc3339(self.since)}" if self.since is not None else ""
        return f"{who}{version}{since}, which is {'answering' if self.answers else 'not responding'}"


def holder(lock_fd: int, socket_path: Path) -> Holder:
    """Who holds the lock of this open lock file. Takes up to a second where the holder is just starting or stopped."""
    signed = _signature(lock_fd)
    until = time.monotonic() + ANSWER_WITHIN_S
    while signed.pid is None and time.monotonic() < until:
        time.sleep(0.01)
        signed = _signature(lock_fd)
    return Holder(signed.pid, signed.version, signed.since, answers(socket_path))


def answers(socket_path: Path) -> bool:
    """Whether anything comes back from the owner's socket in half a second. A stopped process still accepts."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(ANSWER_WITHIN_S)
            line.connect(str(socket_path))
            line.sendall(struct.pack(">I", len(_HELLO)) + _HELLO)
            return bool(line.recv(1))
    except OSError:
        return False


def _signature(fd: int) -> Holder:
    """What the lock file says; nothing where it is not written yet, or was left by a process that is gone."""
    try:
        written = json.loads(os.pread(fd, 4096, 0))
        pid, version = int(written["pid"]), str(written["version"])
        alive = _is_alive(pid)
    except (ValueError, KeyError, TypeError, OverflowError):
        alive, pid, version = False, 0, ""
    if not alive:
        return Holder(None, None, None, answers=False)
    return Holder(pid, version, os.fstat(fd).st_mtime_ns // 1000, answers=False)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return pid > 0
