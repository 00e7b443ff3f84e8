"""A backup is put back whole, into an empty place, and nobody's authority comes back with it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sophia.core.clock import MINUTE
from sophia.core.errors import Conflict, NotFound, StorageFull, Unavailable
from sophia.core.refusals import DbUnavailable, OwnerLive, SchemaUnsupported
from sophia.opening import Opened, opened
from sophia.owner import restoring
from sophia.settings import Settings
from sophia.store import container, durable, migrate, restored
from sophia.store.container import BackupDamaged, archive
from sophia.store.keys import set_passphrase
from sophia.store.verify import Findings, unheard, verified
from tests.support.backups import made, put_back
from tests.support.beneath import offline
from tests.support.clock import TurnableClock
from tests.support.house import House, house
from tests.support.process import settings

ROOT = Path(__file__).parents[2]


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Where a backup is put back: a place of its own beside the first."""
    (tmp_path / "again").mkdir()
    return tmp_path / "again"


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    with house(directory=tmp_path) as home:
        home.entity("one")
        home.agent()
        made(home, tmp_path / "b", "pass")
    return tmp_path / "b"


def again(place: Path, keys: Path | None = None) -> Opened:
    return opened(Settings(data_dir=place / "data", key_dir=keys or place.parent / "keys", keyring=False))


def names(found: Opened) -> list[str]:
    answer = found.parts.dispatcher.call(found.parts.owner, "list_entities", {})
    return sorted(row["name"] for row in json.loads(answer.payload)["items"])


def left(place: Path) -> list[str]:
    return sorted(os.listdir(place / "data"))


def keys_of(place: Path) -> list[str]:
    return sorted(path.name for path in (place / "keys").iterdir())


@pytest.mark.guarantee("4.26")
def test_what_was_backed_up_is_there_again_in_a_new_epoch_and_with_a_new_anchor(tmp_path: Path, there: Path):
    with house(directory=tmp_path) as home:
        home.entity("one")
        made(home, tmp_path / "b")
        home.entity("two")
        epoch = home.databases.state.epoch
    before = keys_of(tmp_path)
    told = put_back(tmp_path / "b", there, keys=tmp_path / "keys")
    assert told["ok"]
    assert (told["mutations"], told["connections_ended"], told["key_home"]) == (1, 0, "file")
    new = set(keys_of(tmp_path)) - set(before)
    assert {Path(name).suffix for name in new} == {".key", ".anchor"}
    assert len({Path(name).stem for name in new}) == 1, "the restored state has a key of its own"
    found = again(there)
    try:
        assert found.databases.state.read_only is None, "its anchor holds"
        assert found.databases.state.found_epoch == epoch + 1
        assert names(found) == ["one"]
        assert verified(found.ownership, found.keys).whole
    finally:
        found.close()
    with house(directory=tmp_path) as home:
        assert [row["name"] for row in home.call(home.owner, "list_entities")["items"]] == ["one", "two"]


@pytest.mark.guarantee("4.26")
def test_no_bearer_comes_back_neither_one_revoked_since_nor_one_that_lived(tmp_path: Path, there: Path):
    with house(directory=tmp_path) as home:
        revoked, alive, rotated = home.agent(), home.agent(), home.agent()
        old = home.tokens[rotated.connection_id]
        home.refused(home.agent("assistant", name="asks"), "create_entity", kind="k", name="asked")
        with home.databases.ops.writing() as tx:
            tx.run(
                "INSERT INTO allowance VALUES (:id, 'sophia.update_entity', 'boot', :until)",
                id=alive.connection_id,
                until=10**18,
            )
            tx.run("INSERT INTO grant_code VALUES ('c', 'p', 'boot', :until, 0, NULL)", until=10**18)
        made(home, tmp_path / "b")
        home.parts.mint.revoke(revoked.connection_id, "owner")
        home.parts.mint.rotate(rotated.connection_id, "owner")
        home.clock.turn(10 * MINUTE)
        tokens = [home.tokens[one.connection_id] for one in (revoked, alive)] + [old]
    assert put_back(tmp_path / "b", there, keys=tmp_path / "keys")["connections_ended"] == 4
    found = again(there)
    try:
        front = found.parts.front(None, 0)  # type: ignore[arg-type]
        assert [front.authenticate(token.encode()) for token in tokens] == [None] * 3
        with found.databases.ops.reading() as rows:
            assert rows.value("SELECT count(*) FROM connection WHERE revoked_at IS NULL") == 0
            assert rows.value("SELECT count(*) FROM approval WHERE status = 'pending'") == 0
            assert rows.value("SELECT count(*) FROM allowance") == rows.value("SELECT count(*) FROM grant_code") == 0
            assert rows.value("SELECT count(*) FROM security_event WHERE what = 'restored'") == 1
        with found.databases.state.parties() as db:
            assert db.execute("SELECT count(*) FROM main.party WHERE NOT ended").get == 0
    finally:
        found.close()


