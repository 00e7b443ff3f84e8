"""The threads in which calls run, so that none holds up the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workers(Executor):
    """A fixed number of threads, all of them there from the start.

    `run` is the one hop that every call makes, in half the steps of an executor's; `submit` is for everything else.
    """

    def __init__(self, count: int) -> None:
        self._orders: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [Thread(target=self._work, name=f"sophia-{n}") for n in range(count)]
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

        self._orders.put(order)
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

        self._orders.put(order)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - an executor's
        """End the threads, each after what it was given before."""
        for _ in self._threads:
            self._orders.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _work(self) -> None:
        while (order := self._orders.get()) is not None:
            order()
            del order  # whoever waits for the next order must not hold on to the last one


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[Any], told: Callable[[Any], None], what: Any) -> None:
    try:
        loop.call_soon_threadsafe(_settle, future, told, what)
    except RuntimeError:
        return  # the loop has ended, and nobody waits any more


def _settle(future: asyncio.Future[Any], told: Callable[[Any], None], what: Any) -> None:
    if not future.cancelled():
        told(what)
