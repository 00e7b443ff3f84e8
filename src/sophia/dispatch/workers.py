"""The threads in which calls run, so that none holds up the event loop."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Lock, Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
Order = Callable[[], None] | None
"""What a thread is to do; `None` has it end."""
PATIENCE_S = 0.01
"""How long an order waits for one of the threads that are in use before another one is."""


class Workers(Executor):
    """A fixed number of threads, all of them there from the start.

    `run` is the one hop that every call makes; `submit` is for everything else. Each thread waits at a lock of its own:
    at a queue that all of them share, every order would wake two. The last to become idle is the first to be woken.

    `at_once` threads are in use while calls are short, since threads that contend for the interpreter cost each call
    more than waiting does. An order that has waited for `patience_s` gets one of the others, so that none waits for a
    slow call.
    """

    def __init__(self, count: int, at_once: int | None = None, patience_s: float = PATIENCE_S) -> None:
        self.count = count
        self._patience_s = patience_s
        self._at_once = at_once or count
        self._lock = Lock()
        self._backlog: deque[tuple[float, Order]] = deque()
        self._relief_is_due = False
        self._threads = [_Worker(f"sophia-{n}", self._next) for n in range(count)]
        self._idle = list(self._threads)
        for thread in self._threads:
            thread.start()

    def run(self, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """What the act comes to. Cancelled before it begins, it never runs; once begun, it runs to its end."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def order() -> None:
            if future.cancelled():
                return
            try:
                result = act(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it is raised where the act is awaited
                _tell(loop, future, future.set_exception, error)
            else:
                _tell(loop, future, future.set_result, result)

        if self._give(order, self._at_once) and not self._relief_is_due:
            self._relief_is_due = True
            loop.call_later(self._patience_s, self._relieve, loop)
        return future

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The same for whoever is on no loop, as every executor has it."""
        future: Future[T] = Future()

        def order() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
                future.set_exception(error)

        self._give(order, self.count)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - an executor's
        """End the threads, each after what it was given before."""
        self._at_once = self.count
        for _ in self._threads:
            self._give(None, self.count)
        if wait:
            for thread in self._threads:
                thread.join()

    def _give(self, order: Order, at_once: int) -> bool:
        """Hand the order to an idle thread, unless so many are in use; whether it has to wait."""
        with self._lock:
            if not self._idle or self.count - len(self._idle) >= at_once:
                self._backlog.append((time.monotonic(), order))
                return True
            worker = self._idle.pop()
        worker.hand(order)
        return False

    def _next(self, worker: "_Worker") -> None:
        """Hand the worker what has waited longest; where nothing does, or enough others are in use, it is idle."""
        with self._lock:
            beyond = self.count - len(self._idle) > self._at_once
            if not self._backlog or (beyond and not self._overdue()):
                self._idle.append(worker)
                return
            _, order = self._backlog.popleft()
        worker.hand(order)

    def _relieve(self, loop: asyncio.AbstractEventLoop) -> None:
        """Give a thread to each order that has waited long enough, and look again while any waits."""
        with self._lock:
            relieved = []
            while self._idle and self._backlog and self._overdue():
                relieved.append((self._idle.pop(), self._backlog.popleft()[1]))
            self._relief_is_due = bool(self._backlog)
        for worker, order in relieved:
            worker.hand(order)
        if self._relief_is_due:
            loop.call_later(self._patience_s, self._relieve, loop)

    def _overdue(self) -> bool:
        return time.monotonic() - self._backlog[0][0] >= self._patience_s


class _Worker(Thread):
    """One thread, and the order that it has in hand."""

    def __init__(self, name: str, more: Callable[["_Worker"], None]) -> None:
        super().__init__(name=name)
        self._more = more
        self._order: Order = None
        self._handed = Lock()
        self._handed.acquire()

    def hand(self, order: Order) -> None:
        self._order = order
        self._handed.release()

    def run(self) -> None:
        """Do one after the other, until the end is ordered."""
        self._handed.acquire()
        while (order := self._order) is not None:
            order()
            self._order = order = None  # who waits for the next one must not hold on to the last
            self._more(self)
            self._handed.acquire()


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], told: Callable[[Any], None], what: Any) -> None:
    try:
        loop.call_soon_threadsafe(_settle, future, told, what)
    except RuntimeError:
        return  # the loop has ended, and nobody waits any more


def _settle(future: asyncio.Future[Any], told: Callable[[Any], None], what: Any) -> None:
    if not future.cancelled():
        told(what)
