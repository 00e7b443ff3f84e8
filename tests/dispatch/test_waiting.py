"""A decision wakes whoever waits for it, and one that comes before the waiting is not missed."""

import asyncio

from sophia.dispatch.waiting import Waiting


def test_a_decision_before_during_and_never():
    async def main() -> tuple[bool, bool, bool]:
        waiting = Waiting(asyncio.get_running_loop())
        waiting.decide("early")
        await asyncio.sleep(0)
        early = await waiting.decided("early", 5)
        soon = asyncio.create_task(waiting.decided("soon", 5))
        await asyncio.sleep(0)
        await asyncio.to_thread(waiting.decide, "soon")
        return early, await soon, await waiting.decided("never", 0.01)

    assert asyncio.run(main()) == (True, True, False)
    Waiting().decide("nobody's")
