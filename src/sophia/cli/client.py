"""The way from a command to the data: over the daemon's socket, or by owning the data directory itself."""

import importlib
import socket
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from sophia.broker import protocol
from sophia.broker.protocol import HEAD, MAX_FRAME
from sophia.cli import owner_asked
from sophia.cli.failed import Failed
from sophia.core.refusals import OwnerLive
from sophia.settings import Settings
from sophia.store.lockfile import SOCKET_FILE
from sophia.store.ownership import acquire, release

TAKEN_WITHIN_S = 2.0
"""How long a daemon may take to say that it has read a request."""
PATIENCE_S = 5.0
"""How long to wait for another command that owns the data directory to end, or for a daemon to start answering."""
Progress = Callable[[dict[str, Any]], None]


class Line(Protocol):
    """A way to have a request answered."""

    def send(self, request: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """`{"ok": …}` or `{"error": {…}}`."""


class Silent(Exception):
    """Whoever holds the socket does not answer."""


@dataclass(frozen=True)
class SocketLine:
    """To the daemon."""

    sock: socket.socket

    def send(self, request: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """The daemon's answer; `Silent` where it does not even take the request."""
        try:
            self.sock.settimeout(TAKEN_WITHIN_S)
            self.sock.sendall(protocol.framed(request))
            answer = self._frame()
            self.sock.settimeout(None)
            while not answer.keys() & {"ok", "error"}:
                if "progress" in answer:
                    progress(answer["progress"])
                answer = self._frame()
        except (OSError, EOFError, protocol.NotAFrame, protocol.TooLongFrame):
            raise Silent from None
        return answer

    def _frame(self) -> dict[str, Any]:
        size = protocol.length(self._exactly(HEAD.size))
        return protocol.told(self._exactly(min(size, MAX_FRAME)))

    def _exactly(self, size: int) -> bytes:
        got = bytearray()
        while len(got) < size:
            part = self.sock.recv(min(size - len(got), 1 << 20))
            if not part:
                raise EOFError
            got += part
        return bytes(got)


@dataclass(frozen=True)
class Client:
    """What a command asks, and is answered."""

    line: Line
    progress: Progress
    before_asking: Callable[[], None]
    """Called before the owner is asked something on the terminal."""
    code: str | None = None
    """A code of `sophia grant`, which stands for the owner's presence once."""

    def ask(self, command: str, /, **arguments: Any) -> Any:
        """The answer; `Failed` where it is a refusal. Asks the owner where the command gives power."""
        request: dict[str, Any] = {"command": command, "arguments": arguments}
        if self.code is not None:
            request["presence"] = {"grant": self.code}
        answer = self.line.send(request, self.progress)
        error = answer.get("error")
        if error is not None and error.get("code") == "presence_required":
            self.before_asking()
            request["presence"] = owner_asked.proof_for(error.get("details", {}))
            answer = self.line.send(request, self.progress)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["ok"]


@contextmanager
def line_of(settings: Settings) -> Generator[Line]:
    """The daemon's line, or one's own; a `Refusal` where the data directory is another's that does not answer."""
    with ExitStack() as held:
        yield _reached(settings, held)


def _reached(settings: Settings, held: ExitStack) -> Line:
    until = time.monotonic() + PATIENCE_S
    while True:
        sock = connected(settings.data_dir)
        if sock is not None:
            return SocketLine(held.enter_context(sock))
        # The whole house is loaded only where it is needed: beside a daemon, a command answers in half the time.
        own = importlib.import_module("sophia.cli.own")
        try:
            line: Line = held.enter_context(own.own_line(settings))
        except OwnerLive:
            # Another command may be at work, or a daemon may be starting: both are over in a moment.
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return line


def connected(data_dir: Path) -> socket.socket | None:
    """A connection to the daemon's socket; `None` where nobody listens."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(TAKEN_WITHIN_S)
        sock.connect(str(data_dir / SOCKET_FILE))
    except OSError:
        sock.close()
        return None
    return sock


def owner_refusal(settings: Settings) -> None:
    """Return where nobody owns the data directory; `OwnerLive` says who does, and whether that one answers."""
    release(acquire(settings.data_dir))
