"""A schema is what this version makes, or Sophia does not start on it."""

from pathlib import Path

import apsw
import pytest

from sophia.core.errors import Unavailable
from sophia.core.refusals import DbUnavailable, SchemaUnsupported
from sophia.store import journal, migrate
from sophia.store.databases import prepare
from sophia.store.failpoints import Failpoints
from tests.support.beneath import bare, owned
from tests.support.house import house

PLANTED = [
    "CREATE TRIGGER planted AFTER INSERT ON entity BEGIN DELETE FROM party; END",
    "CREATE VIEW planted AS SELECT * FROM entity",
    "CREATE TABLE planted (x)",
    "CREATE INDEX planted ON entity (kind)",
    "DROP TRIGGER append_only_mutation_u",
    "DROP TRIGGER journal_entity_update",
    "DROP INDEX entity_kind",
    "ALTER TABLE entity ADD COLUMN planted TEXT",
]


@pytest.mark.guarantee("4.28")
@pytest.mark.parametrize("sql", PLANTED)
def test_a_schema_that_was_tampered_with_is_refused(tmp_path: Path, sql: str):
    with house(directory=tmp_path) as home:
        home.entity("one")
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys) as db:
        db.execute(sql)
    with pytest.raises(DbUnavailable, match="not the one that this version") as refused, house(directory=tmp_path):
        pass
    assert refused.value.exit_code == 86


@pytest.mark.guarantee("4.28")
def test_a_planted_function_call_is_not_run_from_the_schema(tmp_path: Path):
    """What is planted in the schema may call nothing that has effects outside of the database."""
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys) as db:
        db.create_scalar_function("effect", lambda *_: 1, 0)
        db.execute("CREATE TABLE t (x); CREATE TRIGGER p AFTER INSERT ON t BEGIN SELECT effect(); END")
        with pytest.raises(apsw.SQLError, match="unsafe use of effect"):
            db.execute("INSERT INTO t VALUES (1)")
        with pytest.raises(apsw.SQLError):
            db.execute("UPDATE sqlite_schema SET sql = ''")


@pytest.mark.parametrize("name", ["state", "ops"])
def test_a_newer_schema_is_refused_by_its_own_code(tmp_path: Path, name: str):
    with house(directory=tmp_path):
        pass
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys, name) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(SchemaUnsupported, match="newer Sophia") as refused, house(directory=tmp_path):
        pass
    assert refused.value.exit_code == 87


def test_a_database_that_is_half_made_by_something_else_is_refused(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):
        with bare(ownership, keys) as db:
            db.execute("CREATE TABLE party (x)")
        with pytest.raises(DbUnavailable, match="neither read nor made"):
            prepare(ownership, ownership.directory / "state.db", keys.state, "state")


@pytest.mark.guarantee("L20")
def test_a_file_that_was_made_and_not_filled_is_filled(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):
        for name in ("state_made", "mid_migrate"):
            with pytest.raises(Unavailable, match=name):
                prepare(ownership, ownership.directory / "state.db", keys.state, "state", Failpoints(f"{name}:fail"))
            with bare(ownership, keys) as db:
                assert db.execute("PRAGMA user_version").get == 0
    with house(directory=tmp_path) as home:
        home.entity("one")


def test_a_step_whose_transaction_is_gone_already_fails_with_its_own_error(monkeypatch: pytest.MonkeyPatch):
    """A full disk rolls back by itself; that there is nothing left to roll back must not be what is told."""
    monkeypatch.setattr(migrate, "migrations", lambda _name: [(1, "CREATE TABLE one (x); ROLLBACK; SELECT no_such()")])
    with pytest.raises(apsw.SQLError, match="no_such"):
        migrate.migrate(apsw.Connection(":memory:"), "state", lambda _db: ())


def test_a_step_drops_the_journals_triggers_and_makes_them_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with house(directory=tmp_path) as home:
        home.entity("one")
    added = "ALTER TABLE entity ADD COLUMN nickname TEXT; UPDATE entity SET nickname = 'n'"
    made = migrate.migrations("state")
    last = made[-1][0] + 1
    steps = [*made, (last, added)]
    monkeypatch.setattr(migrate, "migrations", lambda _name: steps)
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys) as db:
        migrate.migrate(db, "state", journal.triggers)
        assert db.execute("PRAGMA user_version").get == last
        assert "nickname" in str(db.execute("SELECT sql FROM sqlite_schema WHERE name = 'journal_entity_update'").get)
        steps.append((last + 1, "CREATE TABLE one (x); CREATE TABLE entity (x)"))
        with pytest.raises(apsw.SQLError):
            migrate.migrate(db, "state", journal.triggers)
        assert db.execute("PRAGMA user_version").get == last
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'one'").get == 0
        assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'journal_entity_update'").get == 1