@pytest.mark.guarantee("4.26")
def test_a_live_owner_is_not_restored_over(tmp_path: Path, backup: Path):
    with house(directory=tmp_path) as home:
        before = home.dump()
        with pytest.raises(OwnerLive) as refused:
            put_back(backup, tmp_path)
        assert refused.value.exit_code == 80
        assert home.dump() == before


@pytest.mark.guarantee("4.26")
@pytest.mark.parametrize("name", ["state.db", "key.json", "notes.txt", "before-upgrade.tar"])
def test_only_an_empty_data_directory_is_restored_into(backup: Path, there: Path, name: str):
    (there / "data").mkdir(mode=0o700)
    (there / "data" / name).write_text("mine")
    with pytest.raises(Conflict, match=f"holds {name}"):
        put_back(backup, there, "pass")
    assert left(there) == sorted([name, "owner.lock"])
    assert (there / "data" / name).read_text() == "mine"


def test_the_settings_that_wait_there_stay(backup: Path, there: Path):
    (there / "data").mkdir(mode=0o700)
    (there / "data" / "config.toml").write_text("port = 7000\n")
    assert put_back(backup, there, "pass", keys=there / "new")["ok"]
    assert (there / "data" / "config.toml").read_text() == "port = 7000\n"


@pytest.mark.guarantee("4.26")
def test_a_damaged_backup_leaves_nothing(tmp_path: Path, backup: Path, there: Path):
    content = bytearray(backup.read_bytes())
    content[-2000] ^= 1
    (tmp_path / "bad").write_bytes(content)
    before = keys_of(tmp_path)
    with pytest.raises(BackupDamaged, match=r"ops\.db"):
        put_back(tmp_path / "bad", there, keys=tmp_path / "keys")
    assert left(there) == ["owner.lock"]
    assert keys_of(tmp_path) == before
    with pytest.raises(NotFound, match="no backup"):
        put_back(tmp_path / "none", there)


def forged(backup: Path, to: Path, **changes: Any) -> Path:
    """The backup with another manifest, whose hashes are all made to fit."""
    folder = to.with_suffix(".d")
    folder.mkdir()
    with archive(backup) as found:
        found.take(folder, unheard)
        manifest = msgspec.structs.replace(found.manifest, **changes)
    with to.open("wb") as file:
        container.write(file, manifest, folder, unheard)
    return to


@pytest.mark.guarantee("4.26")
def test_a_manifest_that_was_rewritten_is_refused(tmp_path: Path, backup: Path, there: Path):
    with archive(backup) as found:
        marks = msgspec.structs.replace(found.manifest.marks, accepted=1)
    with pytest.raises(BackupDamaged, match="not sealed with the data's own key"):
        put_back(forged(backup, tmp_path / "forged", marks=marks), there, keys=tmp_path / "keys")
    assert left(there) == ["owner.lock"]


@pytest.mark.guarantee("4.27")
def test_a_backup_of_a_newer_sophia_is_refused_by_its_code(tmp_path: Path, backup: Path, there: Path):
    with archive(backup) as found:
        parts = [msgspec.structs.replace(part, schema=99) for part in found.manifest.parts]
    with pytest.raises(SchemaUnsupported) as refused:
        put_back(forged(backup, tmp_path / "newer", parts=parts), there)
    assert refused.value.exit_code == 87
    assert left(there) == ["owner.lock"]


def test_on_a_new_machine_the_passphrase_opens_it_and_nothing_else_does(tmp_path: Path, backup: Path, there: Path):
    for given, told in ((None, "nobody can be asked"), ("word", "does not open")):
        with pytest.raises(DbUnavailable, match=told):
            put_back(backup, there, given, keys=tmp_path / "new-machine")
        assert left(there) == ["owner.lock"]
        assert list((tmp_path / "new-machine").iterdir()) == []
    done = put_back(backup, there, "pass", keys=tmp_path / "new-machine")
    assert done["key_home"] == "file", "the passphrase was the backup's, not the data's"
    found = again(there, tmp_path / "new-machine")
    assert names(found) == ["one"]
    found.close()


def test_data_under_a_passphrase_is_under_it_again(tmp_path: Path, there: Path):
    with house(directory=tmp_path) as home:
        set_passphrase(home.ownership, tmp_path / "keys", False, "word")
    with owned_by(tmp_path, "word") as home:
        made(home, tmp_path / "b")
    told = put_back(tmp_path / "b", there, "word", keys=tmp_path / "new-machine")
    assert told["key_home"] == "passphrase"
    with pytest.raises(DbUnavailable):
        again(there, tmp_path / "new-machine")
    assert [path.suffix for path in (tmp_path / "new-machine").iterdir()] == [".anchor"]


@contextmanager
def owned_by(place: Path, passphrase: str) -> Iterator[House]:
    found = opened(settings(place), lambda: passphrase)
    try:
        yield House(found.parts, TurnableClock(), found.ownership, found.keys, place)
    finally:
        found.close()


