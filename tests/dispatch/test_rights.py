"""Rights that change while calls, keys and approvals are under way: what was said last holds."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from sophia.core.errors import DeadlineExceeded
from sophia.core.scope import Scope
from sophia.dispatch.reconcile import reconcile
from tests.support.desk import AtDesk, desk
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


def test_a_narrowing_is_not_undone_by_an_entity_that_joins_at_that_moment(home: House) -> None:
    one, secret = home.entity("One"), home.entity("Secret")
    agent = home.agent("full", scope=[one, secret])
    made = home.entity("Made")
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset([one])), "owner")
    assert not home.parts.mint.join(agent.connection_id, agent.epoch, [made])
    now = home.again(agent.connection_id)
    assert now is not None
    assert now.scope == Scope(frozenset([one]))


def test_every_entity_that_joins_a_scope_stays_in_it(at: AtDesk) -> None:
    home = at.house
    one = home.entity("One")
    agent = home.agent("full", scope=[one])
    filed = [
        home.refused(agent, "create_entity", kind=f"kind{n}", name=f"Joined {n}")["details"]["approval_id"]
        for n in range(8)
    ]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda each: home.parts.approvals.approve(each, "owner"), filed))
    now = home.again(agent.connection_id)
    assert now is not None
    assert len(now.scope.entities or ()) == 9


def test_a_result_kept_from_before_a_narrowing_is_not_shown_after_it(home: House) -> None:
    """C7: an idempotent repeat, the repeat of an approved call, get_approval and list_approvals all show it."""
    one, secret = home.entity("One"), home.entity("CANARY")
    agent = home.agent("full")
    home.call(agent, "update_entity", entity_id=secret, summary="s", idempotency_key="k")
    asked = home.refused(agent, "remember_fact", entity_id=secret, predicate="likes", object="tea")
    approval_id = asked["details"]["approval_id"]
    home.parts.approvals.approve(approval_id, "owner")
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset([one])), "owner")
    now = home.again(agent.connection_id)
    assert now is not None
    told = [
        home.answer(now, "update_entity", {"entity_id": secret, "summary": "s", "idempotency_key": "k"}),
        home.answer(now, "remember_fact", {"entity_id": secret, "predicate": "likes", "object": "tea"}),
        home.answer(now, "get_approval", {"approval_id": approval_id}),
        home.answer(now, "list_approvals", {}),
    ]
    assert [n for n, answer in enumerate(told) if b"CANARY" in answer.payload] == []


def test_an_idempotency_key_holds_for_a_call_that_was_approved(home: House) -> None:
    agent = home.agent("assistant")
    first = home.refused(agent, "add_document", title="T", body="one", idempotency_key="K")
    done = home.parts.approvals.approve(first["details"]["approval_id"], "owner")
    seq = json.loads(done.result or "{}")["mutation_seq"]
    assert home.refused(agent, "add_document", title="T", body="two", idempotency_key="K")["code"] == (
        "idempotency_mismatch"
    )
    home.clock.turn(11 * 60 * 1_000_000)
    assert home.call(agent, "add_document", title="T", body="one", idempotency_key="K")["mutation_seq"] == seq


def test_an_agents_key_cannot_stand_in_for_its_approval(home: House) -> None:
    agent = home.agent("full")
    asked = home.refused(agent, "create_entity", kind="person", name="Ada")["details"]["approval_id"]
    home.call(agent, "add_document", title="x", body="x", idempotency_key=f"approval:{asked}")
    assert home.parts.approvals.approve(asked, "owner").status == "approved"


def test_one_call_made_many_times_at_once_is_one_request(home: House) -> None:
    agent = home.agent("assistant")
    gate = Barrier(8)

    def ask(_: int) -> str:
        gate.wait()
        return str(home.refused(agent, "create_entity", kind="person", name="Ada")["details"]["approval_id"])

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1


def test_a_failed_approval_is_what_its_repeat_is_told(home: House) -> None:
    agent = home.agent("assistant")
    entity = home.entity("Ada")
    asked = home.refused(agent, "update_entity", entity_id=entity, summary="x")["details"]["approval_id"]

    def failing(_order: object) -> bytes:
        raise DeadlineExceeded

    run = home.parts.approvals.writes.run
    object.__setattr__(home.parts.approvals.writes, "run", failing)
    assert home.parts.approvals.approve(asked, "owner").status == "failed"
    object.__setattr__(home.parts.approvals.writes, "run", run)
    assert home.refused(agent, "update_entity", entity_id=entity, summary="x")["code"] == "deadline_exceeded"
    home.clock.turn(11 * 60 * 1_000_000)
    assert home.refused(agent, "update_entity", entity_id=entity, summary="x")["code"] == "approval_pending"


def test_an_empty_scope_sees_no_history_of_predicates(home: House) -> None:
    home.call(
        home.owner, "define_predicate", predicate="canary", value_type="text", single_valued=True, reason="CANARY"
    )
    blind = home.agent("observer", scope=[])
    assert home.call(blind, "list_mutations")["total"] == 0
    assert "CANARY" not in str(home.call(blind, "orient"))
    assert not home.call(blind, "orient", sections=["recent_mutations"])["sections"]["recent_mutations"].get("items")


def test_a_connection_can_be_revoked_while_the_state_is_read_only(at: AtDesk) -> None:
    agent = at.house.agent("full")
    at.house.databases.state.read_only = "rolled back"
    at.ask("revoke", {"connection_id": agent.connection_id})
    assert at.house.again(agent.connection_id) is None


def test_a_new_scope_ends_what_was_allowed_in_the_old_one(at: AtDesk) -> None:
    ada = at.house.entity("Ada")
    agent = at.house.agent("assistant")
    at.ask("allow", {"tool": "update_entity", "connection_id": agent.connection_id, "minutes": 60})
    assert at.house.call(agent, "update_entity", entity_id=ada, summary="a")["mutation_seq"]
    at.ask("scope", {"connection_id": agent.connection_id, "entity_scope": [ada]})
    now = at.house.again(agent.connection_id)
    assert now is not None
    assert at.house.refused(now, "update_entity", entity_id=ada, summary="b")["code"] == "approval_pending"


def test_a_call_from_before_a_narrowing_is_shown_nothing_that_was_kept(home: House) -> None:
    ada = home.entity("Ada")
    agent = home.agent("assistant")
    asking = {"entity_id": ada, "summary": "CANARY"}
    asked = home.refused(agent, "update_entity", **asking)["details"]["approval_id"]
    home.parts.approvals.approve(asked, "owner")
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset()), "owner")
    assert home.refused(agent, "update_entity", **asking)["code"] == "approval_void"


def test_what_is_allowed_for_a_while_is_foreseen_as_such(at: AtDesk) -> None:
    ada = at.house.entity("Ada")
    agent = at.house.agent("assistant")
    asking = {"tool": "update_entity", "arguments": {"entity_id": ada, "summary": "a"}}
    assert at.house.call(agent, "check_write", **asking)["needs_approval"]
    at.ask("allow", {"tool": "update_entity", "connection_id": agent.connection_id, "minutes": 60})
    assert not at.house.call(agent, "check_write", **asking)["needs_approval"]


def test_a_quote_from_an_archived_document_still_holds(home: House) -> None:
    entity = home.entity("Ada")
    document = home.call(home.owner, "add_document", title="D", body="Ada likes tea.")["document"]["document_id"]
    claim = {"id": "a", "entity": entity, "predicate": "likes", "object": "tea", "quote": "Ada likes tea"}
    fact = home.call(home.owner, "submit_claim_graph", source_id=document, claims=[claim])["verdicts"][0]["fact_id"]
    home.call(home.owner, "archive_document", document_id=document)
    assert home.call(home.owner, "explain_fact", fact_id=fact)["verdict"] == "holds"


@pytest.mark.guarantee("T16")
def test_another_connections_handles_are_as_good_as_none(home: House) -> None:
    mine, other = home.agent("assistant"), home.agent("assistant")
    asked = home.refused(mine, "create_entity", kind="person", name="Ada")["details"]["approval_id"]
    foreign = home.refused(other, "get_approval", approval_id=asked)
    unknown = home.refused(other, "get_approval", approval_id="appr-00000000000000000000000000")
    assert {**foreign, "error_id": ""} == {**unknown, "error_id": ""}
    assert home.call(other, "list_approvals")["total"] == 0
    for _ in range(2):
        home.entity("Thing")
    cursor = home.call(mine, "list_entities", limit=1)["cursor"]
    assert home.refused(other, "list_entities", limit=1, cursor=cursor)["code"] == "invalid_cursor"


def test_a_connection_that_was_revoked_while_nothing_could_be_written_is_ended_at_the_next_start(home: House) -> None:
    agent = home.agent("full")
    home.databases.state.read_only = "rolled back"
    home.parts.mint.revoke(agent.connection_id, "owner")
    home.databases.state.read_only = None
    done = reconcile(home.databases.state, home.databases.ops, home.parts.mint, home.clock)
    assert done == ["1 connections were revoked while nothing could be written"]
    assert reconcile(home.databases.state, home.databases.ops, home.parts.mint, home.clock) == []
    assert home.again(agent.connection_id) is None
    assert home.refused(agent, "add_document", title="t", body="b")["code"] == "invalid_or_revoked_bearer"
