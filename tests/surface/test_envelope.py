"""What every answer has in common."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from msgspec import Meta

from sophia.catalog.call import ReadCall, WriteCall
from sophia.catalog.group import Group
from sophia.catalog.tool import Tool
from sophia.core.access import Access
from sophia.core.caller import Agent
from sophia.core.page import Listed, Page, Row
from sophia.surface import GROUPS
from tests.support.asking import askings
from tests.support.house import House, house

LISTS = [tool for group in GROUPS for tool in group.tools if tool.row is not None]
TOOLS = [tool for group in GROUPS for tool in group.tools]

odd: Group[ReadCall] = Group("read_odd", Access.READ)


class Echo(Row, frozen=True):
    """A row that looks like the envelope."""

    COMPACT = ("n",)
    LISTED = Listed("at", "n")

    n: int
    text: str
    at: str = ""


@odd.tool()
def shout(call: ReadCall, times: Annotated[int, Meta(ge=0, le=200)] = 1) -> Page[Echo]:
    """Many long rows."""
    start = int(call.window.after[0] or 0) if call.window.after else 0
    rows = [
        Echo(n=n, text='"_inbox_unread":99,' + "x" * 1000) for n in range(start, min(times, start + call.window.limit))
    ]
    return Page(rows, times, [(row.n + 1,) for row in rows], more=start + len(rows) < times)


@odd.tool()
def shout_once(call: ReadCall, length: int = 50_000) -> Page[Echo]:
    """Three rows, of which the second is longer than any answer."""
    start = int(call.window.after[0] or 0) if call.window.after else 0
    rows = [Echo(n=n, text="\u8a9e" * length if n == 1 else "short") for n in range(start, 3)][: call.window.limit]
    return Page(rows, 3, [(row.n + 1,) for row in rows], more=start + len(rows) < 3)


loud: Group[WriteCall] = Group("write_loud", Access.WRITE)


@loud.tool()
def make_loudly(call: WriteCall, name: str) -> Echo:
    """Makes an entity, and answers at length."""
    entity_id = call.new_id("e")
    call.db.insert(
        "entity", id=entity_id, kind="thing", name=name, name_key=name, created_at=call.now, updated_at=call.now
    )
    return Echo(n=1, text="x" * 50_000)


@odd.tool()
def impostor(call: ReadCall) -> dict[str, Any]:
    """An answer that carries the server's own keys."""
    return {"_inbox_unread": 99, "_blocking": ["x"], "items": []}


@odd.tool()
def broken(call: ReadCall, how: str = "key") -> Echo:
    """Fails in the ways in which code fails."""
    if how == "key":
        raise KeyError("a path to a secret")
    if how == "sql":
        call.db.rows("SELECT nothing FROM nowhere")
    raise AssertionError("SELECT secret FROM fact")


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house((*GROUPS, odd, loud)) as standing:
        for name in ("Ada", "Bob", "Cyd"):
            standing.entity(name)
        standing.call(standing.owner, "write_wiki_page", page="Ada", body="She sailed.")
        yield standing


@pytest.fixture(scope="module")
def agent(home: House) -> Agent:
    return home.agent("full")


@pytest.mark.guarantee("E1")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.short)
def test_every_answer_and_every_error_counts_the_inbox(home: House, agent: Agent, tool: Tool) -> None:
    for arguments in (next(askings(home.parts.catalog, tool, ["Ada"])), {"no_such_argument": 1}):
        told = json.loads(home.answer(agent, tool.name, arguments).payload)
        assert told["_inbox_unread"] == 0


@pytest.mark.guarantee("E2", "E3")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
def test_every_list_has_the_one_shape_and_a_projection_that_keeps_the_id(home: House, agent: Agent, tool: Tool) -> None:
    assert 2 <= len(tool.compact) <= 6
    assert set(tool.compact) <= set(tool.fields)
    assert tool.fields[0] in tool.compact
    ada = home.call(home.owner, "resolve_entity", name="Ada")["candidates"]
    entity = ada[0]["entity_id"] if ada else home.entity("Ada")
    said = home.call(home.owner, "remember_fact", entity_id=entity, predicate="likes", object="tea")["fact"]["fact_id"]
    made = home.call(agent, "add_document", title="Ada", body="Ada sailed.")["document"]["document_id"]
    asked = [next(askings(home.parts.catalog, tool, [probe])) for probe in ("Ada", said, made)]
    answers = [home.answer(agent, tool.name, arguments) for arguments in asked]
    told = json.loads(next(answer.payload for answer in answers if not answer.is_error))
    assert isinstance(told["items"], list)
    assert told["total"] >= len(told["items"])


@pytest.mark.guarantee("E4")
@pytest.mark.parametrize("tool", LISTS, ids=lambda tool: tool.short)
@pytest.mark.parametrize("fields", [["nope"], [], ["__proto__"], ["id; DROP TABLE fact"], ["x"] * 10_000])
def test_an_unknown_field_is_answered_with_the_valid_ones(
    home: House, agent: Agent, tool: Tool, fields: list[str]
) -> None:
    arguments = next(askings(home.parts.catalog, tool, ["Ada"]))
    error = home.refused(agent, tool.name, **arguments, fields=fields)
    assert error["code"] == "unknown_fields"
    assert error["valid"] == list(tool.fields)


@pytest.mark.guarantee("E3", "E4")
def test_fields_and_compact_choose_the_keys(home: House, agent: Agent) -> None:
    assert home.call(agent, "list_entities", fields=["name", "name"])["items"] == [
        {"name": "Ada"}, {"name": "Bob"}, {"name": "Cyd"},
    ]  # fmt: skip
    assert set(home.call(agent, "list_entities", compact=True)["items"][0]) == {"entity_id", "kind", "name", "status"}


