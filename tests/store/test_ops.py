"""The security log keeps every act, and tells when it was touched."""

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from sophia.core.errors import SophiaError, Unavailable
from sophia.core.scope import EVERYTHING
from sophia.store.ops import LogHead, broken_event
from tests.support.beneath import offline
from tests.support.house import House, house


def three_events(place: Path) -> None:
    with house(directory=place) as home:
        agent = home.agent()
        home.parts.mint.rename(agent.connection_id, "other", "owner")
        home.parts.mint.revoke(agent.connection_id, "owner", "because")


@pytest.mark.guarantee("A8")
@pytest.mark.parametrize(
    ("sql", "first"),
    [
        ("DELETE FROM security_event WHERE n = 2", 2),
        ("DELETE FROM security_event WHERE n = 1", 1),
        ("UPDATE security_event SET who = 'somebody' WHERE n = 2", 2),
        ("UPDATE security_event SET details = '{}' WHERE n = 3", 3),
        ("UPDATE security_event SET at = at + 1 WHERE n = 1", 1),
        ("UPDATE security_event SET hash = 'x' WHERE n = 3", 3),
        ("INSERT INTO security_event SELECT 0, at, what, who, about, details, hash FROM security_event WHERE n = 1", 1),
    ],
)
def test_an_offline_edit_of_the_security_log_is_reported_at_its_first_event(tmp_path: Path, sql: str, first: int):
    three_events(tmp_path)
    with offline(tmp_path, "ops") as (db, _):
        assert broken_event(db) is None
        db.execute(sql)
        assert broken_event(db) == first
        if first == 1 and "DELETE" not in sql and "INSERT" not in sql:
            assert broken_event(db, after=1) is None


@pytest.mark.guarantee("A7", "M10")
@pytest.mark.parametrize("act", ["mint", "rename", "rescope", "rotate", "revoke", "approve", "deny", "ask"])
def test_an_act_that_cannot_be_recorded_does_not_happen(act: str):
    with house() as home:
        agent = home.agent("full", scope=[])
        full = home.agent()
        pending = home.refused(full, "create_entity", kind="k", name="n")["details"]["approval_id"]
        db = home.databases.ops.writer.db
        db.execute("CREATE TEMP TRIGGER full BEFORE INSERT ON main.security_event BEGIN SELECT raise(ABORT, 'no'); END")
        before = told(home)
        mint, approvals = home.parts.mint, home.parts.approvals

        acts: dict[str, Callable[[], object]] = {
            "mint": home.agent,
            "rename": lambda: mint.rename(agent.connection_id, "x", "owner"),
            "rescope": lambda: mint.rescope(agent.connection_id, EVERYTHING, "owner"),
            "rotate": lambda: mint.rotate(agent.connection_id, "owner"),
            "revoke": lambda: mint.revoke(agent.connection_id, "owner"),
            "approve": lambda: approvals.approve(pending, "owner"),
            "deny": lambda: approvals.deny(pending, "owner", None),
            "ask": lambda: home.refused(full, "create_entity", kind="k", name="other"),
        }
        if act == "ask":
            assert home.refused(full, "create_entity", kind="k", name="other")["code"] == "conflict"
        else:
            with pytest.raises((SophiaError, apsw.Error)):
                acts[act]()
        assert told(home) == before
        db.execute("DROP TRIGGER temp.full")
        acts[act]()
        assert told(home) != before


def told(home: House) -> list[tuple[object, ...]]:
    with home.databases.ops.reading() as rows:
        return [
            tuple(row.values())
            for table in ("connection", "approval", "security_event")
            for row in rows.rows(f"SELECT * FROM {table}")
        ]


@pytest.mark.guarantee("A6")
def test_a_log_knows_how_far_it_has_come():
    with house() as home:
        ops = home.databases.ops
        assert ops.head == LogHead(0, "0" * 64)
        home.agent()
        first = ops.head
        home.agent()
        assert ops.head.n == 2
        assert ops.passed(first.n, first.hash)
        assert ops.passed(0, "")
        assert not ops.passed(first.n, ops.head.hash)
        assert not ops.passed(9, ops.head.hash)


def test_a_write_that_fails_leaves_the_log_where_it_was():
    with house(failpoint="ops_before_commit:fail:2") as home:
        home.agent()
        head = home.databases.ops.head
        with pytest.raises(Unavailable):
            home.agent()
        assert home.databases.ops.head == head
        home.databases.ops.checkpoint()
