"""The one connection that writes: alone, in its own epoch, and honest about what it cannot do."""

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from sophia.core.errors import Conflict, ReadOnly, StorageFull, Unavailable
from sophia.store import writer as module
from sophia.store.faults import translated
from sophia.store.writer import Writer
from tests.support.beneath import bare
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as made:
        yield made


def test_whoever_waits_too_long_for_a_write_is_told_to_try_again(home: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "PATIENCE_S", 0.05)
    writer = home.databases.state.writer
    refused: list[Unavailable] = []

    def second() -> None:
        with pytest.raises(Unavailable, match="Another write") as caught, writer.alone():
            pass
        refused.append(caught.value)

    with writer.alone():
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(5)
    assert refused[0].retry_after_s == 5


@pytest.mark.guarantee("4.24")
def test_a_foreign_holder_of_the_lock_is_a_typed_error_that_can_be_tried_again(home: House):
    entity = home.entity("one")
    home.databases.state.writer.db.set_busy_timeout(50)
    with bare(home.ownership, home.keys) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = home.refused(home.owner, "update_entity", entity_id=entity, name="two")
        assert (refused["code"], refused["retry_after_s"]) == ("unavailable", 1)
        assert home.call(home.owner, "get_entity", entity_id=entity)["name"] == "one"
        other.execute("COMMIT")
    assert home.call(home.owner, "update_entity", entity_id=entity, name="two")["entity"]["name"] == "two"
    assert home.databases.state.trouble is None, "a busy database is no broken one"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (apsw.FullError, StorageFull),
        (apsw.ReadOnlyError, ReadOnly),
        (apsw.BusyError, Unavailable),
        (apsw.LockedError, Unavailable),
        (apsw.ConstraintError, Conflict),
        (apsw.IOError, Unavailable),
        (apsw.CorruptError, Unavailable),
        (apsw.NotADBError, Unavailable),
        (apsw.AuthError, apsw.AuthError),
    ],
)
def test_a_failure_of_the_engine_is_told_in_words_of_the_contract(error: type[apsw.Error], told: type[Exception]):
    with pytest.raises(told) as caught, translated():
        raise error("secret /path of the engine")
    assert told is apsw.AuthError or "secret" not in str(caught.value)


@pytest.mark.guarantee("4.5", "4.6")
@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError, apsw.ReadOnlyError])
def test_a_write_that_storage_refuses_is_trouble_until_one_is_kept(home: House, error: type[apsw.Error]):
    databases = home.databases
    for database in (databases.state, databases.ops):
        writer = database.writer
        with pytest.raises((StorageFull, Unavailable, ReadOnly)), writer.alone(), writer.transaction():
            raise error
        assert database.trouble == f"writes do not commit: {error.__name__}"
        assert databases.troubles() == [database.trouble]
        health = home.call(home.owner, "health")
        assert (health["status"], health["write_ok"]) == ("failing", False)
        databases.probe()
        assert databases.troubles() == []
        assert home.call(home.owner, "health")["status"] == "ok"


def test_a_transaction_that_was_left_open_is_rolled_back_by_the_next(home: House):
    writer = home.databases.state.writer
    writer.db.execute("BEGIN IMMEDIATE")
    entity = home.entity("one")
    assert home.call(home.owner, "get_entity", entity_id=entity)["name"] == "one"


def test_an_owner_that_is_not_to_write_yet_goes_on_in_the_epoch_it_found(home: House):
    writer = home.databases.state.writer
    assert writer.share_epoch() == home.databases.state.epoch == 1
    assert writer.take_epoch() == 2
    assert home.entity("one")


@pytest.mark.guarantee("4.23")
def test_a_log_that_has_grown_is_folded_back_unless_a_reader_holds_it(home: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "LOG_LARGE", 100_000)
    monkeypatch.setattr(module, "LOG_ALARMING", 200_000)
    state = home.databases.state
    log = Path(state.writer.db.filename_wal)
    entity = home.entity("one")

    def grow() -> None:
        while log.stat().st_size < 300_000:
            home.call(home.owner, "update_entity", entity_id=entity, name="x" * 200)

    with state.reading(home.owner) as rows:
        rows.value("SELECT count(*) FROM entity")
        grow()
        home.databases.probe()
        assert log.stat().st_size >= 300_000
        health = home.call(home.owner, "health")
        assert (health["status"], health["write_ok"]) == ("degraded", True)
        assert "write-ahead log" in health["reasons"][0]
    home.databases.probe()
    assert log.stat().st_size == 0
    assert home.call(home.owner, "health")["status"] == "ok"


def test_a_database_without_a_log_has_nothing_to_fold(tmp_path: Path):
    writer = Writer(apsw.Connection(str(tmp_path / "x.db")))
    writer.tidy()
    assert writer.swollen is None
