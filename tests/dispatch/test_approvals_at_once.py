"""Whatever happens at the same moment, a request runs once or not at all, and its record says which."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest

from sophia.access import approvals as records
from sophia.core.caller import Agent
from sophia.core.clock import MINUTE
from sophia.core.errors import Conflict, StorageFull, Unavailable
from sophia.core.scope import Scope
from sophia.store.failpoints import Failpoints
from tests.support.house import House, house


def asked(home: House, agent: Agent, name: str = "asked") -> str:
    """A request that waits."""
    error = home.refused(agent, "create_entity", kind="k", name=name)
    assert error["code"] == "approval_pending"
    approval: str = error["details"]["approval_id"]
    return approval


def _asked_for(home: House, agent: Agent, name: str, _: int) -> str:
    return asked(home, agent, name)


def at_once(act: Callable[[int], object], times: int = 20) -> list[object]:
    """What each of so many simultaneous acts came to: its result, or the exception that it raised."""
    gate = Barrier(times, timeout=20)

    def one(n: int) -> object:
        gate.wait()
        try:
            return act(n)
        except Exception as error:  # noqa: BLE001 (it is what is looked at)
            return error

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def entities(home: House) -> int:
    return int(home.call(home.owner, "list_entities")["total"])


@pytest.mark.guarantee("P9")
def test_twenty_approvals_at_once_run_once_and_twenty_repeats_get_that_one_result():
    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        told = at_once(lambda _: home.parts.approvals.approve(approval, "owner").status)
        assert told.count("approved") == 1
        assert all(isinstance(one, Conflict) for one in told if one != "approved")
        assert entities(home) == 1
        answers = at_once(lambda _: home.answer(agent, "create_entity", {"kind": "k", "name": "asked"}).payload)
        assert len(set(answers)) == 1
        assert b'"mutation_seq":1' in answers[0]  # type: ignore[operator]
        assert entities(home) == 1


@pytest.mark.guarantee("P9")
def test_the_same_call_made_twenty_times_at_once_is_one_request():
    with house() as home:
        agent = home.agent()
        told = [at_once(partial(_asked_for, home, agent, name)) for name in ("a", "b", "c", "d", "e")]
        assert [len(set(each)) for each in told] == [1] * 5
        assert home.call(agent, "list_approvals")["total"] == 5
        home.parts.approvals.approve(str(told[0][0]), "owner")
        assert entities(home) == 1


@pytest.mark.guarantee("P9")
@pytest.mark.parametrize("attempt", range(5))
def test_what_is_approved_and_denied_at_once_is_one_of_them(attempt: int):
    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        approvals = home.parts.approvals
        at_once(lambda n: approvals.approve(approval, "a") if n % 2 else approvals.deny(approval, "b", None), 8)
        status = home.call(agent, "get_approval", approval_id=approval)["status"]
        assert (status, entities(home)) in (("approved", 1), ("denied", 0))


@pytest.mark.guarantee("P9", "P14")
def test_what_ran_and_could_not_be_recorded_is_not_denied_afterwards():
    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        db = home.databases.ops.writer.db
        db.execute("CREATE TEMP TRIGGER full BEFORE UPDATE ON main.approval BEGIN SELECT raise(ABORT, 'no'); END")
        with pytest.raises(Conflict):
            home.parts.approvals.approve(approval, "owner")
        db.execute("DROP TRIGGER temp.full")
        assert entities(home) == 1
        with pytest.raises(Conflict, match="is approved"):
            home.parts.approvals.deny(approval, "owner", None)
        assert home.call(agent, "get_approval", approval_id=approval)["status"] == "approved"
        assert "mutation_seq" in home.call(agent, "create_entity", kind="k", name="asked")
        assert entities(home) == 1


@pytest.mark.guarantee("P10")
@pytest.mark.parametrize("change", ["revoked", "narrowed", "target changed", "tool gone"])
def test_a_request_whose_ground_changed_runs_nothing_and_is_asked_anew(change: str):
    with house() as home:
        entity = home.entity("one")
        agent = home.agent("assistant")
        arguments = {"entity_id": entity, "name": "two"}
        approval = home.refused(agent, "update_entity", **arguments)["details"]["approval_id"]
        if change == "revoked":
            home.parts.mint.revoke(agent.connection_id, "owner")
            with pytest.raises(Conflict, match="is void"):
                home.parts.approvals.approve(approval, "owner")
        else:
            if change == "narrowed":
                home.parts.mint.rescope(agent.connection_id, Scope(frozenset({entity})), "owner")
            elif change == "target changed":
                home.call(home.owner, "update_entity", entity_id=entity, name="changed meanwhile")
            else:
                del home.parts.catalog.names["sophia.update_entity"]
            assert home.parts.approvals.approve(approval, "owner").status == "void"
        assert home.call(home.owner, "get_entity", entity_id=entity)["name"] in ("one", "changed meanwhile")
        again = home.again(agent.connection_id)
        if again is not None and change != "tool gone":
            new = home.refused(again, "update_entity", **arguments)
            assert new["code"] == "approval_pending"
            assert new["details"]["approval_id"] != approval


@pytest.mark.guarantee("P9", "D10")
def test_what_ran_before_its_connection_was_revoked_is_told_as_what_it_is():
    """The write was committed; the revocation ended the request's record; the record of the run comes last."""
    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        home.parts.mint.revoke(agent.connection_id, "owner")
        with home.databases.ops.writing() as tx:
            assert records.find(tx, approval).status == "void"  # type: ignore[union-attr]
            assert records.end(tx, approval, "approved", home.clock, result="{}")
            assert not records.end(tx, approval, "approved", home.clock, result="{}")
            assert not records.end(tx, approval, "denied", home.clock)


