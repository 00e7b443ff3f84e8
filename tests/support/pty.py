"""Programs at a terminal of their own, and what they show on it."""

import os
import selectors
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

_SEATED = (
    "import os, sys\n"
    "seat = os.open(sys.argv[1], os.O_RDWR)\n"  # a session's first terminal becomes the one that controls it
    "for fd in (0, 1, 2): os.dup2(seat, fd)\n"
    "os.execv(sys.argv[2], sys.argv[2:])\n"
)


@dataclass
class Screen:
    """A terminal with a program at it."""

    master: int
    slave: int
    process: "subprocess.Popen[bytes]"
    shown: str = ""

    def until(self, text: str, within_s: float = 20.0) -> None:
        """Return when the text is shown."""
        until = time.monotonic() + within_s
        with selectors.DefaultSelector() as selector:
            selector.register(self.master, selectors.EVENT_READ)
            while text not in self.shown:
                assert time.monotonic() < until, f"not shown in time: {text!r} in {self.shown!r}"
                if selector.select(0.1):
                    self._take()
                else:
                    assert self.process.poll() is None or text in self.shown, self.shown

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self.master, text.encode() + b"\n")

    def ended(self, within_s: float = 30.0) -> int:
        """The exit code, once the program has ended and all that it said is shown."""
        until = time.monotonic() + within_s
        with selectors.DefaultSelector() as selector:
            selector.register(self.master, selectors.EVENT_READ)
            while self.process.poll() is None:
                assert time.monotonic() < until, self.shown
                if selector.select(0.05):
                    self._take()
            self.leave()
            while selector.select(max(0.0, until - time.monotonic())) and self._take():
                pass
        return self.process.returncode

    def take(self, within_s: float) -> None:
        """Read what is shown in this time."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.master, selectors.EVENT_READ)
            if selector.select(within_s):
                self._take()

    def leave(self) -> None:
        """Let go of the program's end: what is still on its way comes, and then the end of it."""
        if self.slave >= 0:
            os.close(self.slave)
            self.slave = -1

    def _take(self) -> bool:
        try:
            part = os.read(self.master, 65536)
        except OSError:
            return False  # nobody has the other end any more
        self.shown += part.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(part)


@contextmanager
def at_terminal(command: list[str], environ: Mapping[str, str] | None = None) -> Generator[Screen]:
    """The program, in a session of its own, at a pseudo-terminal that the test types on."""
    master, slave = os.openpty()
    seat = os.ttyname(slave)
    process = subprocess.Popen(
        [sys.executable, "-c", _SEATED, seat, *command],
        env=None if environ is None else dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    screen = Screen(master, slave, process)
    try:
        yield screen
    finally:
        with suppress(ProcessLookupError):
            if process.poll() is None:
                os.kill(process.pid, 9)
        process.wait(10)
        screen.leave()
        os.close(master)
