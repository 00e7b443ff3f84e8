"""Who calls is remembered, and never longer than it is true."""

from collections.abc import Iterator

import pytest
from apsw import SQLError

from sophia.access.roster import Roster
from sophia.core.clock import MINUTE, SECOND
from sophia.core.scope import Scope
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def roster(home: House) -> Roster:
    return Roster(home.databases.ops, home.clock)


def bearer(home: House, connection_id: str) -> bytes:
    return home.tokens[connection_id].encode()


def test_a_revoked_connection_is_nobody_from_the_very_next_request(home: House, roster: Roster):
    agent = home.agent("full")
    assert roster.of(bearer(home, agent.connection_id)) == agent
    home.parts.mint.revoke(agent.connection_id, "owner")
    assert roster.of(bearer(home, agent.connection_id)) is None


def test_a_narrowed_scope_holds_from_the_very_next_request(home: House, roster: Roster):
    agent = home.agent("full")
    token = bearer(home, agent.connection_id)
    assert roster.of(token) == agent
    home.parts.mint.rescope(agent.connection_id, Scope(frozenset({"e-1"})), "owner")
    found = roster.of(token)
    assert found is not None
    assert found.scope == Scope(frozenset({"e-1"}))


def test_an_expiring_connection_is_nobody_once_its_time_is_over(home: House, roster: Roster):
    agent = home.agent("full", ttl_minutes=5)
    token = bearer(home, agent.connection_id)
    assert roster.of(token) is not None
    home.clock.turn(5 * MINUTE)
    assert roster.of(token) is None


def test_the_old_bearer_of_a_rotation_is_not_remembered(home: House, roster: Roster):
    agent = home.agent("full")
    old = bearer(home, agent.connection_id)
    fresh = home.parts.mint.rotate(agent.connection_id, "owner").bearer_token.encode()
    assert roster.of(old) is not None
    assert roster.of(fresh) is not None
    home.clock.turn(61 * SECOND)
    assert roster.of(old) is None
    assert roster.of(fresh) is not None


def test_what_is_no_bearer_is_nobody(roster: Roster):
    assert roster.of(b"") is None
    assert roster.of(b"sophia_" + b"x" * 43) is None


def test_a_write_that_failed_is_not_taken_for_one_that_was_kept(home: House, roster: Roster):
    agent = home.agent("full")
    token = bearer(home, agent.connection_id)
    assert roster.of(token) == agent
    with pytest.raises(SQLError), home.databases.ops.writing() as tx:
        tx.run("UPDATE connection SET name = 'another' RETURNING nothing")
    assert roster.of(token) == agent


def test_a_filed_request_is_told_with_the_very_next_answer(home: House):
    agent = home.agent("assistant")
    entity_id = home.entity("Thing")
    assert "_approvals_pending" not in home.call(agent, "get_entity", entity_id=entity_id)
    pending = home.refused(agent, "update_entity", entity_id=entity_id, summary="said")
    assert home.call(agent, "get_entity", entity_id=entity_id)["_approvals_pending"] == 1
    home.parts.approvals.deny(pending["details"]["approval_id"], "owner", None)
    assert "_approvals_pending" not in home.call(agent, "get_entity", entity_id=entity_id)