@pytest.mark.guarantee("P11", "4.10")
def test_a_request_expires_by_time_that_passes_and_not_by_the_wall():
    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        home.clock.set_wall(home.clock.now() + 40 * 24 * 60 * MINUTE)
        assert home.call(agent, "get_approval", approval_id=approval)["status"] == "pending"
        home.clock.set_wall(home.clock.now() - 80 * 24 * 60 * MINUTE)
        home.clock.turn(10 * MINUTE)
        assert home.call(agent, "get_approval", approval_id=approval)["status"] == "expired"
        home.clock.set_wall(0)
        with pytest.raises(Conflict, match="is expired"):
            home.parts.approvals.approve(approval, "owner")
        assert asked(home, agent) != approval
        assert entities(home) == 0


@pytest.mark.guarantee("P11")
def test_no_request_outlives_the_boot_in_which_it_was_filed():
    with house() as home:
        approval = asked(home, home.agent())
        home.clock.reboot()
        with pytest.raises(Conflict, match="is expired"):
            home.parts.approvals.approve(approval, "owner")


@pytest.mark.guarantee("P13")
def test_twenty_requests_of_a_connection_wait_and_no_more():
    with house() as home:
        agent, other = home.agent(), home.agent(name="other")
        told = at_once(lambda n: home.refused(agent, "create_entity", kind="k", name=f"n{n}")["code"], 30)
        assert (told.count("approval_pending"), told.count("limit_reached")) == (20, 10)
        assert home.refused(other, "create_entity", kind="k", name="n")["code"] == "approval_pending"
        home.clock.turn(10 * MINUTE)
        assert asked(home, agent)


@pytest.mark.guarantee("P16")
def test_a_denial_stands_for_ten_minutes_and_is_shown_with_what_is_asked_after_them():
    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        home.parts.approvals.deny(approval, "owner", "not now")
        for minutes in (0, 5, 4):
            home.clock.turn(minutes * MINUTE)
            again = home.refused(agent, "create_entity", kind="k", name="asked")
            assert again["code"] == "approval_denied"
            assert again["details"] == {"approval_id": approval, "reason": "not now"}
        home.clock.set_wall(home.clock.now() + 24 * 60 * MINUTE)
        assert home.refused(agent, "create_entity", kind="k", name="asked")["code"] == "approval_denied"
        home.clock.turn(1 * MINUTE)
        new = asked(home, agent)
        with home.databases.ops.reading() as rows:
            shown = json.loads(records.find(rows, new).preview)  # type: ignore[union-attr]
        assert shown["denied_before"] == {"approval_id": approval, "reason": "not now"}


@pytest.mark.guarantee("P9")
@pytest.mark.parametrize("error", [StorageFull, Unavailable])
def test_what_fails_for_want_of_storage_can_be_approved_again(error: type[Exception]):
    class Failing(Failpoints):
        def reach(self, name: str) -> None:
            if name == "before_commit":
                raise error

    with house() as home:
        agent = home.agent()
        approval = asked(home, agent)
        state = home.databases.state
        state._failpoints, kept = Failing(), state._failpoints
        with pytest.raises(error):
            home.parts.approvals.approve(approval, "owner")
        state._failpoints = kept
        assert home.call(agent, "get_approval", approval_id=approval)["status"] == "pending"
        assert home.parts.approvals.approve(approval, "owner").status == "approved"
        assert entities(home) == 1


def test_a_write_whose_scope_cannot_be_widened_stands_and_the_next_start_widens_it():
    from sophia.dispatch.reconcile import reconcile

    with house() as home:
        entity = home.entity("one")
        agent = home.agent("full", scope=[entity])
        approval = asked(home, agent)
        db = home.databases.ops.writer.db
        db.execute("CREATE TEMP TRIGGER full BEFORE UPDATE OF entity_scope ON main.connection"
                   " BEGIN SELECT raise(ABORT, 'no'); END")  # fmt: skip
        assert home.parts.approvals.approve(approval, "owner").status == "approved"
        db.execute("DROP TRIGGER temp.full")
        assert home.again(agent.connection_id).scope == agent.scope  # type: ignore[union-attr]
        parts = home.parts
        assert len(reconcile(parts.databases.state, parts.databases.ops, parts.mint, home.clock)) == 1
        assert len(home.again(agent.connection_id).scope.entities or ()) == 2  # type: ignore[union-attr]
        assert reconcile(parts.databases.state, parts.databases.ops, parts.mint, home.clock) == []


@pytest.mark.guarantee("E6")
def test_an_answer_is_not_lost_for_a_signal_that_cannot_be_told():
    with house() as home:
        entity = home.entity("one")
        agent = home.agent()
        ops = home.databases.ops
        reading, ops.reading = ops.reading, None  # type: ignore[method-assign, assignment]

        def broken(*_: object) -> object:
            raise Unavailable

        ops.reading = broken  # type: ignore[method-assign, assignment]
        told = home.call(agent, "update_entity", entity_id=entity, name="two")
        assert told["_degraded"] == ["approvals"]
        ops.reading = reading  # type: ignore[method-assign]
        assert "_degraded" not in home.call(agent, "get_entity", entity_id=entity)
