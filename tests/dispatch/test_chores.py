"""What is done behind the calls."""

from dataclasses import dataclass, field
from threading import Event

import pytest

from sophia.core.errors import Unavailable
from sophia.dispatch import chores
from sophia.dispatch.chores import Chores

PATIENCE_S = 10


@dataclass
class Counting:
    """A chore with so many pieces waiting, that fails so many times first."""

    name: str = "counting"
    waiting: int = 0
    fails: int = 0
    error: Exception = field(default_factory=lambda: Unavailable("not now"))
    closed: bool = False
    done: list[int] = field(default_factory=list)
    idle: Event = field(default_factory=Event)

    def step(self) -> float | None:
        if self.fails:
            self.fails -= 1
            raise self.error
        if not self.waiting:
            self.idle.set()
            return None
        self.waiting -= 1
        self.done.append(self.waiting)
        return 0

    def close(self) -> None:
        self.closed = True


def test_everything_that_waits_is_done_and_then_nothing_more() -> None:
    one, other = Counting(waiting=3), Counting(waiting=5)
    assert Chores([one, other]).settle(PATIENCE_S)
    assert (len(one.done), len(other.done)) == (3, 5)


def test_a_chore_that_is_woken_goes_on_and_gives_back_what_it_holds() -> None:
    chore = Counting(waiting=1)
    chores = Chores([chore])
    chores.begin()
    assert chore.idle.wait(PATIENCE_S)
    chore.idle.clear()
    chore.waiting = 2
    chores.wake()
    assert chore.idle.wait(PATIENCE_S)
    assert not chore.closed
    chores.end()
    assert chore.done == [0, 1, 0]
    assert chore.closed


def test_a_chore_that_fails_is_tried_again_while_the_others_go_on() -> None:
    failing, other = Counting(name="embedding", waiting=1, fails=1), Counting(waiting=1)
    chores = Chores([failing, other])
    chores.begin()
    assert other.idle.wait(PATIENCE_S)
    assert failing.idle.wait(PATIENCE_S)
    chores.end()
    assert (failing.done, chores.failing) == ([0], [])


@pytest.mark.parametrize("error", [ValueError("s3cret"), RecursionError(), MemoryError(), KeyError("x"), OSError()])
def test_whatever_a_chore_raises_it_is_tried_again_and_only_its_kind_is_logged(
    error: Exception, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chores, "RETRY_S", (0.01,))
    failing, other = Counting(name="mining", waiting=1, fails=2, error=error), Counting(waiting=1)
    both = Chores([failing, other])
    both.begin()
    assert other.idle.wait(PATIENCE_S)
    assert failing.idle.wait(PATIENCE_S)
    both.end()
    assert (failing.done, both.failing) == ([0], [])
    (told,) = [record for record in caplog.records if record.name == "sophia.chores"]
    assert told.__dict__["error"] == type(error).__name__
    assert told.exc_info is None


def test_a_chore_that_fails_is_told_of() -> None:
    failing = Counting(name="embedding", fails=10**6)
    other = Counting()
    chores = Chores([failing, other])
    chores.begin()
    assert other.idle.wait(PATIENCE_S)
    chores.end()
    assert chores.failing == ["embedding"]
