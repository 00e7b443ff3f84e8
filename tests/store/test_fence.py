"""What a write must still be true of at its very end."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from sophia.core.caller import Agent
from sophia.core.errors import ApprovalVoid, SophiaError, Unauthenticated, Unavailable
from sophia.core.scope import Scope
from sophia.store import fence, ownership
from sophia.store.databases import open_databases
from sophia.store.journal import Entry
from sophia.store.lockfile import LOCK_FILE
from sophia.store.ownership import acquire, release
from sophia.store.tx import Tx
from tests.support.house import House, house


def write(home: House, agent: Agent, act: Callable[[Tx], object] = lambda _tx: None) -> None:
    with home.databases.state.writing(agent, Entry("u-owner", agent.connection_id, "n", "t", "c", 1)) as unit:
        act(unit.tx)


@pytest.mark.guarantee("L14")
def test_an_owner_that_was_replaced_writes_to_neither_database(tmp_path: Path):
    with house(directory=tmp_path) as old:
        entity = old.entity("one")
        agent = old.agent()
        (tmp_path / "data" / LOCK_FILE).unlink()  # how a second owner comes about
        ownership = acquire(tmp_path / "data")
        try:
            new = open_databases(ownership, old.keys, old.clock)
            assert new.state.epoch == old.databases.state.epoch + 1
            refused = old.refused(agent, "update_entity", entity_id=entity, name="two")
            assert refused["code"] == "unavailable"
            assert "Another daemon owns this state" in refused["message"]
            for act in (
                lambda: old.parts.mint.revoke(agent.connection_id, "owner"),
                lambda: old.parts.mint.rotate(agent.connection_id, "owner"),
                lambda: old.parts.mint.rename(agent.connection_id, "x", "owner"),
                lambda: old.parts.mint.delivered(agent.connection_id),
                old.agent,
            ):
                with pytest.raises(Unavailable, match="Another daemon"):
                    act()
            assert old.call(agent, "get_entity", entity_id=entity)["name"] == "one", "reads go on"
            with new.state.writing(agent, Entry("u-owner", "c", "n", "t", "c", 1)) as unit:
                unit.tx.update("entity", entity, name="three")
            new.close()
        finally:
            release(ownership)


@pytest.mark.guarantee("T25", "D10")
@pytest.mark.parametrize("end", ["revoke", "rescope", "expire"])
def test_a_connection_that_ends_while_it_writes_commits_nothing(end: str):
    with house() as home:
        entity = home.entity("one")
        agent = home.agent(ttl_minutes=10)
        inside, ended = threading.Barrier(2, timeout=10), threading.Event()
        errors: list[BaseException] = []

        def slowly(tx: Tx) -> None:
            tx.update("entity", entity, name="two")
            inside.wait()
            ended.wait(10)

        def writes() -> None:
            try:
                write(home, agent, slowly)
            except SophiaError as error:
                errors.append(error)

        thread = threading.Thread(target=writes)
        thread.start()
        inside.wait()
        before = home.databases.state.head
        if end == "expire":
            home.clock.turn(11 * 60_000_000)
        ender = threading.Thread(
            target={
                "revoke": lambda: home.parts.mint.revoke(agent.connection_id, "owner"),
                "rescope": lambda: home.parts.mint.rescope(agent.connection_id, Scope(frozenset()), "owner"),
                "expire": lambda: None,
            }[end]
        )
        ender.start()
        ended.set()
        thread.join(10)
        ender.join(10)
        # The writer is alone with the state: what ends it waits, and then no later write gets in.
        if end == "expire":
            assert isinstance(errors[0], Unauthenticated)
            assert home.databases.state.head == before
        with pytest.raises(ApprovalVoid if end == "rescope" else Unauthenticated):
            write(home, agent)
        assert isinstance(home.again(agent.connection_id), type(agent)) is (end == "rescope")


@pytest.mark.guarantee("T25")
def test_a_connection_is_looked_at_again_at_the_very_end_of_its_write():
    with house() as home:
        entity = home.entity("one")
        agent = home.agent()
        db = home.databases.state.writer.db
        before = home.dump()

        def revoked_within(tx: Tx) -> None:
            tx.update("entity", entity, name="two")
            fence.raise_party(db, agent.connection_id, ended=True)

        with pytest.raises(Unauthenticated):
            write(home, agent, revoked_within)
        assert home.dump() == before
        write(home, agent, lambda tx: tx.update("entity", entity, name="three"))
        assert home.dump() != before


@pytest.mark.guarantee("4.10", "D11")
def test_an_expired_connection_stays_expired_whatever_the_clock_says():
    with house() as home:
        agent = home.agent(ttl_minutes=10)
        home.clock.set_wall(home.clock.now() - 86_400_000_000)  # set back a day: not a minute longer for that
        assert home.again(agent.connection_id) is not None
        home.clock.turn(10 * 60_000_000)
        assert home.again(agent.connection_id) is None

        other = home.agent(ttl_minutes=10)
        wall = home.clock.now()
        home.clock.set_wall(wall + 40 * 86_400_000_000)
        assert home.again(other.connection_id) is None
        home.parts.mint.expire()
        home.clock.set_wall(wall)
        assert home.again(other.connection_id) is None
        home.parts.mint.expire()


def test_a_page_is_really_written_to_prove_that_one_can_be():
    with house() as home:
        writer = home.databases.state.writer
        size = Path(writer.db.filename_wal).stat().st_size
        epoch = writer.epoch
        writer.probe()
        assert Path(writer.db.filename_wal).stat().st_size > size
        assert fence.epoch(writer.db) == epoch


@pytest.mark.guarantee("L4")
def test_a_child_that_was_forked_holds_no_lock_and_opens_nothing(tmp_path: Path):
    """What the hook does in a child, done here: nothing that was locked stays open."""
    held = acquire(tmp_path / "data")
    ownership._close_in_child()
    assert held.lock_fd == -1
    with pytest.raises(TypeError, match="forked from"):
        ownership.proven(held)
    release(acquire(tmp_path / "data"))
