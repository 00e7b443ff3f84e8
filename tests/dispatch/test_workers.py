"""Calls run in threads of their own, to their end once they begin, and not at all when they are not awaited by then."""

import asyncio
import threading
from collections.abc import Iterator
from threading import Event

import pytest

from sophia.dispatch.workers import Workers


@pytest.fixture
def one() -> Iterator[Workers]:
    with Workers(1) as workers:
        yield workers


def test_an_act_runs_in_another_thread_and_its_result_comes_back(one: Workers):
    async def asked() -> tuple[str, int]:
        return await one.run(lambda n: (threading.current_thread().name, n), 7)

    assert asyncio.run(asked()) == ("sophia-0", 7)


def test_what_an_act_raises_is_raised_where_it_is_awaited(one: Workers):
    async def asked() -> None:
        await one.run(int, "no number")

    with pytest.raises(ValueError, match="no number"):
        asyncio.run(asked())


def test_an_act_that_nobody_awaits_any_more_never_begins(one: Workers):
    begun: list[str] = []
    held = Event()

    async def asked() -> None:
        first = one.run(held.wait)
        second = one.run(begun.append, "second")
        second.cancel()
        held.set()
        await first
        await one.run(begun.append, "third")

    asyncio.run(asked())
    assert begun == ["third"]


def test_an_act_that_began_runs_to_its_end(one: Workers):
    ended: list[str] = []
    begun, held = Event(), Event()

    def act() -> None:
        begun.set()
        held.wait()
        ended.append("act")

    async def asked() -> None:
        running = one.run(act)
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        running.cancel()
        held.set()
        await one.run(int)

    asyncio.run(asked())
    assert ended == ["act"]


def test_a_loop_that_ended_meanwhile_harms_nothing(one: Workers):
    begun, held = Event(), Event()

    def act() -> None:
        begun.set()
        held.wait()

    async def left() -> None:
        unawaited = one.run(act)
        await asyncio.get_running_loop().run_in_executor(None, begun.wait)
        assert not unawaited.done()

    asyncio.run(left())
    held.set()
    assert one.submit(int, "7").result() == 7


def test_they_are_an_executor_like_any_other(one: Workers):
    held = Event()
    first = one.submit(held.wait)
    second = one.submit(int, "2")
    assert second.cancel()
    held.set()
    assert first.result()
    assert one.submit(int, "7", base=8).result() == 7
    with pytest.raises(ValueError, match="no number"):
        one.submit(int, "no number").result()


def test_the_end_waits_for_what_was_given_before_it():
    ended: list[int] = []
    workers = Workers(2)
    for n in range(20):
        workers.submit(ended.append, n)
    workers.shutdown()
    assert sorted(ended) == list(range(20))


def test_the_end_need_not_be_waited_for():
    held = Event()
    workers = Workers(1)
    running = workers.submit(held.wait)
    workers.shutdown(wait=False)
    assert not running.done()
    held.set()
    assert running.result()


def test_short_calls_share_the_threads_in_use():
    with Workers(6, at_once=2, patience_s=600) as workers:

        async def asked() -> set[str]:
            names = [workers.run(lambda: threading.current_thread().name) for _ in range(200)]
            return set(await asyncio.gather(*names))

        assert len(asyncio.run(asked())) <= 2


def test_no_call_waits_for_a_slow_one_while_a_thread_is_idle():
    held = Event()
    with Workers(4, at_once=2) as workers:

        async def asked() -> list[int]:
            slow = [workers.run(held.wait) for _ in range(2)]
            try:
                return await asyncio.wait_for(asyncio.gather(*(workers.run(int, n) for n in range(20))), 4)
            finally:
                held.set()
                await asyncio.gather(*slow)

        assert asyncio.run(asked()) == list(range(20))


def test_the_threads_end_though_orders_still_wait():
    held = Event()
    done: list[int] = []
    given: list[asyncio.Future[None]] = []
    workers = Workers(4, at_once=1)

    def act(n: int) -> None:
        held.wait()
        done.append(n)

    async def asked() -> None:
        given.extend(workers.run(act, n) for n in range(8))

    asyncio.run(asked())
    held.set()
    workers.shutdown()
    assert sorted(done) == list(range(8))