def test_a_state_that_is_not_whole_is_put_back_as_it_is_and_says_so(tmp_path: Path, there: Path):
    with house(directory=tmp_path) as home:
        home.entity("one")
    with offline(tmp_path) as (db, _):
        db.execute("UPDATE mutation SET tool = 'other'")
    with house(directory=tmp_path) as home:
        made(home, tmp_path / "b")
    told = put_back(tmp_path / "b", there, keys=tmp_path / "keys")
    assert (told["ok"], told["journal_breaks_at"]) == (False, 1)
    found = again(there)
    assert "not what was written" in str(found.databases.state.read_only)
    found.close()


def test_a_database_that_is_damaged_within_is_not_put_back(backup: Path, there: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(restoring, "verified", lambda *_: Findings(["a page is not used"], [], None))
    with pytest.raises(BackupDamaged, match="is damaged; nothing"):
        put_back(backup, there, "pass")
    assert left(there) == ["owner.lock"]


def test_a_disk_that_does_not_take_it_is_told(backup: Path, there: Path, monkeypatch: pytest.MonkeyPatch):
    for number, told in ((28, StorageFull), (5, Unavailable)):

        def fail(*_: object, number: int = number) -> None:
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patched:
            patched.setattr(container.Archive, "take", fail)
            with pytest.raises(told):
                put_back(backup, there, "pass")
        assert left(there) == ["owner.lock"]


DYING = """
import sys
from pathlib import Path
from tests.support.backups import put_back
put_back(Path(sys.argv[1]), Path(sys.argv[2]), failpoint=sys.argv[3], keys=Path(sys.argv[4]))
"""


@pytest.mark.guarantee("4.26")
@pytest.mark.parametrize("at", ["restore_state.db", "restore_ops.db", "restore_key.json", "restore_placed"])
def test_a_restore_that_is_killed_is_done_or_is_run_again(tmp_path: Path, backup: Path, there: Path, at: str):
    before = keys_of(tmp_path)
    killed = subprocess.run(
        [sys.executable, "-c", DYING, str(backup), str(there), f"{at}:kill", str(tmp_path / "keys")],
        cwd=ROOT, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    if at != "restore_placed":
        with pytest.raises(DbUnavailable, match="broken off: run it again"):
            again(there)
        put_back(backup, there, keys=tmp_path / "keys")
    found = again(there)
    assert names(found) == ["one"]
    assert found.databases.state.read_only is None
    found.close()
    assert restored.FOLDER not in left(there)
    assert len(keys_of(tmp_path)) == len(before) + 2, "no key and no anchor of the first try is left"


def test_what_was_being_written_when_a_restore_was_killed_is_taken_away(backup: Path, there: Path):
    folder = there / "data" / restored.FOLDER
    folder.mkdir(parents=True, mode=0o700)
    (there / "data").chmod(0o700)
    (folder / "key.json").write_text("{")
    (folder / "state.db").write_text("half")
    assert put_back(backup, there, "pass", keys=there / "new")["ok"]
    assert restored.FOLDER not in left(there)


def test_what_a_finished_restore_left_is_swept_at_the_next_start(tmp_path: Path, backup: Path, there: Path):
    put_back(backup, there, "pass", keys=tmp_path / "new")
    folder = there / "data" / restored.FOLDER
    folder.mkdir(mode=0o700)
    (folder / "key.json.new").write_text("{")
    again(there, tmp_path / "new").close()
    assert not folder.exists()


def test_an_older_schema_is_brought_up_to_date_on_the_way(
    tmp_path: Path, backup: Path, there: Path, monkeypatch: pytest.MonkeyPatch
):
    newest = migrate.migrations("state")[-1][0]
    later = [*migrate.migrations("state"), (newest + 1, "ALTER TABLE entity ADD COLUMN nickname TEXT")]
    real = migrate.migrations
    monkeypatch.setattr(migrate, "migrations", lambda name: later if name == "state" else real(name))
    assert put_back(backup, there, "pass", keys=tmp_path / "new")["ok"]


def test_a_restore_leaves_its_own_directory_alone_when_it_fails_after_it_was_placed(
    tmp_path: Path, backup: Path, there: Path, monkeypatch: pytest.MonkeyPatch
):
    real = durable.sync_folder
    calls = []

    def fail_last(folder: Path) -> None:
        calls.append(folder)
        if (there / "data" / "key.json").exists() and not (there / "data" / restored.FOLDER).exists():
            raise OSError(5, "I/O error")
        real(folder)

    monkeypatch.setattr(durable, "sync_folder", fail_last)
    with pytest.raises(Unavailable):
        put_back(backup, there, "pass", keys=tmp_path / "new")
    monkeypatch.undo()
    with_key = again(there, tmp_path / "new")
    assert names(with_key) == ["one"]
    with_key.close()
