"""Every tool for every kind of connection: reachable or refused, listed or not, as one frozen table says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.access.policy import Verdict, judge
from sophia.catalog.tool import Tool
from sophia.core.access import ELEVATED_WRITE_TOOLS, Access, NameStyle, SurfaceSize
from sophia.core.caller import Agent
from sophia.surface import GROUPS
from tests.support.asking import askings
from tests.support.house import House, house

TOOLS = [tool for group in GROUPS for tool in group.tools]
GOLDEN = Path(__file__).parent.parent / "golden" / "permissions.json"
KINDS = {
    "observer": {"profile": "observer"},
    "observer that may post": {"profile": "observer", "can_post": True},
    "assistant": {"profile": "assistant"},
    "full": {"profile": "full", "mode": "per_call"},
    "full, pre-approved": {"profile": "full"},
}


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def agents(home: House) -> dict[str, Agent]:
    return {kind: home.agent(**terms) for kind, terms in KINDS.items()}  # type: ignore[arg-type]


def test_the_table_of_permissions_is_the_frozen_one(agents: dict[str, Agent]) -> None:
    """Changed on purpose only: `python -m tests.surface.test_permission_matrix` writes it anew."""
    assert table(agents) == json.loads(GOLDEN.read_text("utf-8"))


def table(agents: dict[str, Agent]) -> dict[str, dict[str, str]]:
    return {
        tool.short: {"access": tool.access.value}
        | {kind: judge(agent, tool.access).value for kind, agent in agents.items()}
        for tool in sorted(TOOLS, key=lambda tool: tool.short)
    }


@pytest.mark.guarantee("P1")
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.short)
@pytest.mark.parametrize("kind", KINDS)
def test_a_call_meets_what_the_policy_says(home: House, agents: dict[str, Agent], tool: Tool, kind: str) -> None:
    agent = agents[kind]
    before = home.dump()
    verdict = judge(agent, tool.access)
    for spelling in (tool.name, f"sophia_{tool.short}", tool.short, tool.method):
        arguments = next(askings(home.parts.catalog, tool, ["e-00000000000000000000000000"]))
        answer = home.answer(agent, spelling, arguments)
        code = json.loads(answer.payload).get("error", {}).get("code")
        match verdict:
            case Verdict.REFUSE:
                assert code == "write_not_permitted"
            case Verdict.ASK:
                # A call that cannot run is refused for that, and nobody is asked to approve it.
                assert code not in (None, "write_not_permitted", "internal")
            case Verdict.GO:
                assert code not in ("write_not_permitted", "approval_pending", "internal")
    if verdict is not Verdict.GO or tool.access is Access.READ:
        assert home.dump() == before


OUTCOMES = {
    "observer": ("write_not_permitted", "write_not_permitted"),
    "observer that may post": ("write_not_permitted", "write_not_permitted"),
    "assistant": ("approval_pending", "approval_pending"),
    "full": ("approval_pending", "approval_pending"),
    "full, pre-approved": (None, "approval_pending"),
}
"""What an ordinary and an elevated write that could run come to, for each kind of connection."""


@pytest.mark.guarantee("P1", "P3", "P4", "P5", "P6")
@pytest.mark.parametrize("kind", KINDS)
def test_a_write_that_could_run_waits_runs_or_is_refused(kind: str) -> None:
    ordinary, elevated = OUTCOMES[kind]
    with house() as standing:
        agent = standing.agent(**KINDS[kind])  # type: ignore[arg-type]
        entity = standing.entity("Ada")
        body = standing.call(standing.owner, "add_document", title="D", body="Ada likes tea.", entity_ids=[entity])
        source = body["document"]["document_id"]
        claims = [{"id": "a", "entity": entity, "predicate": "likes", "object": "tea", "quote": "Ada likes tea"}]
        cases: list[tuple[str, dict[str, Any], str | None]] = [
            ("update_entity", {"entity_id": entity, "summary": "new"}, ordinary),
            ("add_document", {"title": "E", "body": "text"}, ordinary),
            ("submit_claim_graph", {"source_id": source, "claims": claims}, ordinary),
            ("create_entity", {"kind": "person", "name": "Eve"}, elevated),
            ("remember_fact", {"entity_id": entity, "predicate": "likes", "object": "tea"}, elevated),
            (
                "submit_claim_graph",
                {"source_id": source, "claims": claims, "entities": [{"name": "Eve", "kind": "person"}]},
                elevated,
            ),
        ]
        for tool, arguments, outcome in cases:
            before = standing.dump()
            answer = standing.answer(agent, tool, arguments)
            code = json.loads(answer.payload).get("error", {}).get("code")
            assert code == outcome, (tool, arguments)
            assert (standing.dump() == before) is (outcome is not None)


@pytest.mark.guarantee("P17")
@pytest.mark.parametrize("kind", KINDS)
def test_permissions_listing_and_catalog_name_the_same_tools(home: House, agents: dict[str, Agent], kind: str) -> None:
    agent = agents[kind]
    front = home.parts.front(None, 0)  # type: ignore[arg-type]
    permissions = home.call(agent, "get_permissions")
    assert set(permissions) >= {
        "permission_profile", "entity_scope", "write_approval_mode", "approved_tools", "request_count",
    }  # fmt: skip
    approved = set(permissions["approved_tools"])
    full = {tool["name"] for tool in json.loads(front.listing(agent, SurfaceSize.FULL, NameStyle.DOTTED))}
    core = {tool["name"] for tool in json.loads(front.listing(agent, SurfaceSize.CORE, NameStyle.DOTTED))}
    catalog = home.call(agent, "capability_catalog", brief=True)["groups"]
    assert approved == full == {name for names in catalog.values() for name in names}
    assert core < full
    assert approved == {tool.name for tool in TOOLS if judge(agent, tool.access) is not Verdict.REFUSE}


@pytest.mark.guarantee("P2", "P5")
def test_each_tool_has_one_access_class_and_the_elevated_ones_are_the_fixed_four() -> None:
    elevated = {tool.short for tool in TOOLS if tool.access is Access.ELEVATED}
    assert elevated <= ELEVATED_WRITE_TOOLS
    assert elevated == ELEVATED_WRITE_TOOLS & {tool.short for tool in TOOLS}
    assert {tool.access for tool in TOOLS if tool.group.startswith(("read_", "preflight", "orient"))} == {Access.READ}
    assert Access.READ not in {tool.access for tool in TOOLS if tool.group.startswith("mutate_")}


if __name__ == "__main__":
    with house() as standing:
        made = table({kind: standing.agent(**terms) for kind, terms in KINDS.items()})  # type: ignore[arg-type]
    GOLDEN.write_text(json.dumps(made, indent=2) + "\n", "utf-8")
