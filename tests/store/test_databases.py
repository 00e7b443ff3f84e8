"""Both databases of a directory: opened whole, in a new epoch, or not at all."""

import os
from pathlib import Path

import pytest

from sophia import opening
from sophia.core.errors import ReadOnly
from sophia.core.refusals import DbUnavailable
from sophia.opening import opened
from sophia.owner import health
from sophia.owner.office import Office
from sophia.settings import Settings
from sophia.store import anchor
from sophia.store.databases import open_databases
from sophia.store.lockfile import LOCK_FILE
from sophia.system_clock import SystemClock
from tests.support.beneath import offline, owned
from tests.support.house import house
from tests.support.terms import FULL


def settings(place: Path) -> Settings:
    return Settings(data_dir=place / "data", key_dir=place / "keys", keyring=False)


def kept(place: Path, name: str) -> bytes:
    return (place / "data" / name).read_bytes()


def work(place: Path, *names: str) -> None:
    """A run of the daemon in which the owner makes these entities."""
    house = opened(settings(place))
    for name in names:
        house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": name})
    house.close()


def doubt(place: Path) -> str | None:
    """What the next start says of the state that it finds."""
    house = opened(settings(place))
    try:
        read_only = house.databases.state.read_only
        if read_only:
            assert read_only in house.notices
            answer = house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": "n"})
            assert b'"code":"read_only"' in answer.payload
            assert b'"items"' in house.parts.dispatcher.call(house.parts.owner, "list_entities", {}).payload
            assert b'"status":"failing"' in house.parts.dispatcher.call(house.parts.owner, "health", {}).payload
        return read_only
    finally:
        house.close()


@pytest.mark.guarantee("A8", "4.8")
def test_an_older_state_is_read_only_however_often_it_is_started(tmp_path: Path):
    work(tmp_path, "one")
    old = kept(tmp_path, "state.db")
    work(tmp_path, "two")
    assert doubt(tmp_path) is None
    (tmp_path / "data" / "state.db").write_bytes(old)
    for _ in range(4):
        assert "state is older" in (doubt(tmp_path) or "")


@pytest.mark.guarantee("A8")
def test_an_older_state_is_noticed_though_nothing_was_journaled_since(tmp_path: Path):
    """A revocation changes the fence alone: put back, it would let the revoked write again."""
    work(tmp_path, "one")
    old = kept(tmp_path, "state.db")
    work(tmp_path)
    (tmp_path / "data" / "state.db").write_bytes(old)
    for _ in range(4):
        assert "state is older" in (doubt(tmp_path) or "")


@pytest.mark.guarantee("A8")
def test_an_older_security_log_is_noticed(tmp_path: Path):
    house = opened(settings(tmp_path))
    house.parts.mint.mint(FULL, "owner")
    house.close()
    old = kept(tmp_path, "ops.db")
    house = opened(settings(tmp_path))
    house.parts.mint.mint(FULL, "owner")
    house.close()
    assert doubt(tmp_path) is None
    (tmp_path / "data" / "ops.db").write_bytes(old)
    for _ in range(3):
        assert "security log is older" in (doubt(tmp_path) or "")


@pytest.mark.guarantee("A8")
@pytest.mark.parametrize(
    ("name", "sql", "told"),
    [
        ("state", "DELETE FROM mutation WHERE seq = 2", "from mutation 2 on"),
        ("state", "UPDATE mutation_change SET after = '{}' WHERE n = 1", "from mutation 1 on"),
        ("state", "DELETE FROM mutation_change WHERE n = 3", "from mutation 3 on"),
        ("ops", "UPDATE security_event SET who = 'x' WHERE n = 1", "from event 1 on"),
        ("ops", "DELETE FROM security_event", "security log is older"),
    ],
)
def test_a_start_does_not_claim_that_an_edited_record_is_clean(tmp_path: Path, name: str, sql: str, told: str):
    work(tmp_path, "one", "two", "three")
    house = opened(settings(tmp_path))
    house.parts.mint.mint(FULL, "owner")
    house.close()
    assert doubt(tmp_path) is None
    with offline(tmp_path, name) as (db, _):
        db.execute(sql)
    assert told in (doubt(tmp_path) or "")
    assert "sophia verify" in (doubt(tmp_path) or "")


