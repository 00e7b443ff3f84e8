"""Every list, in every order and between any two times: the rows that are asked for, each once, page after page."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from sophia.catalog.call import ReadCall
from sophia.catalog.group import Group
from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.core.clock import parsed, rfc3339
from sophia.core.page import Page, Row
from sophia.surface import GROUPS
from tests.support.asking import askings
from tests.support.house import House, house
from tests.support.stock import WORD, chained, sectioned, stocked

pytestmark = pytest.mark.long

LISTS = [tool for group in GROUPS for tool in group.tools if tool.row is not None]
ORDERS = [
    pytest.param(tool, order, id=f"{tool.short} {order}")
    for tool in LISTS
    if tool.listed
    for order in tool.listed.orders
]
BESIDE = {"order", "since", "until", "compact"}
Rows = list[dict[str, Any]]

OWN: dict[str, Callable[[dict[str, Any]], Any]] = {
    "text": lambda row: row["start"],
    "name": lambda row: row.get("name", next(iter(row.values()))).casefold(),
    "relevance": lambda row: -row["score"],
    "added": lambda row: -parsed(row["created_at"], "created_at"),
}
"""The words for orders beside newest and oldest, and what each goes by: agents learn them once for all lists."""


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def agent(home: House) -> Agent:
    """Sees everything, and has asked for something itself. What is read as it from then on leaves no trail."""
    made = home.agent("full", mode="per_call")
    for batch in range(3):
        stocked(home, made, batch)
    return replace(made, by_owner=True)


def questions(home: House, tool: Tool) -> list[dict[str, Any]]:
    """What the list can be asked: filters of every kind, as far as it takes a plain word for them, or else an id."""
    for probe in (WORD, chained(home), sectioned(home)):
        found = [asked for asked in askings(home.parts.catalog, tool, [probe]) if not BESIDE & set(asked)]
        if answered := [asked for asked in found if not home.answer(home.owner, tool.name, asked).is_error]:
            return answered
    return []


def whole(home: House, agent: Agent, tool: Tool, /, **asked: Any) -> Rows:
    """All rows, as many at once as a list gives."""
    told = home.call(agent, tool.name, **asked, limit=200)
    rows: Rows = told["items"]
    if "cursor" in told:
        rows += walked(home, agent, tool, 200, told["cursor"], **asked)
    assert told["total"] == len(rows)
    return rows


def walked(home: House, agent: Agent, tool: Tool, limit: int, cursor: str | None = None, /, **asked: Any) -> Rows:
    """All rows, page after page."""
    rows: Rows = []
    while True:
        more = {"cursor": cursor} if cursor else {}
        page = home.call(agent, tool.name, **asked, limit=limit, **more)
        rows += page["items"]
        cursor = page.get("cursor")
        if cursor is None:
            return rows


def keys(tool: Tool, rows: Rows) -> list[Any]:
    """What tells the rows apart."""
    assert tool.listed is not None
    return [row[tool.listed.key] for row in rows]


def in_order(tool: Tool, order: str | None, found: list[Any]) -> list[Any]:
    """What was found, to be compared. Where several signals are fused, ranks depend on what else is found."""
    ranked = {"search", "search_documents", "search_wiki", "similar_documents"}
    fused = tool.short in ranked and order in {None, "relevance"}
    return sorted(found) if fused else found


def time_of(tool: Tool, row: dict[str, Any]) -> int:
    """When the row is from. One that says no time was there before all others."""
    assert tool.listed is not None
    return parsed(row[tool.listed.time], tool.listed.time) if tool.listed.time in row else 0


@pytest.mark.guarantee("E2")
@pytest.mark.parametrize(("tool", "order"), ORDERS)
def test_a_list_shows_each_row_once_in_the_order_that_is_asked_for(
    home: House, agent: Agent, tool: Tool, order: str
) -> None:
    assert tool.listed is not None
    for asked in questions(home, tool):
        rows = whole(home, agent, tool, **asked, order=order)
        assert len(set(keys(tool, rows))) == len(rows)
        assert sorted(map(str, keys(tool, rows))) == sorted(map(str, keys(tool, whole(home, agent, tool, **asked))))
        assert keys(tool, walked(home, agent, tool, 2, **asked, order=order)) == keys(tool, rows)
        times = [time_of(tool, row) for row in rows]
        match order:
            case "newest":
                assert times == sorted(times, reverse=True)
                assert rows[::-1] == whole(home, agent, tool, **asked, order="oldest")
            case "oldest":
                assert times == sorted(times)
            case _:
                told = [OWN[order](row) for row in rows]
                assert told == sorted(told)
        if order == next(iter(tool.listed.orders)):
            assert whole(home, agent, tool, **asked) == rows
    most = max(len(whole(home, agent, tool, **asked)) for asked in questions(home, tool))
    assert most >= 5, f"{tool.short} has too little to show: let tests/support/stock.py make some"


@pytest.mark.guarantee("E2")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
def test_since_and_until_cut_exactly_and_are_counted(home: House, agent: Agent, tool: Tool) -> None:
    for asked in questions(home, tool):
        rows = whole(home, agent, tool, **asked)
        times = sorted({time_of(tool, row) for row in rows} - {0})
        for since in [None, *times]:
            for until in [None, *(time for time in times[::2] if since is None or time >= since)]:
                bounds = {"since": since, "until": until}
                given = {name: rfc3339(bound) for name, bound in bounds.items() if bound is not None}
                expected = [
                    row for row in rows
                    if (since is None or time_of(tool, row) >= since) and (until is None or time_of(tool, row) < until)
                ]  # fmt: skip
                cut_rows = whole(home, agent, tool, **asked, **given)
                assert in_order(tool, None, keys(tool, cut_rows)) == in_order(tool, None, keys(tool, expected)), given
        if times:
            middle = rfc3339(times[len(times) // 2])
            for order in ("newest", "oldest"):
                cut = {**asked, "since": middle, "order": order}
                assert walked(home, agent, tool, 1, **cut) == whole(home, agent, tool, **cut)


@pytest.mark.guarantee("E2")
def test_rows_that_are_made_meanwhile_hide_and_repeat_none(home: House, agent: Agent) -> None:
    begun = []
    for tool in LISTS:
        for order in tool.listed.orders if tool.listed else ():
            asked = {**questions(home, tool)[0], "order": order}
            page = home.call(agent, tool.name, **asked, limit=3)
            begun.append((tool, asked, page["items"], page["cursor"], keys(tool, whole(home, agent, tool, **asked))))
    stocked(home, agent, 3)
    for tool, asked, first, cursor, before in begun:
        seen = keys(tool, first + walked(home, agent, tool, 3, cursor, **asked))
        assert len(set(seen)) == len(seen)
        still = [key for key in seen if key in before]
        assert in_order(tool, asked["order"], still) == in_order(tool, asked["order"], before), (tool.short, asked)


@pytest.mark.guarantee("E2")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
@pytest.mark.parametrize("argument", ["since", "until"])
def test_a_time_that_does_not_say_where_is_refused(home: House, agent: Agent, tool: Tool, argument: str) -> None:
    for bad in ("2026-09-21T14:14:00", "2026-09-21", "yesterday", "", "9" * 100_000):
        error = home.refused(agent, tool.name, **questions(home, tool)[0], **{argument: bad})
        assert (error["code"], error["argument"]) == ("bad_arguments", argument)


@pytest.mark.guarantee("E2")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
def test_a_time_that_ends_before_it_begins_is_refused(home: House, agent: Agent, tool: Tool) -> None:
    early, late = "2026-09-21T14:14:00+02:00", "2026-09-21T12:14:01Z"
    asked = questions(home, tool)[0]
    error = home.refused(agent, tool.name, **asked, since=late, until=early)
    assert (error["code"], error["argument"]) == ("bad_arguments", "since")
    assert home.call(agent, tool.name, **asked, since=early, until=early)["total"] == 0


@pytest.mark.guarantee("E2")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
@pytest.mark.parametrize("order", ["sideways", "", "Newest", "newest; DROP TABLE fact", "x" * 100_000])
def test_an_order_that_the_list_does_not_know_is_refused_with_those_it_knows(
    home: House, agent: Agent, tool: Tool, order: str
) -> None:
    assert tool.listed is not None
    error = home.refused(agent, tool.name, **questions(home, tool)[0], order=order)
    assert (error["code"], error["argument"]) == ("bad_arguments", "order")
    assert sorted(error["valid"]) == sorted(tool.listed.orders)
    assert {"newest", "oldest"} <= set(error["valid"]) <= {"newest", "oldest", *OWN}
    assert len(error["message"]) < 300


@pytest.mark.guarantee("E7")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
def test_a_cursor_is_of_one_order_and_of_one_time(home: House, agent: Agent, tool: Tool) -> None:
    asked = questions(home, tool)[0]
    bounds = {"since": "2020-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}
    cursor = home.call(agent, tool.name, **asked, **bounds, order="newest", limit=1)["cursor"]
    home.call(agent, tool.name, **asked, **bounds, order="newest", limit=2, cursor=cursor)
    for other in (
        {**bounds, "order": "oldest"},
        {**bounds},
        {**bounds, "order": "newest", "since": "2020-01-01T00:00:01Z"},
        {**bounds, "order": "newest", "until": "2100-01-01T00:00:01Z"},
    ):
        assert home.refused(agent, tool.name, **asked, **other, cursor=cursor)["code"] == "invalid_cursor"


def test_rows_that_do_not_say_their_time_are_in_no_list() -> None:
    class Timeless(Row, frozen=True):
        """Says no time."""

        COMPACT = ("n",)
        n: int

    group: Group[ReadCall] = Group("read_timeless", Access.READ)

    def list_timeless(call: ReadCall) -> Page[Timeless]:
        """Rows without a time."""
        return Page([], 0, [])

    list_timeless.__annotations__["return"] = Page[Timeless]
    with pytest.raises(TypeError, match="list_timeless lists Timeless, whose LISTED has to say"):
        group.tool()(list_timeless)
