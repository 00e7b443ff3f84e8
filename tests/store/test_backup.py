"""A backup is both databases at one moment, at the place that was named, or it is not there at all."""

import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from sophia.core.errors import BadArguments, Conflict, NotPermitted, StorageFull, Unavailable
from sophia.core.refusals import DbUnavailable
from sophia.store import backup, durable, keyfile, pair
from sophia.store.backup import LAST, backed_up, last
from sophia.store.backupkey import Opener, slots, unlocked
from sophia.store.container import archive
from sophia.store.journal import Head
from sophia.store.keys import Keys
from sophia.store.ops import LogHead
from sophia.store.pair import BackupUnsound
from sophia.store.verify import unheard, verified
from tests.support.backups import made, order
from tests.support.house import House, house


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(directory=tmp_path) as one:
        one.entity("one")
        yield one


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("data", "keys"))


@pytest.mark.guarantee("4.26", "4.19")
@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
def test_a_backup_is_the_owners_alone_and_all_that_is_there(home: House, tmp_path: Path, umask: int):
    before = os.umask(umask)
    try:
        manifest = made(home, tmp_path / "b")
    finally:
        os.umask(before)
    found = (tmp_path / "b").stat()
    assert stat.S_IMODE(found.st_mode) == 0o600
    assert left(tmp_path) == ["b"]
    assert b"SQLite format 3" not in (tmp_path / "b").read_bytes()
    told = last(tmp_path / "data")
    assert told is not None
    assert (told.path, told.mutations) == (str(tmp_path / "b"), 1)
    assert stat.S_IMODE((tmp_path / "data" / LAST).stat().st_mode) == 0o600
    assert (manifest.marks.seq, manifest.marks.hash) == (home.databases.state.head.seq, home.databases.state.head.hash)


@pytest.mark.guarantee("4.26")
def test_both_copies_are_of_one_moment_while_both_are_written_to(home: House, tmp_path: Path):
    """Each round writes the state, then ops: in a pair of one moment neither is ahead by more than the open round."""
    stop = threading.Event()
    rounds = [0]

    def write() -> None:
        while not stop.is_set():
            home.entity(f"e{rounds[0]}")
            with home.databases.ops.writing() as tx:
                tx.log("round", "test", str(home.databases.state.head.seq))
            rounds[0] += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(5):
            seen = rounds[0]
            manifest = made(home, tmp_path / f"b{n}")
            with archive(tmp_path / f"b{n}") as found:
                (tmp_path / f"t{n}").mkdir()
                found.take(tmp_path / f"t{n}", unheard)
            ahead = manifest.marks.seq - manifest.marks.event
            assert ahead in (1, 2), "the entity of the start, and the one whose round is not over"
            assert manifest.marks.seq > seen, "what was acknowledged before is in it"
            assert verified(home.ownership, home.keys, folder=tmp_path / f"t{n}").whole
    finally:
        stop.set()
        writer.join()
    assert rounds[0] > 5


def test_copies_that_are_not_of_one_moment_are_no_backup(home: House, tmp_path: Path):
    apart = replace(order(home), still=lambda: nullcontext((Head(7, "0" * 64), LogHead(0, "0" * 64))))
    with pytest.raises(BackupUnsound, match="not of one moment"):
        backed_up(apart, tmp_path / "b", unheard)
    assert left(tmp_path) == []


def test_a_copy_that_the_engine_finds_damaged_is_no_backup(
    home: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(pair, "unsound", lambda _db: ["a page is not used"])
    with pytest.raises(BackupUnsound, match="sophia verify"):
        made(home, tmp_path / "b")
    assert left(tmp_path) == []


def test_a_copy_that_does_not_begin_lets_the_writers_go(home: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pair, "BEGUN_WITHIN_S", 0)
    monkeypatch.setattr(pair._Copy, "_seen", lambda *_: 0)
    with pytest.raises(Unavailable, match="did not begin"):
        made(home, tmp_path / "b")
    assert left(tmp_path) == []
    home.entity("two")


@pytest.mark.guarantee("4.26")
def test_a_backup_is_never_put_into_the_data_or_beside_its_key(home: House, tmp_path: Path):
    (tmp_path / "way").symlink_to(tmp_path / "data")
    for path in (tmp_path / "data" / "b", tmp_path / "keys" / "b", tmp_path / "way" / "b", tmp_path / "data"):
        with pytest.raises((NotPermitted, Conflict)):
            made(home, path)
    assert not [*(tmp_path / "data").rglob("*b.part"), *tmp_path.rglob("b")]


def test_what_is_there_is_only_replaced_where_it_is_a_backup_or_empty(home: House, tmp_path: Path):
    path = tmp_path / "b"
    path.write_text("mine")
    for _ in range(2):
        with pytest.raises(Conflict, match="something else"):
            made(home, path)
        assert path.is_symlink() or path.read_text() == "mine"
        path.unlink()
        path.symlink_to(tmp_path / "elsewhere")
    path.unlink()
    path.touch()
    made(home, path)
    home.entity("two")
    assert made(home, path).marks.seq == 2
    assert left(tmp_path) == ["b"]


def test_a_folder_that_is_not_there_is_told(home: House, tmp_path: Path):
    for path in (tmp_path / "none" / "b", tmp_path / "a\0b" / "c", Path("/dev/null/b")):
        with pytest.raises(BadArguments, match="no folder"):
            made(home, path)


def test_what_a_crash_left_is_taken_over_and_what_is_anothers_is_not(home: House, tmp_path: Path):
    part = tmp_path / ".b.part"
    part.mkdir()
    (part / "state.db").write_text("half")
    made(home, tmp_path / "b")
    assert left(tmp_path) == ["b"]
    part.mkdir()
    (part / "letters").write_text("mine")
    with pytest.raises(Conflict, match="not Sophia's"):
        made(home, tmp_path / "b")
    assert (part / "letters").read_text() == "mine"


def test_one_backup_at_a_time_is_made_at_a_path(home: House, tmp_path: Path):
    with backup._working_beside(tmp_path / "b"), pytest.raises(Conflict, match="Another backup"):
        made(home, tmp_path / "b")
    made(home, tmp_path / "b")


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, error: OSError) -> Iterator[None]:
    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(durable, "commit", fail)
        yield