@pytest.mark.guarantee("A8")
def test_what_the_owner_accepted_as_it_is_starts_again_and_what_is_touched_after_it_does_not(tmp_path: Path):
    work(tmp_path, "one", "two")
    for seq in (1, 4):
        with offline(tmp_path) as (db, _):
            db.execute("UPDATE mutation SET tool = 'other' WHERE seq = ?", (seq,))
        assert f"from mutation {seq} on" in (doubt(tmp_path) or "")
        house = opened(settings(tmp_path))
        health.verify(Office.of(house, "", serving=False), health.Verifying(accept=True))
        house.close()
        assert doubt(tmp_path) is None
        work(tmp_path, "three", "four")
        assert doubt(tmp_path) is None


@pytest.mark.guarantee("A8")
def test_an_anchor_that_was_touched_is_not_believed(tmp_path: Path):
    work(tmp_path, "one")
    written = next((tmp_path / "keys").glob("*.anchor"))
    written.write_text(written.read_text().replace('"seq":1', '"seq":0'))
    assert "not one that Sophia wrote" in (doubt(tmp_path) or "")
    written.unlink()
    assert "anchor of this state is missing" in (doubt(tmp_path) or "")
    house = opened(settings(tmp_path))
    health.verify(Office.of(house, "", serving=False), health.Verifying(accept=True))
    house.close()
    assert doubt(tmp_path) is None


def test_a_first_start_that_was_cut_off_before_its_anchor_starts_again(tmp_path: Path):
    opened(settings(tmp_path)).close()
    next((tmp_path / "keys").glob("*.anchor")).unlink()
    assert doubt(tmp_path) is None


def test_an_anchor_is_written_when_there_is_something_to_note(tmp_path: Path):
    house = opened(settings(tmp_path))
    house.anchored()
    written = next((tmp_path / "keys").glob("*.anchor"))
    made = written.stat().st_ino
    house.anchored()
    assert written.stat().st_ino == made
    house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": "n"})
    house.anchored()
    assert written.stat().st_ino != made
    house.close()


@pytest.mark.guarantee("4.6", "4.29")
def test_what_cannot_be_written_at_the_end_keeps_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    house = opened(settings(tmp_path))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def read_only(_: object) -> None:
        raise ReadOnly

    monkeypatch.setattr(anchor, "write", full)
    monkeypatch.setattr(type(house.parts.usage), "flush", full)
    monkeypatch.setattr(type(house.databases.state.writer), "checkpoint", read_only)
    house.close()
    monkeypatch.undo()
    work(tmp_path, "one")


@pytest.mark.guarantee("L13")
def test_a_directory_that_is_no_longer_owned_is_left_alone_at_the_end(tmp_path: Path):
    house = opened(settings(tmp_path))
    house.parts.dispatcher.call(house.parts.owner, "create_entity", {"kind": "k", "name": "n"})
    (tmp_path / "data" / LOCK_FILE).unlink()
    anchors = {path: path.read_bytes() for path in (tmp_path / "keys").glob("*.anchor")}
    house.close()
    assert {path: path.read_bytes() for path in (tmp_path / "keys").glob("*.anchor")} == anchors


def test_a_start_that_fails_late_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    work(tmp_path, "one")
    before = len(os.listdir("/proc/self/fd"))

    def fail(*_: object) -> None:
        raise RuntimeError

    for name in ("reconcile", "_house"):
        monkeypatch.setattr(opening, name, fail)
        with pytest.raises(RuntimeError):
            opened(settings(tmp_path))
        monkeypatch.undo()
        assert len(os.listdir("/proc/self/fd")) == before
    work(tmp_path, "two")


def test_a_state_whose_head_is_lost_is_refused_and_not_a_crash(tmp_path: Path):
    with house(directory=tmp_path) as home:
        home.entity("one")
    before = len(os.listdir("/proc/self/fd"))
    with offline(tmp_path) as (db, _):
        db.execute("DELETE FROM journal_head")
    with pytest.raises(DbUnavailable, match="cannot be read") as refused:
        opened(settings(tmp_path))
    assert refused.value.exit_code == 86
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_wrong_with_the_program_is_not_blamed_on_the_database(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):

        def wrong(*_: object) -> str | None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            open_databases(ownership, keys, SystemClock(), doubt=wrong)


def test_a_database_that_cannot_be_made_is_refused(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):
        (tmp_path / "data" / "state.db").symlink_to(tmp_path / "nowhere" / "state.db")
        with pytest.raises(DbUnavailable, match=r"neither read nor made|does not open"):
            open_databases(ownership, keys, SystemClock())
