"""A write that is named by a key runs once."""

import pytest

from sophia.dispatch.reconcile import reconcile
from sophia.store.once import Done
from tests.support.house import house


@pytest.mark.guarantee("P9")
def test_a_keyed_write_runs_once_and_a_repeat_gets_the_same_answer():
    with house() as home:
        entity = home.entity("one")
        agent = home.agent()
        first = home.call(agent, "update_entity", entity_id=entity, name="two", idempotency_key="k")
        home.call(agent, "update_entity", entity_id=entity, name="three")
        assert home.call(agent, "update_entity", entity_id=entity, name="two", idempotency_key="k") == first
        assert home.call(agent, "get_entity", entity_id=entity)["name"] == "three"
        other = home.refused(agent, "update_entity", entity_id=entity, name="four", idempotency_key="k")
        assert other["code"] == "idempotency_mismatch"
        assert home.call(home.agent(), "update_entity", entity_id=entity, name="two", idempotency_key="k") != first


def test_a_refused_write_uses_up_no_key():
    with house() as home:
        agent = home.agent()
        refused = home.refused(agent, "update_entity", entity_id="e-1", name="x", idempotency_key="k")
        assert refused["code"] == "not_found"
        assert home.databases.state.done(agent.connection_id, "call:k") is None
        entity = home.entity("one")
        told = home.call(agent, "update_entity", entity_id=entity, name="x", idempotency_key="k")
        done = home.databases.state.done(agent.connection_id, "call:k")
        assert isinstance(done, Done)
        assert done.mutation_seq == told["mutation_seq"]


@pytest.mark.guarantee("P14")
def test_no_key_of_an_agents_own_poses_as_an_approval():
    with house() as home:
        entity = home.entity("one")
        agent = home.agent()
        pending = home.refused(agent, "create_entity", kind="k", name="asked")["details"]["approval_id"]
        home.call(agent, "update_entity", entity_id=entity, name="x", idempotency_key=f"approval:{pending}")
        parts = home.parts
        assert reconcile(parts.databases.state, parts.databases.ops, parts.mint, home.clock) == []
        assert home.call(agent, "get_approval", approval_id=pending)["status"] == "pending"
        assert parts.approvals.approve(pending, "owner").status == "approved"
