"""Rows by name, and nothing for a statement that has none."""

import apsw
import pytest

from sophia.store.reader import Reader
from sophia.store.schema import described, table
from tests.support.house import house


def test_rows_come_by_name_and_values_bare():
    reader = Reader(apsw.Connection(":memory:"))
    assert reader.rows("CREATE TABLE t (a, b)") == []
    reader.rows("INSERT INTO t VALUES (:a, :b), (3, 4)", a=1, b=2)
    assert reader.rows("SELECT * FROM t") == [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    assert reader.row("SELECT b FROM t WHERE a = :a", a=3) == {"b": 4}
    assert reader.row("SELECT b FROM t WHERE a = 9") is None
    assert reader.value("SELECT max(b) FROM t") == 4
    assert reader.value("SELECT b FROM t WHERE a = 9") is None
    assert reader.rows("SELECT * FROM t WHERE a = 9") == []


def test_a_table_is_described_without_the_users_own_column():
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE e (id TEXT); CREATE TABLE t (id TEXT, user_id TEXT, e_id TEXT REFERENCES e (id))")
    assert described(table(db, "t")) == [("id", "text", None), ("e_id", "text", "e")]


def test_each_read_is_one_moment_of_the_state():
    with house() as home:
        home.entity("one")
        with home.databases.state.reading(home.owner) as rows:
            assert rows.value("SELECT count(*) FROM entity") == 1
            home.entity("two")
            assert rows.value("SELECT count(*) FROM entity") == 1
        with home.databases.state.reading(home.owner) as rows:
            assert rows.value("SELECT count(*) FROM entity") == 2


def test_a_read_that_ends_its_own_transaction_leaves_a_connection_that_works():
    with house() as home:
        with home.databases.state.reading(home.owner) as rows:
            rows._db.execute("ROLLBACK")
        home.entity("one")
        with pytest.raises(PermissionError):
            rows.value("SELECT count(*) FROM entity")
        assert home.call(home.owner, "list_entities")["total"] == 1
