"""A statement that takes too long is stopped, and says so."""

import time

import apsw
import pytest

from sophia.core.errors import DeadlineExceeded
from sophia.store import state
from sophia.store.deadline import Deadline
from sophia.store.journal import Entry
from tests.support.house import house

LONG = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000000) SELECT max(i) FROM n"


def test_a_statement_is_interrupted_at_its_deadline_and_not_before():
    db = apsw.Connection(":memory:")
    now = [0.0]
    deadline = Deadline(db, lambda: now[0])
    short = LONG.replace("300000000", "20000")
    with deadline.within(5):
        assert db.execute(short).get == 20000
        now[0] = 6
        with pytest.raises(apsw.InterruptError):
            db.execute(short).fetchall()
    assert db.execute(short).get == 20000, "without a deadline it runs to its end"


@pytest.mark.guarantee("4.22")
def test_a_slow_query_is_a_typed_error_and_the_connection_serves_on(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(state, "READ_S", 0.2)
    with house() as home:
        entity = home.entity("one")
        agent = home.agent("observer")
        began = time.monotonic()
        with pytest.raises(DeadlineExceeded), home.databases.state.reading(agent) as rows:
            rows.value(LONG)
        assert time.monotonic() - began < 5
        for _ in range(12):
            assert home.call(agent, "get_entity", entity_id=entity)["name"] == "one"


@pytest.mark.guarantee("4.22")
def test_a_slow_write_is_rolled_back_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(state, "WRITE_S", 0.2)
    with house() as home:
        entity = home.entity("one")
        before = home.dump()
        entry = Entry("u-owner", "owner", "owner", "t", "c", 1)

        def slow() -> None:
            with home.databases.state.writing(home.owner, entry) as unit:
                unit.tx.update("entity", entity, name="two")
                unit.tx.value(LONG)

        with pytest.raises(DeadlineExceeded):
            slow()
        assert home.dump() == before
        assert home.call(home.owner, "update_entity", entity_id=entity, name="three")