@pytest.mark.guarantee("4.26")
def test_a_disk_that_does_not_take_it_keeps_the_earlier_backup_and_nothing_else(
    home: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    made(home, tmp_path / "b")
    before = (tmp_path / "b").read_bytes()
    for error, told in ((OSError(28, "No space left on device"), StorageFull), (OSError(5, "I/O error"), Unavailable)):
        with failing(monkeypatch, error), pytest.raises(told):
            made(home, tmp_path / "b")
    monkeypatch.setattr(pair._Copy, "settled", lambda _self: (_ for _ in ()).throw(StorageFull()))
    with pytest.raises(StorageFull, match="Twice the size"):
        made(home, tmp_path / "b")
    assert left(tmp_path) == ["b"]
    assert (tmp_path / "b").read_bytes() == before


def test_a_note_that_cannot_be_read_is_none(home: House, tmp_path: Path):
    assert last(tmp_path / "data") is None
    (tmp_path / "data" / LAST).write_text("{")
    assert last(tmp_path / "data") is None


def opened(home: House, keys: Keys, passphrase: str | None, opener: Opener) -> bytes:
    return unlocked(slots(home.ownership, keys, passphrase), opener).data_key


def test_a_backup_opens_with_the_owners_key_or_with_its_passphrase(home: House, tmp_path: Path):
    here, elsewhere = tmp_path / "keys", tmp_path / "other"
    elsewhere.mkdir()
    data = home.keys.data
    assert opened(home, home.keys, None, Opener(here, False, None)) == data
    assert opened(home, home.keys, "caf\u00e9", Opener(here, False, None)) == data
    assert opened(home, home.keys, "caf\u00e9", Opener(elsewhere, False, None, "cafe\u0301")) == data
    assert opened(home, home.keys, "caf\u00e9", Opener(elsewhere, False, lambda: "caf\u00e9")) == data
    for passphrase, opener, told in (
        (None, Opener(elsewhere, False, None), "owner's key file .*not here"),
        ("pass", Opener(elsewhere, False, None), "nobody can be asked"),
        ("pass", Opener(elsewhere, False, lambda: "word"), "does not open"),
        (None, Opener(here, False, None, "pass"), "does not open"),
    ):
        with pytest.raises(DbUnavailable, match=told) as refused:
            opened(home, home.keys, passphrase, opener)
        assert refused.value.exit_code == 86
    with pytest.raises(BadArguments, match="blank"):
        slots(home.ownership, home.keys, " ")


def test_without_its_key_file_a_state_makes_no_backup(home: House, tmp_path: Path):
    (tmp_path / "data" / keyfile.KEY_FILE).rename(tmp_path / "key.json")
    with pytest.raises(DbUnavailable, match="is gone"):
        made(home, tmp_path / "b")
    (tmp_path / "key.json").rename(tmp_path / "data" / keyfile.KEY_FILE)


def test_a_copy_that_meets_something_in_its_way_tells_what(home: House, tmp_path: Path):
    (tmp_path / "state.db").touch()
    with pytest.raises(FileExistsError):
        pair.copied(home.ownership, home.keys, tmp_path, home.databases.still, unheard)


def test_a_daemon_that_cannot_stand_still_makes_no_backup(home: House, tmp_path: Path):
    @contextmanager
    def busy() -> Iterator[None]:
        raise Unavailable
        yield

    with pytest.raises(Unavailable):
        backed_up(replace(order(home), still=busy), tmp_path / "b", unheard)
    assert left(tmp_path) == []
