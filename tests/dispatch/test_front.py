"""A call that needs the owner waits for a while, and returns the result of the run that the owner approved."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.core.page import Window
from sophia.dispatch.front import Front
from sophia.dispatch.workers import Workers
from sophia.surface import GROUPS
from tests.support.desk import desk
from tests.support.house import House, house

slow: Group[ReadCall] = Group("read_slow", Access.READ)


@slow.tool()
def count_for_long(call: ReadCall) -> dict[str, int]:
    """Counts for as long as it may."""
    return {
        "counted": call.db.value(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000000000) SELECT count(*) FROM n"
        )
    }


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def filed(home: House, agent: Agent) -> Sequence[dict[str, Any]]:
    """The agent's pending requests, once there are any."""
    deadline = time.monotonic() + 10
    while not (pending := home.parts.interior.requests.of(agent, "pending", Window(20, None)).items):
        assert time.monotonic() < deadline
    return pending


def waiting_front(home: House, executor: Workers, seconds: float) -> Front:
    home.parts.waiting.loop = asyncio.get_running_loop()
    return home.parts.front(executor, seconds)


@pytest.mark.guarantee("P3", "P5")
def test_a_waiting_call_gets_the_result_of_the_approved_run(home: House) -> None:
    agent = home.agent("full")

    async def scene() -> tuple[dict[str, object], dict[str, object]]:
        with Workers(4) as executor:
            front = waiting_front(home, executor, 20)
            asked = asyncio.create_task(front.call(agent, "sophia.create_entity", {"kind": "person", "name": "Ada"}))
            loop = asyncio.get_running_loop()
            pending = await loop.run_in_executor(executor, filed, home, agent)

            def decide() -> None:
                home.parts.approvals.approve(str(pending[0]["approval_id"]), "owner")
                home.parts.waiting.decide(str(pending[0]["approval_id"]))

            await loop.run_in_executor(executor, decide)
            first = json.loads((await asked).payload)
            again = await front.call(agent, "sophia.create_entity", {"kind": "person", "name": "Ada"})
            return first, json.loads(again.payload)

    first, again = asyncio.run(scene())
    assert first["entity"] == again["entity"]
    assert home.call(agent, "list_entities")["total"] == 1
    assert first["mutation_seq"] == 1


@pytest.mark.parametrize(
    ("command", "arguments", "code", "words"),
    [
        ("revoke", {}, "invalid_or_revoked_bearer", "Authentication required. Provide a valid Bearer token."),
        ("scope", {"entity_scope": []}, "approval_void", "The rights of this connection changed"),
    ],
)
def test_a_waiting_call_need_not_wait_once_its_connection_changed(
    home: House, command: str, arguments: dict[str, Any], code: str, words: str
) -> None:
    agent, at = home.agent("full"), desk(home)

    async def scene() -> dict[str, Any]:
        with Workers(4) as executor:
            front = waiting_front(home, executor, 60)
            asked = asyncio.create_task(front.call(agent, "sophia.create_entity", {"kind": "person", "name": "Ada"}))
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(executor, filed, home, agent)
            await loop.run_in_executor(executor, at.ask, command, {"connection_id": agent.connection_id, **arguments})
            told: dict[str, Any] = json.loads((await asyncio.wait_for(asked, 10)).payload)
            return told

    error = asyncio.run(scene())["error"]
    assert error["code"] == code
    assert words in error["message"]


def test_a_call_that_waits_in_vain_says_where_it_waits(home: House) -> None:
    agent = home.agent("assistant")

    async def scene() -> dict[str, Any]:
        with Workers(2) as executor:
            front = waiting_front(home, executor, 0.05)
            answer = await front.call(agent, "sophia.create_entity", {"kind": "person", "name": "Ada"})
            assert answer.is_error
            told: dict[str, Any] = json.loads(answer.payload)
            return told

    error = asyncio.run(scene())["error"]
    assert error["code"] == "approval_pending"
    details = error["details"]
    assert details["approval_id"].startswith("appr-")
    assert home.call(agent, "get_approval", approval_id=details["approval_id"])["status"] == "pending"


@pytest.mark.guarantee("P7")
def test_the_answer_to_the_agent_holds_no_way_to_approve(home: House) -> None:
    error = home.refused(home.agent("assistant"), "create_entity", kind="person", name="Ada")
    assert set(error["details"]) == {"approval_id", "expires_at", "how"}
    assert "sophia approve" not in json.dumps(error)


