"""Every tool, fed everything that its schema allows and much that it does not: an answer or a structured refusal."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from sophia.catalog.tool import Tool
from sophia.core.caller import Agent
from sophia.core.errors import ERRORS
from sophia.dispatch.envelope import HARD_CAP
from sophia.surface import GROUPS
from tests.support.asking import ANYTHING, drawn
from tests.support.house import House, house

TOOLS = [tool for group in GROUPS for tool in group.tools]
CODES = {error.code for error in ERRORS} - {"internal"}


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        standing.entity("Ada")
        yield standing


@pytest.fixture(scope="module")
def agent(home: House) -> Agent:
    return home.agent("full")


def answered(home: House, agent: Agent, tool: Tool, arguments: Any) -> None:
    answer = home.answer(agent, tool.name, arguments)
    told = json.loads(answer.payload)
    assert len(answer.payload.decode()) <= HARD_CAP
    assert isinstance(told["_inbox_unread"], int)
    if answer.is_error:
        error = told["error"]
        assert error["code"] in CODES, error
        assert error["message"].strip()
        for leak in ("Traceback", "SELECT ", "apsw", ".py", str(home.directory)):
            assert leak not in answer.payload.decode()
    else:
        assert "error" not in told or tool.short in ("get_approval", "list_approvals")


@pytest.mark.guarantee("E1", "E8", "T22")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.short)
def test_what_the_schema_allows_is_answered(home: House, agent: Agent, tool: Tool) -> None:
    @given(drawn(home.parts.catalog.schemas[tool.name]))
    @settings(max_examples=25)
    def fed(arguments: dict[str, Any]) -> None:
        answered(home, agent, tool, arguments)

    fed()


@pytest.mark.guarantee("E9", "T22")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.short)
def test_what_the_schema_does_not_allow_is_refused_in_words(home: House, agent: Agent, tool: Tool) -> None:
    names = st.sampled_from(sorted(home.parts.catalog.schemas[tool.name]["properties"])) | st.text(max_size=10)

    @given(st.dictionaries(names, ANYTHING, max_size=4))
    @settings(max_examples=25)
    def fed(arguments: dict[str, Any]) -> None:
        answered(home, agent, tool, arguments)

    fed()


@pytest.mark.guarantee("T22")
@pytest.mark.parametrize("bad", ["a\0b", "\ud800", 2**63, -(2**64), 10**400], ids=repr)
def test_what_sqlite_would_bend_never_reaches_it(home: House, agent: Agent, bad: Any) -> None:
    error = home.refused(agent, "list_entities", kind=bad)
    assert error["code"] == "bad_arguments"
    nested = home.refused(agent, "check_write", tool="create_entity", arguments={"kind": "x", "name": bad})
    assert nested["code"] == "bad_arguments"
