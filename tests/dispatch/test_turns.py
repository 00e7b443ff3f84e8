"""One connection's calls wait for one another, and never for a call of another connection."""

import asyncio

import pytest

from sophia.dispatch.turns import Turns


def test_a_third_call_waits_until_one_of_two_has_ended_and_another_connection_does_not():
    async def scene() -> None:
        turns = Turns(2)
        first = await turns.taken("a")
        await turns.taken("a")
        third = asyncio.create_task(turns.taken("a"))
        await asyncio.wait_for(turns.taken("b"), 5)
        assert not third.done()
        first()
        await asyncio.wait_for(third, 5)

    asyncio.run(scene())


def test_whoever_is_cancelled_while_waiting_leaves_its_turn_to_the_next():
    async def scene() -> None:
        turns = Turns(1)
        first = await turns.taken("a")
        left, next_one = (asyncio.create_task(turns.taken("a")) for _ in range(2))
        await asyncio.sleep(0)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        first()
        (await asyncio.wait_for(next_one, 5))()
        assert turns == Turns(1), "nothing is kept of a connection that has no call"

    asyncio.run(scene())
