"""Whatever changes a journaled table is in the journal, and whatever changes the journal is found."""

import json
from pathlib import Path

import apsw
import pytest

from sophia.store import journal, replay
from sophia.store.journal import Entry, Head, Journal
from sophia.store.rules import RULES
from tests.support.beneath import bare, faults, offline, owned, plant
from tests.support.house import House, house

JOURNALED = sorted(name for name, rule in RULES.items() if rule.journaled)
ENTRY = Entry("u-owner", "owner", "owner", "t", "call-1", 1)


@pytest.mark.guarantee("J2")
@pytest.mark.parametrize("table", JOURNALED)
def test_every_change_of_a_journaled_table_is_kept_whoever_writes_it(table: str):
    with house() as home, bare(home.ownership, home.keys) as db:
        kept = Journal(db, home.keys.seal)
        db.execute("PRAGMA foreign_keys = off").fetchall()
        db.execute("BEGIN IMMEDIATE")
        seq = kept.open()
        plant(db, table, "u-a")
        column = next(row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] == "user_id")
        db.execute(f"UPDATE {table} SET {column} = 'u-b'")
        db.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")
        db.execute(f"DELETE FROM {table}")
        assert [change.op for change in kept.changes()] == ["insert", "update", "delete", "insert", "delete"]
        assert kept.changes()[1].after == kept.changes()[2].before
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        assert list(json.loads(kept.changes()[0].after or "")) == columns
        kept.keep(ENTRY)
        kept.close()
        db.execute("COMMIT")
        assert kept.head().seq == seq
        assert faults(db, home.keys.seal) == []


@pytest.mark.guarantee("J2")
def test_without_an_open_mutation_a_journaled_table_cannot_be_written():
    with house() as home, bare(home.ownership, home.keys) as db:
        Journal(db, home.keys.seal)
        with pytest.raises(PermissionError, match="no mutation is open"):
            plant(db, "entity", "u-a")
        assert db.execute("SELECT count(*) FROM entity").get == 0
    with house() as home, bare(home.ownership, home.keys) as db, pytest.raises(apsw.SQLError, match="no such function"):
        plant(db, "entity", "u-a")


def test_a_mutation_that_changes_nothing_leaves_no_entry():
    with house() as home:
        before = home.databases.state.head
        with home.databases.state.writing(home.owner, ENTRY):
            pass
        assert home.databases.state.head == before
        with bare(home.ownership, home.keys) as db:
            kept = Journal(db, home.keys.seal)
            kept.open()
            assert kept.keep(ENTRY) is None


