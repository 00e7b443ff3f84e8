"""The daemon: takes ownership, serves the house, watches over both, and leaves everything whole."""

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
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
WORKERS_AT_ONCE = 1
"""Threads that calls run in, and how many of them while no call is slow: each statement of SQL gives the interpreter
away and takes it back, which costs several times more where another thread is after it."""
OWNERS = 4
"""Threads that only the owner's commands run in, so that agents never keep the owner waiting for one."""
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
        _noted(house)
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(Daemon(house, sock, ready).run())
    finally:
        house.close()


def _noted(house: Opened) -> None:
    """A full disk must not keep the owner from reading: what cannot be noted now is tried again each second."""
    try:
        house.anchored()
    except OSError:
        _log.exception("how far the state has come could not be noted; it will be tried again")


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
                f"Port {port} is taken by another program; SOPHIA_PORT names another one, or 0 for a free one.",
                port=port,
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
    failing: set[str] = field(default_factory=set)
    """What of the upkeep could not be done at the last try."""

    async def run(self) -> int:
        """Serve until told to stop, or until the ground moves."""
        stopping = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stopping.set)
        for number in (signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        parts = self.house.parts
        parts.waiting.loop = parts.news.loop = loop
        with Workers(WORKERS, WORKERS_AT_ONCE) as workers, Workers(OWNERS) as owners:
            front = parts.front(workers, self.house.settings.approval_wait_s)
            host, port = self.sock.getsockname()[:2]
            app = application(front, loopback(port), ready=lambda: parts.interior.health().write_ok)
            background = [
                loop.create_task(self._repeated(FLUSH_S, workers)),
                loop.create_task(self._watch(stopping)),
            ]
            parts.chores.begin()
            try:
                told = self._told(host, port)
                desk = Desk.of(Office.of(self.house, told["mcp"], serving=True))
                async with listening(self.house.ownership, desk, owners, parts.news):
                    await http.serve(app, self.sock, stopping=stopping, started=lambda: self.ready(told))
            finally:
                for task in background:
                    task.cancel()
                await asyncio.gather(*background, return_exceptions=True)
                await loop.run_in_executor(owners, parts.chores.end)
        if self.drift is not None:
            raise self.drift
        return 0

    def _told(self, host: str, port: int) -> dict[str, Any]:
        url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        return {"ready": True, "url": url, "mcp": f"{url}/mcp", "pid": os.getpid(), "version": VERSION}

    async def _repeated(self, seconds: float, workers: Workers) -> None:
        while True:
            await asyncio.sleep(seconds)
            await workers.run(self._upkeep)

    def _upkeep(self) -> None:
        """Try again what failed, write what was counted, end what expired, note how far the state has come.

        None of it keeps the others from being done. What fails is logged when it begins to, not every second.
        """
        house = self.house
        parts = house.parts
        acts = (house.databases.probe, parts.usage.flush, parts.trail.flush, parts.mint.expire, house.anchored)
        for act in acts if house.databases.state.read_only is None else acts[:3]:
            try:
                act()
                self.failing.discard(act.__qualname__)
            except (SophiaError, OSError):
                if act.__qualname__ not in self.failing:
                    _log.exception("upkeep fails and will be tried again", extra={"act": act.__qualname__})
                self.failing.add(act.__qualname__)

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
