"""One encrypted connection, opened the one way that is safe, or refused."""

from pathlib import Path

import apsw
import pytest

from sophia.core.refusals import DbUnavailable, SqliteUnsafe
from sophia.store import databases, engine
from tests.support.beneath import owned
from tests.support.disk import plugged_in
from tests.support.house import house


def test_every_pragma_is_read_back_from_every_connection(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):
        db = engine.connect(ownership, tmp_path / "data" / "x.db", keys.state)
        found = {name: db.execute(f"PRAGMA {name}").get for name, _, _ in engine.PRAGMAS}
        assert found == {name: expected for name, _, expected in engine.PRAGMAS}
        assert (found["journal_mode"], found["synchronous"], found["trusted_schema"]) == ("wal", 2, 0)
        assert found["recursive_triggers"] == 1
        assert db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
        db.close()


@pytest.mark.guarantee("4.4")
def test_a_pragma_that_does_not_take_is_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "PRAGMAS", (("synchronous", "no_such", 2), ("no_such_pragma", 1, 1)))
    with owned(tmp_path) as (ownership, keys), pytest.raises(SqliteUnsafe, match="did not accept"):
        engine.connect(ownership, tmp_path / "data" / "x.db", keys.state)


def test_a_library_that_cannot_encrypt_or_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch):
    engine.require_safe_library()
    with monkeypatch.context() as changed:
        changed.setattr(apsw, "mc_version", "")
        with pytest.raises(SqliteUnsafe, match="cannot encrypt") as refused:
            engine.require_safe_library()
        assert refused.value.exit_code == 88
    for version in ("3.51.2", "3.9.0"):
        monkeypatch.setattr(apsw, "sqlite_lib_version", lambda version=version: version)
        with pytest.raises(SqliteUnsafe, match=f"SQLite {version} is older"):
            engine.require_safe_library()


def test_nothing_of_the_content_and_no_header_is_in_the_files(tmp_path: Path):
    with house(directory=tmp_path) as home:
        home.entity("canary-9d1f")
        home.agent(name="canary-9d1f")
        for path in sorted((tmp_path / "data").glob("*.db*")):
            assert b"canary-9d1f" not in path.read_bytes()
            assert not engine.is_plaintext(path)
    plain = tmp_path / "plain.db"
    apsw.Connection(str(plain)).execute("CREATE TABLE t (x)")
    assert engine.is_plaintext(plain), "the control is found"


def test_a_plaintext_database_is_not_started_on(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):
        apsw.Connection(str(tmp_path / "data" / "state.db")).execute("CREATE TABLE t (x)")
        with pytest.raises(DbUnavailable):
            databases.prepare(ownership, tmp_path / "data" / "state.db", keys.state, "state")


def test_a_database_that_came_out_plaintext_is_not_started_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with owned(tmp_path) as (ownership, keys):
        monkeypatch.setattr(databases, "is_plaintext", lambda _path: True)
        with pytest.raises(SqliteUnsafe, match="unencrypted"):
            databases.prepare(ownership, tmp_path / "data" / "state.db", keys.state, "state")


def test_another_key_is_refused(tmp_path: Path):
    with house(directory=tmp_path):
        pass
    with owned(tmp_path) as (ownership, keys):
        with pytest.raises(DbUnavailable, match="Its key is another one, or it is damaged") as refused:
            engine.connect(ownership, tmp_path / "data" / "state.db", keys.ops)
        assert refused.value.exit_code == 86
        assert keys.state not in refused.value.message
        with pytest.raises(DbUnavailable):
            engine.connect(ownership, tmp_path / "data" / "none" / "state.db", keys.state)


@pytest.mark.guarantee("L17")
def test_no_database_is_opened_without_the_ownership(tmp_path: Path):
    with owned(tmp_path) as (ownership, keys):
        pass
    for proof in (ownership, None, object()):
        with pytest.raises(TypeError, match="Ownership"):
            engine.connect(proof, tmp_path / "data" / "x.db", keys.state)  # type: ignore[arg-type]
    assert not (tmp_path / "data" / "x.db").exists()


@pytest.mark.parametrize(
    ("error", "told"), [(apsw.FullError, "the disk is full. Make room"), (apsw.IOError, "IOError")]
)
def test_a_disk_that_fails_a_new_file_is_refused_in_words(tmp_path: Path, error: type[apsw.Error], told: str):
    with owned(tmp_path) as (ownership, keys):
        disk, vfs = plugged_in()
        disk.begin(1, error)
        with pytest.raises(DbUnavailable, match=told) as refused:
            engine.connect(ownership, tmp_path / "data" / "x.db", keys.state, vfs=vfs, exclusive=True)
        assert refused.value.exit_code == 86
        assert str(tmp_path) not in refused.value.message