@pytest.mark.guarantee("P8")
def test_changed_arguments_are_another_request(home: House) -> None:
    agent = home.agent("assistant")
    first = home.refused(agent, "create_entity", kind="person", name="Ada")["details"]["approval_id"]
    second = home.refused(agent, "create_entity", kind="person", name="Eve")["details"]["approval_id"]
    again = home.refused(agent, "create_entity", kind="person", name="Ada")["details"]["approval_id"]
    assert first == again != second
    home.parts.approvals.approve(first, "owner")
    assert [entity["name"] for entity in home.call(agent, "list_entities")["items"]] == ["Ada"]


def test_a_read_stops_when_nobody_waits_for_it_any_more() -> None:
    async def scene(home: House) -> None:
        with Workers(1) as workers:
            front = waiting_front(home, workers, 0)
            agent = home.agent("observer")
            asked = asyncio.create_task(front.call(agent, "sophia.count_for_long", {}))
            await asyncio.sleep(0)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
            started = time.monotonic()
            # The one worker there is answers the next call: the abandoned read has let go of it.
            answer = await front.call(agent, "sophia.health", {})
            assert not answer.is_error
            assert time.monotonic() - started < 5

    with house((*GROUPS, slow)) as home:
        asyncio.run(scene(home))


def holding(begun: threading.Semaphore, let: threading.Event) -> Group[ReadCall]:
    """A tool that says that it has begun, and holds its thread until it is let."""
    group: Group[ReadCall] = Group("read_held", Access.READ)

    @group.tool()
    def hold(call: ReadCall) -> dict[str, int]:
        """Holds a thread."""
        begun.release()
        let.wait(20)
        return {"held": 1}

    return group


async def begins(begun: threading.Semaphore) -> bool:
    return await asyncio.get_running_loop().run_in_executor(None, begun.acquire, True, 10)


def test_while_one_connection_floods_the_house_another_is_answered() -> None:
    begun, let = threading.Semaphore(0), threading.Event()

    async def scene(home: House) -> None:
        with Workers(4) as workers:
            try:
                front = waiting_front(home, workers, 0)
                flooding, other = home.agent("observer"), home.agent("observer")
                flood = [asyncio.create_task(front.call(flooding, "sophia.hold", {})) for _ in range(12)]
                assert await begins(begun)
                assert await begins(begun)
                answer = await asyncio.wait_for(front.call(other, "sophia.health", {}), 5)
                assert not answer.is_error
                assert not begun.acquire(blocking=False), "half of the threads are left to others"
            finally:
                let.set()
            assert not any(answer.is_error for answer in await asyncio.gather(*flood)), "nobody was refused"

    with house((*GROUPS, holding(begun, let))) as home:
        asyncio.run(scene(home))


def test_calls_that_are_given_up_hold_their_turn_as_long_as_their_thread() -> None:
    begun, let = threading.Semaphore(0), threading.Event()

    async def scene(home: House) -> None:
        with Workers(2) as workers:
            try:
                front = waiting_front(home, workers, 0)
                flooding, other = home.agent("observer"), home.agent("observer")
                first = asyncio.create_task(front.call(flooding, "sophia.hold", {}))
                assert await begins(begun)
                first.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await first
                second = asyncio.create_task(front.call(flooding, "sophia.hold", {}))
                answer = await asyncio.wait_for(front.call(other, "sophia.health", {}), 5)
                assert not answer.is_error
                assert not begun.acquire(blocking=False), "the second waits for the thread of the first"
            finally:
                let.set()
            assert not (await second).is_error

    with house((*GROUPS, holding(begun, let))) as home:
        asyncio.run(scene(home))


def test_a_call_that_nobody_waits_for_when_its_thread_is_free_never_begins() -> None:
    async def scene(home: House) -> None:
        with Workers(1) as workers:
            front = waiting_front(home, workers, 0)
            agent = home.agent("full")
            held = threading.Event()
            busy = workers.submit(held.wait, 20)
            renaming = {"entity_id": home.entity("Ada"), "name": "Eve"}
            made = asyncio.create_task(front.call(agent, "sophia.update_entity", renaming))
            await asyncio.sleep(0)
            made.cancel()
            with pytest.raises(asyncio.CancelledError):
                await made
            held.set()
            answer = await front.call(agent, "sophia.list_entities", {})
            assert busy.result()
            assert [entity["name"] for entity in json.loads(answer.payload)["items"]] == ["Ada"]

    with house() as home:
        asyncio.run(scene(home))
