"""Connections are lent to one thread at a time, and to whoever waits as soon as one is given back."""

from threading import Thread

import pytest

from sophia.core.errors import Unavailable
from sophia.core.refusals import DbUnavailable
from sophia.store.pool import Pool


def numbered(size: int, patience_s: float = 10.0) -> Pool[str]:
    made: list[str] = []

    def make() -> str:
        made.append(f"number {len(made) + 1}")
        return made[-1]

    return Pool(make, size, patience_s)


def test_what_was_given_back_last_is_lent_first():
    pool = numbered(3)
    first, second = pool.take(), pool.take()
    pool.give(first)
    pool.give(second)
    assert pool.take() == second
    assert pool.take() == first


def test_none_is_made_while_one_is_there():
    pool = numbered(3)
    pool.give(pool.take())
    pool.give(pool.take())
    assert pool.made == ["number 1"]


def test_nobody_gets_what_another_has():
    pool = numbered(2, patience_s=0.01)
    assert pool.take() != pool.take()
    with pytest.raises(Unavailable, match="Too many calls"):
        pool.take()


def test_whoever_waits_gets_the_next_that_is_given_back():
    pool = numbered(1)
    one = pool.take()
    got: list[str] = []

    def borrow() -> None:
        got.append(pool.take())
        pool.give(got[-1])

    threads = [Thread(target=borrow) for _ in range(2)]
    for thread in threads:
        thread.start()
    pool.give(one)
    for thread in threads:
        thread.join()
    assert got == [one, one]


def test_what_could_not_be_made_may_be_made_later():
    wrong = [OSError("no descriptor is left")]

    def make() -> str:
        if wrong:
            raise wrong.pop()
        return "made"

    pool = Pool(make, 1)
    with pytest.raises(OSError, match="descriptor"):
        pool.take()
    assert pool.take() == "made"


def test_what_may_not_be_opened_just_now_is_no_refusal_to_start():
    refusals = [DbUnavailable()]

    def make() -> str:
        if refusals:
            raise refusals.pop()
        return "made"

    pool = Pool(make, 1)
    with pytest.raises(Unavailable) as told:
        pool.take()
    assert told.value.retry_after_s == 1
    assert pool.take() == "made"


def test_many_threads_share_few_without_ever_sharing_one():
    pool = numbered(3)
    held: set[str] = set()
    shared: list[str] = []

    def work() -> None:
        for _ in range(300):
            one = pool.take()
            if one in held:
                shared.append(one)
            held.add(one)
            held.discard(one)
            pool.give(one)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared == []
    assert len(pool.made) <= 3
