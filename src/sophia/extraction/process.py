"""One child process: a question goes in, an answer comes out in time, or it is ended."""

import os
import selectors
import subprocess
import sys
import time
from pathlib import Path

import msgspec

from sophia.extraction.frames import HEADER
from sophia.extraction.limits import Limits

PACKAGES = Path(__file__).parents[2]
STARTS_WITHIN_S = 20.0
"""How long a new child may take to import its libraries, beside the time of the first file."""


class Died(Exception):
    """The child ended before its answer was whole; `by` is the signal that ended it, or 0."""

    def __init__(self, by: int) -> None:
        super().__init__(by)
        self.by = by


class TooSlow(Exception):
    """The child did not answer in time."""


class Child:
    """A started child, for the use of the thread that started it: the kernel ends it with that thread."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._grace = STARTS_WITHIN_S
        self.answers = 0
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-P", "-m", "sophia.extraction.worker",
             msgspec.json.encode(limits).decode(), str(os.getpid())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, close_fds=True,
            cwd="/", start_new_session=True,
            env={"PYTHONPATH": str(PACKAGES), "LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "1"},
        )  # fmt: skip
        assert self._process.stdin is not None  # noqa: S101 - they are pipes
        assert self._process.stdout is not None  # noqa: S101 - the same
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

    @property
    def is_alive(self) -> bool:
        """Whether it still runs: the system may have ended it while nothing was asked."""
        return self._process.poll() is None

    def asked(self, frame: bytes, most: int) -> bytes:
        """The body of the answer, of `most` bytes. `Died` or `TooSlow` where none comes: end it then."""
        until = time.monotonic() + self._limits.wall_s + self._grace
        try:
            self._send(memoryview(frame), until)
            length = HEADER.unpack(self._receive(HEADER.size, until))[0]
            if length > most:
                raise Died(0)
            body = self._receive(length, until)
        except BrokenPipeError as error:
            raise self._died() from error
        self.answers += 1
        self._grace = 0.0
        return body

    def end(self) -> None:
        """End it, and give back what it holds."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _send(self, left: memoryview, until: float) -> None:
        while left:
            self._wait(self._in, selectors.EVENT_WRITE, until)
            left = left[os.write(self._in, left[: 1 << 16]) :]

    def _receive(self, wanted: int, until: float) -> bytes:
        got = bytearray()
        while len(got) < wanted:
            self._wait(self._out, selectors.EVENT_READ, until)
            part = os.read(self._out, min(wanted - len(got), 1 << 20))
            if not part:
                raise self._died()
            got += part
        return bytes(got)

    def _wait(self, descriptor: int, event: int, until: float) -> None:
        with selectors.PollSelector() as selector:
            selector.register(descriptor, event)
            if not selector.select(max(until - time.monotonic(), 0)):
                raise TooSlow

    def _died(self) -> Died:
        self._process.kill()
        return Died(max(-self._process.wait(), 0))