@pytest.mark.guarantee("E5")
def test_what_a_tool_says_cannot_stand_in_for_the_server(home: House, agent: Agent) -> None:
    payload = home.answer(agent, "impostor", {}).payload
    assert json.loads(payload)["_inbox_unread"] == 0
    assert payload.count(b'"_inbox_unread"') == 1
    assert b"_blocking" not in payload
    first = home.call(agent, "shout")
    assert first["_inbox_unread"] == 0
    assert first["items"][0]["text"].startswith('"_inbox_unread":99')


@pytest.mark.guarantee("E6")
def test_an_unread_count_that_cannot_be_told_is_the_last_one_and_says_so(home: House, agent: Agent) -> None:
    signals = home.parts.dispatcher.signals
    counted = signals.unread

    def failing(_caller: object) -> int:
        raise RuntimeError

    object.__setattr__(signals, "unread", lambda _caller: 7)
    assert home.call(agent, "health")["_inbox_unread"] == 7
    object.__setattr__(signals, "unread", failing)
    told = home.call(agent, "list_entities")
    assert (told["_inbox_unread"], told["_degraded"]) == (7, ["inbox"])
    assert home.call(agent, "health")["status"] == "degraded"
    object.__setattr__(signals, "unread", counted)
    assert "_degraded" not in home.call(agent, "list_entities")


@pytest.mark.guarantee("E7")
def test_a_cursor_is_good_for_one_question_of_one_connection(home: House, agent: Agent) -> None:
    cursor = home.call(agent, "list_entities", limit=1)["cursor"]
    assert home.call(agent, "list_entities", limit=2, cursor=cursor)["items"][0]["name"] == "Bob"
    stranger = home.agent("full")
    for caller, tool, arguments in (
        (stranger, "list_entities", {"cursor": cursor}),
        (agent, "list_entities", {"cursor": cursor, "kind": "thing"}),
        (agent, "shout", {"cursor": cursor}),
        (agent, "list_entities", {"cursor": cursor[:-2] + ("AA" if cursor[-2:] != "AA" else "BB")}),
        (agent, "list_entities", {"cursor": "x" * 4000}),
        (agent, "list_entities", {"cursor": ""}),
    ):
        if arguments["cursor"]:
            assert home.refused(caller, tool, **arguments)["code"] == "invalid_cursor"


@pytest.mark.guarantee("E8")
def test_a_large_list_is_cut_at_a_row_and_goes_on(home: House, agent: Agent) -> None:
    seen: list[int] = []
    cursor: str | None = None
    for _page in range(20):
        more: dict[str, Any] = {"cursor": cursor} if cursor else {}
        payload = home.answer(agent, "shout", {"times": 100, "limit": 100, **more}).payload
        assert len(payload) <= 40_000
        told = json.loads(payload)
        seen += [row["n"] for row in told["items"]]
        cursor = told.get("cursor")
        if cursor is None:
            break
        assert told["truncated"] is True
    assert seen == list(range(100))


@pytest.mark.guarantee("E8")
@pytest.mark.parametrize("bound", [2_000, 10_000])
def test_max_bytes_bounds_any_answer(home: House, agent: Agent, bound: int) -> None:
    payload = home.answer(agent, "shout", {"times": 50, "limit": 50, "max_bytes": bound}).payload
    assert len(payload) <= bound
    assert home.refused(agent, "get_sdk_types", group="system", max_bytes=512)["code"] == "too_large"


@pytest.mark.guarantee("E9")
@pytest.mark.parametrize("how", ["key", "sql", "assertion"])
def test_a_fault_inside_is_told_without_its_insides(home: House, agent: Agent, how: str) -> None:
    error = home.refused(agent, "broken", how=how)
    assert set(error) == {"code", "message", "error_id"}
    assert error["code"] == "internal"
    assert error["error_id"].startswith("call-")
    for leak in ("secret", "SELECT", "nowhere", "KeyError"):
        assert leak not in json.dumps(error)


@pytest.mark.guarantee("E8")
@pytest.mark.parametrize(("length", "bound"), [(50_000, None), (14_000, None), (500, 2_000)])
def test_a_row_that_is_longer_than_an_answer_is_told_by_its_compact_keys_and_the_list_goes_on(
    home: House, agent: Agent, length: int, bound: int | None
) -> None:
    bounded = {"max_bytes": bound} if bound else {}
    payload = home.answer(agent, "shout_once", {"length": length, **bounded}).payload
    assert len(payload) <= (bound or 40_000)
    told = json.loads(payload)
    assert told["items"] == [{"n": 0, "text": "short"}, {"n": 1}, {"n": 2, "text": "short"}]
    assert told["truncated"] is True
    first = home.call(agent, "shout_once", length=length, limit=1, **bounded)
    assert "truncated" not in first
    second = home.call(agent, "shout_once", length=length, limit=1, cursor=first["cursor"], **bounded)
    assert (second["items"], second["truncated"]) == ([{"n": 1}], True)
    third = home.call(agent, "shout_once", length=length, limit=1, cursor=second["cursor"], **bounded)
    assert [row["n"] for row in third["items"]] == [2]


@pytest.mark.guarantee("E8")
def test_a_write_whose_answer_is_too_long_is_done_and_says_so() -> None:
    with house((*GROUPS, loud)) as home:
        agent = home.agent("full")
        told = home.call(agent, "make_loudly", name="Loud", idempotency_key="loud")
        assert "read it back" in told["warning"]
        assert told["mutation_seq"] > 0
        assert "text" not in told
        again = home.call(agent, "make_loudly", name="Loud", idempotency_key="loud")
        assert again == told
        assert "Loud" in [entity["name"] for entity in home.call(agent, "list_entities")["items"]]
