"""The daemon: takes ownership, serves the house, watches over both, and leaves everything whole."""

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import uvloop

from sophia import logs
from sophia.agent import http
from sophia.agent.app import application
from sophia.agent.guard import loopback
from sophia.broker.socket import listening
from sophia.catalog.group import Group
from sophia.core.errors import SophiaError
from sophia.core.refusals import LockfileSwapped, PortInUse
from sophia.dispatch.workers import Workers
from sophia.opening import Opened, opened
from sophia.owner.desk import Desk
from sophia.owner.office import Office
from sophia.settings import Settings, bind_address
from sophia.store import watchdog
from sophia.surface import GROUPS
from sophia.version import VERSION

_log = logging.getLogger("sophia.daemon")
Ready = Callable[[dict[str, Any]], None]
WORKERS = 12
FLUSH_S = 1.0


def serve(
    settings: Settings,
    *,
    ready: Ready,
    passphrase: Callable[[], str] | None = None,
    groups: Iterable[Group[Any]] = GROUPS,
) -> int:
    """Serve until SIGTERM or SIGINT; 0 then. Raises a `Refusal` where it cannot start, or must not go on."""
    address = bind_address(settings.host)
    house = opened(settings, passphrase, groups=groups)
    try:
        sock = _bound(address, settings.port)
        logs.begin(house.ownership.directory, settings.log_level)
        for notice in house.notices:
            _log.warning(notice)
        house.anchored()
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(Daemon(house, sock, ready).run())
    finally:
        house.close()


def _bound(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM | getattr(socket, "SOCK_CLOEXEC", 0))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((address, port))
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            raise PortInUse(
                f"Port {port} is taken by another program; use --port 0 for a free one.", port=port
            ) from None
        raise PortInUse(f"Port {port} cannot be bound: {os.strerror(error.errno or 0)}.", port=port) from None
    return sock


@dataclass
class Daemon:
    """One run of the daemon, inside its event loop."""

    house: Opened
    sock: socket.socket
    ready: Ready
    drift: LockfileSwapped | None = None

    async def run(self) -> int:
        """Serve until told to stop, or until the ground moves."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopping.set)
        for number in (signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        parts = self.house.parts
        parts.waiting.loop = loop
        with Workers(WORKERS) as workers:
            front = parts.front(workers, self.house.settings.approval_wait_s)
            host, port = self.sock.getsockname()[:2]
            app = application(front, loopback(port), ready=lambda: parts.interior.health().write_ok)
            background = [
                loop.create_task(self._repeated(FLUSH_S, self._flush, workers)),
                loop.create_task(self._watch(stopping)),
            ]
            try:
                told = self._told(host, port)
                desk = Desk.of(Office.of(self.house, told["mcp"], serving=True))
                async with listening(self.house.ownership, desk, workers):
                    await http.serve(app, self.sock, stopping=stopping, started=lambda: self.ready(told))
            finally:
                for task in background:
                    task.cancel()
                await asyncio.gather(*background, return_exceptions=True)
        if self.drift is not None:
            raise self.drift
        return 0

    def _told(self, host: str, port: int) -> dict[str, Any]:
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        return {"ready": True, "url": url, "mcp": f"{url}/mcp", "pid": os.getpid(), "version": VERSION}

    async def _repeated(self, seconds: float, act: Callable[[], None], workers: Workers) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await workers.run(act)
            except (SophiaError, OSError):
                _log.exception("what was counted could not be written; it will be tried again")

    def _flush(self) -> None:
        """Write what was counted, note how far the state has come, and try again what failed."""
        state = self.house.databases.state
        if state.trouble:
            state.probe()
        self.house.parts.usage.flush()
        self.house.anchored()

    async def _watch(self, stopping: asyncio.Event) -> None:
        """Stop at once when the directory or the lock is no longer what is owned."""
        while True:
            await asyncio.sleep(watchdog.LOOK_EVERY_S)
            drift = watchdog.drifted(self.house.ownership)
            if drift is not None:
                self.drift = watchdog.refusal(self.house.ownership, drift)
                _log.error("ownership was lost: %s", drift)
                stopping.set()
                return
