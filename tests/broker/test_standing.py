"""Requests that last: they take no thread, and end with whoever made them."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from sophia.broker.standing import Standing
from sophia.dispatch.news import News


class Revoked(list[str]):
    async def __call__(self, connection_id: str) -> None:
        self.append(connection_id)


async def answered(
    request: dict[str, Any], meanwhile: Callable[[News, asyncio.StreamReader], None] = lambda _news, _reader: None
) -> tuple[dict[str, Any] | None, list[str]]:
    """What is answered, where something happens while it is waited for."""
    news, revoked, reader = News(asyncio.get_running_loop()), Revoked(), asyncio.StreamReader()
    answer = asyncio.ensure_future(Standing(news, revoked).answer(request, reader))
    await asyncio.sleep(0)
    meanwhile(news, reader)
    async with asyncio.timeout(5):
        return await answer, revoked


def asked(command: str, **arguments: Any) -> dict[str, Any]:
    return {"command": command, "arguments": arguments}


def test_news_are_told_when_they_come_and_when_time_is_up():
    def told(news: News, _reader: asyncio.StreamReader) -> None:
        news.tell()

    assert asyncio.run(answered(asked("news", after=0, seconds=50), told)) == ({"ok": {"count": 1}}, [])
    assert asyncio.run(answered(asked("news", after=0, seconds=0))) == ({"ok": {"count": 0}}, [])
    assert asyncio.run(answered(asked("news", after=-1, seconds=50))) == ({"ok": {"count": 0}}, [])


def test_what_is_held_ends_when_its_holder_leaves():
    def left(_news: News, reader: asyncio.StreamReader) -> None:
        reader.feed_data(b"still here")
        reader.feed_eof()

    assert asyncio.run(answered(asked("hold", connection_id="c"), left)) == (None, ["c"])

    def broken(_news: News, reader: asyncio.StreamReader) -> None:
        reader.set_exception(ConnectionResetError())

    assert asyncio.run(answered(asked("hold", connection_id="c"), broken)) == (None, ["c"])


@pytest.mark.parametrize(
    "request_",
    [{"command": "news"}, asked("news", after="0", seconds=1), asked("hold"), asked("hold", connection_id=3),
     asked("news", after=0, seconds=None), {"command": "hold", "arguments": []}],
    ids=str,
)  # fmt: skip
def test_what_is_asked_otherwise_is_refused(request_: dict[str, Any]):
    told, revoked = asyncio.run(answered(request_))
    assert told is not None
    assert (told["error"]["code"], revoked) == ("bad_arguments", [])


def test_where_no_loop_runs_nobody_is_told():
    News().tell()