@pytest.mark.guarantee("A6", "J14")
@pytest.mark.parametrize("table", ["mutation", "mutation_change", "security_event"])
def test_the_records_cannot_be_changed_in_the_database_itself(table: str):
    with house() as home:
        home.entity("one")
        home.agent()
        with bare(home.ownership, home.keys, "ops" if table == "security_event" else "state") as db:
            number = db.execute(f"SELECT count(*) FROM {table}").get
            assert number
            column = "digest" if table == "mutation_change" else "hash"
            for sql in (f"UPDATE {table} SET {column} = 'x'", f"DELETE FROM {table}",
                        f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"):  # fmt: skip
                with pytest.raises(apsw.ConstraintError, match="append only"):
                    db.execute(sql)
            assert db.execute(f"SELECT count(*) FROM {table}").get == number


def three_mutations(place: Path) -> None:
    with house(directory=place) as home:
        first = home.entity("one")
        home.entity("two")
        home.call(home.owner, "update_entity", entity_id=first, name="three")


COPIED = (
    "INSERT INTO mutation_change (n, mutation_seq, table_name, row_id, op, before, after, digest)"
    " SELECT n + 9, {}, table_name, row_id, op, before, after, digest"
    " FROM mutation_change WHERE mutation_seq = 1"
)
TAMPERED = {
    "a change deleted": ("DELETE FROM mutation_change WHERE mutation_seq = 2", 2),
    "an image altered": ("UPDATE mutation_change SET after = replace(after, 'two', 'TWO') WHERE mutation_seq = 2", 2),
    "an image taken away": ("UPDATE mutation_change SET before = NULL, after = NULL WHERE mutation_seq = 2", 2),
    "a digest altered": ("UPDATE mutation_change SET digest = 'x' WHERE mutation_seq = 2", 2),
    "a change moved": ("UPDATE mutation_change SET mutation_seq = 3 WHERE mutation_seq = 2", 2),
    "a change added": (COPIED.format(2), 2),
    "a change of no mutation": (COPIED.format(9), 4),
    "a change before the first": (COPIED.format(0), 0),
    "an entry deleted": ("DELETE FROM mutation WHERE seq = 2", 2),
    "the first entry deleted": ("DELETE FROM mutation WHERE seq = 1", 1),
    "the last entry deleted": ("DELETE FROM mutation WHERE seq = 3", 3),
    "an actor altered": ("UPDATE mutation SET actor_name = 'somebody' WHERE seq = 2", 2),
    "a time altered": ("UPDATE mutation SET at = at + 1 WHERE seq = 3", 3),
    "a reason added": ("UPDATE mutation SET reason = 'because' WHERE seq = 1", 1),
    "a hash altered": ("UPDATE mutation SET hash = 'x' WHERE seq = 2", 2),
    "the head moved back": ("UPDATE journal_head SET seq = 2, hash = (SELECT hash FROM mutation WHERE seq = 2)", 3),
    "the head lost": ("DELETE FROM journal_head", 1),
}  # fmt: skip


@pytest.mark.guarantee("A8", "J14")
@pytest.mark.parametrize(("sql", "first"), TAMPERED.values(), ids=TAMPERED.keys())
def test_an_offline_edit_is_reported_at_the_first_bad_mutation(tmp_path: Path, sql: str, first: int):
    three_mutations(tmp_path)
    with offline(tmp_path) as (db, keys):
        assert list(journal.broken(db, keys.seal)) == []
        db.execute(sql)
        found = list(journal.broken(db, keys.seal))
        assert found[0] == first
        assert found == sorted(found)


def test_only_the_tail_is_looked_at_when_only_the_tail_is_asked_for(tmp_path: Path):
    three_mutations(tmp_path)
    with offline(tmp_path) as (db, keys):
        db.execute("UPDATE mutation SET reason = 'because' WHERE seq = 1")
        assert list(journal.broken(db, keys.seal, after=1)) == []
        assert list(journal.broken(db, keys.seal, after=-5)) == [1]
        db.execute("UPDATE mutation SET reason = 'because' WHERE seq = 3")
        assert list(journal.broken(db, keys.seal, after=1)) == [3]


@pytest.mark.guarantee("A8", "4.8")
def test_a_row_that_the_journal_does_not_account_for_is_found(tmp_path: Path):
    three_mutations(tmp_path)
    with offline(tmp_path) as (db, keys):
        assert faults(db, keys.seal) == []
        one, two = (row[0] for row in db.execute("SELECT id FROM entity ORDER BY id"))
        db.execute("UPDATE entity SET name = 'two again' WHERE id = ?", (two,))
        plant(db, "predicate", "u-owner")
        assert list(replay.differing(db)) == [("entity", two), ("predicate", "u-owner-id")]
        db.execute("DELETE FROM entity WHERE id = ?", (one,))
        assert ("entity", one) in list(replay.differing(db))
        assert list(journal.broken(db, keys.seal)) == [], "the chain alone would not tell"


def test_a_journal_without_its_head_does_not_open(tmp_path: Path):
    three_mutations(tmp_path)
    with offline(tmp_path) as (db, _):
        db.execute("DELETE FROM journal_head")
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys) as db, pytest.raises(apsw.CorruptError):
        Journal(db, keys.seal).head()


def test_the_journal_knows_the_hash_of_each_mutation(tmp_path: Path):
    with house(directory=tmp_path) as home:
        home.entity("one")
        head = home.databases.state.head
        home.entity("two")
        state = home.databases.state
        assert isinstance(state.head, Head)
        assert state.passed(head.seq, head.hash)
        assert state.passed(0, "")
        assert not state.passed(head.seq, state.head.hash)
        assert not state.passed(99, head.hash)
        assert isinstance(home, House)


def test_a_change_is_told_as_a_row():
    assert journal.told('{"id": "e-1"}') == {"id": "e-1"}
    assert journal.told(None) is None


def test_a_reason_that_is_altered_or_taken_away_is_reported(tmp_path: Path):
    with house(directory=tmp_path) as home:
        entity = home.entity("one")
        seq = home.call(home.owner, "update_entity", entity_id=entity, name="two", reason="because")["mutation_seq"]
    with offline(tmp_path) as (db, keys):
        for reason in ("'why'", "NULL"):
            db.execute(f"UPDATE mutation SET reason = {reason} WHERE seq = {seq}")
            assert list(journal.broken(db, keys.seal)) == [seq], reason
        db.execute(f"UPDATE mutation SET reason = 'because' WHERE seq = {seq}")
        assert list(journal.broken(db, keys.seal)) == []
