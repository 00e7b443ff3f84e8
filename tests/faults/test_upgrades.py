"""Every release opens the states of all before, and an upgrade that is killed is undone or done."""

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sophia.core.refusals import DbUnavailable, SchemaUnsupported
from sophia.opening import opened
from sophia.store import anchor, migrate, upgrade
from sophia.store.anchor import Anchor
from sophia.store.backup import Order
from sophia.store.verify import verified
from tests.support.backups import put_back
from tests.support.beneath import bare, owned
from tests.support.process import settings
from tests.support.schemas import NUMBERS, RELEASES, counted, known, left_by

ROOT = Path(__file__).parents[2]
NEWEST = RELEASES[-1]
ADDED = "CREATE TABLE later (id TEXT PRIMARY KEY NOT NULL, x TEXT) STRICT; ALTER TABLE entity ADD COLUMN later TEXT;"
"""A migration of a release to come, so that there is always one to try it with."""
OPENING = """
import sys
from dataclasses import replace
from pathlib import Path
from sophia.opening import opened
from sophia.store import migrate
from tests.support.process import settings
real, added = migrate.migrations, sys.argv[2]
migrate.migrations = lambda name: [*real(name), (real(name)[-1][0] + 2, added)] if name == "state" else real(name)
opened(replace(settings(Path(sys.argv[1])), failpoint=sys.argv[3])).close()
"""


def dying(place: Path, failpoint: str) -> int:
    """How a start of the release to come ended that dies there."""
    told = subprocess.run(
        [sys.executable, "-c", OPENING, str(place), ADDED, failpoint], cwd=ROOT, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert told.returncode in (0, -signal.SIGKILL), told.stderr
    return told.returncode


def seen(place: Path, name: str) -> dict[str, Any]:
    """The database as it is now."""
    with owned(place) as (ownership, keys), bare(ownership, keys, name) as db:
        return {"version": db.execute("PRAGMA user_version").get, "sound": True, "schema": migrate.fingerprint(db)}


def killed_on_the_way(place: Path, name: str, number: int, added: str = "") -> list[dict[str, object]]:
    """How the database was found after each of these deaths."""
    command = [sys.executable, "-m", "tests.support.dying_upgrade", str(place), name, str(number), added]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert told.returncode == 0, told.stderr
    return [json.loads(line) for line in told.stdout.splitlines()]


def whole(place: Path, rows: dict[str, int], keys: Path | None = None) -> None:
    """The data directory opens, holds these rows, is as it was written, and is worked in."""
    house = opened(replace(settings(place), key_dir=keys or place / "keys"))
    try:
        assert house.databases.state.read_only is None
        answer = house.parts.dispatcher.call(
            house.parts.owner, "create_entity", {"kind": "k", "name": "new", "allow_duplicate": True}
        )
        assert not answer.is_error, answer.payload
        listed = house.parts.dispatcher.call(house.parts.owner, "list_entities", {})
        assert json.loads(listed.payload)["total"] == rows["entity"] + 1
        assert verified(house.ownership, house.keys).whole
        with bare(house.ownership, house.keys) as db:
            assert counted(db, [*rows]) == rows | {"entity": rows["entity"] + 1}
    finally:
        house.close()


def kept(place: Path) -> list[Path]:
    return upgrade.copies(place / "data")


@pytest.mark.guarantee("4.27")
@pytest.mark.parametrize("number", RELEASES)
def test_every_release_opens_the_states_of_all_before(tmp_path: Path, number: int):
    rows = left_by(tmp_path, number)
    assert len(rows) >= 7
    assert {name for name, count in rows.items() if count != 2} <= {"entity_merge", "fact_dispute"}, (
        "they name two rows"
    )
    noted(tmp_path)
    whole(tmp_path, rows)
    assert len(kept(tmp_path)) == (number < NEWEST)


def noted(place: Path) -> None:
    """The anchor that the earlier release left."""
    with owned(place) as (ownership, keys), bare(ownership, keys) as db:
        seq, link = db.execute("SELECT seq, hash FROM journal_head").get
        anchor.write(place / "keys", keys.key_id, keys.seal, Anchor(seq, link, 1))


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a release to come, and this is it. It leaves a number out."""
    real = migrate.migrations

    def with_one_more(name: str) -> list[tuple[int, str]]:
        return [*real(name), (real(name)[-1][0] + 2, ADDED)] if name == "state" else real(name)

    monkeypatch.setattr(migrate, "migrations", with_one_more)


@pytest.mark.guarantee("4.27")
def test_an_upgrade_keeps_the_state_from_before_and_that_is_the_way_back(tmp_path: Path, later: None):
    with known(NEWEST):
        rows = left_by(tmp_path, NEWEST)
        noted(tmp_path)
    whole(tmp_path, rows)
    (copy,) = kept(tmp_path)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert copy.parent.stat().st_mode & 0o777 == 0o700
    assert b"SQLite format 3" not in copy.read_bytes()
    with known(NEWEST):
        with pytest.raises(SchemaUnsupported, match="newer Sophia") as refused:
            opened(settings(tmp_path))
        assert refused.value.exit_code == 87
        assert put_back(copy, tmp_path / "back", keys=tmp_path / "keys")["ok"]
        whole(tmp_path / "back", rows, tmp_path / "keys")
    whole(tmp_path, rows | {"entity": rows["entity"] + 1})
    assert len(kept(tmp_path)) == 1, "a start that upgrades nothing keeps nothing"


@pytest.mark.guarantee("4.27")
def test_an_upgrade_that_is_killed_at_any_statement_is_undone_or_done(tmp_path: Path, later: None):
    with known(NEWEST):
        rows = left_by(tmp_path, NEWEST)
        noted(tmp_path)
        before = seen(tmp_path, "state")
    deaths = killed_on_the_way(tmp_path, "state", NUMBERS["state"][-1] + 2, ADDED)
    assert len(deaths) > 10, "the triggers of the journal are part of it"
    assert [death for death in deaths if death != before] == []
    assert len(kept(tmp_path)) == 1, "one copy, however often it was broken off"
    with known(NEWEST), pytest.raises(SchemaUnsupported):
        opened(settings(tmp_path))
    whole(tmp_path, rows)


@pytest.mark.guarantee("4.27")
@pytest.mark.parametrize(
    ("failpoint", "upgraded"), [("upgrade_copied:kill", False), ("mid_migrate:kill", False), ("boot_opened:kill", True)]
)
def test_old_code_works_on_what_is_fully_old_and_refuses_what_is_fully_new(
    tmp_path: Path, later: None, failpoint: str, upgraded: bool
):
    with known(NEWEST):
        rows = left_by(tmp_path, NEWEST)
        noted(tmp_path)
    assert dying(tmp_path, failpoint) == -signal.SIGKILL
    assert [path.name for path in (tmp_path / "data").rglob("*.part")] == []
    with known(NEWEST):
        if upgraded:
            with pytest.raises(SchemaUnsupported):
                opened(settings(tmp_path))
        else:
            whole(tmp_path, rows)
            rows |= {"entity": rows["entity"] + 1}
    whole(tmp_path, rows)


@pytest.mark.guarantee("4.27")
@pytest.mark.parametrize("name", ["state", "ops"])
def test_each_migration_that_there_is_can_be_killed_on_its_way(tmp_path: Path, name: str):
    """From the first release on, one after the other; the first migration is the first start's own test."""
    rows = left_by(tmp_path, 1)
    noted(tmp_path)
    for number in NUMBERS[name][1:]:
        before = seen(tmp_path, name)
        assert before["version"] < number
        deaths = killed_on_the_way(tmp_path, name, number)
        assert deaths
        assert [death for death in deaths if death != before] == []
    whole(tmp_path, rows)


def test_only_so_many_copies_are_kept(tmp_path: Path, later: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(upgrade, "KEPT", 2)
    folder = tmp_path / "data" / upgrade.FOLDER
    with known(NEWEST):
        rows = left_by(tmp_path, NEWEST)
        noted(tmp_path)
    folder.mkdir(mode=0o700)
    for n in range(3):
        (folder / f"epoch-0.{n}.backup").write_bytes(b"")
    whole(tmp_path, rows)
    assert len(kept(tmp_path)) == 2
    assert kept(tmp_path)[0].name == "epoch-1.1.backup"


def test_where_the_copy_cannot_be_made_nothing_is_upgraded(tmp_path: Path, later: None):
    with known(NEWEST):
        rows = left_by(tmp_path, NEWEST)
        noted(tmp_path)
    (tmp_path / "data" / upgrade.FOLDER).mkdir(mode=0o700)
    blocked = tmp_path / "data" / upgrade.FOLDER / ".epoch-1.1.backup.part"
    blocked.mkdir()
    (blocked / "letters").touch()
    with pytest.raises(DbUnavailable, match="kept from before an upgrade cannot be made") as refused:
        opened(settings(tmp_path))
    assert refused.value.exit_code == 86
    with known(NEWEST):
        whole(tmp_path, rows)


def test_what_was_never_finished_needs_no_copy_and_what_cannot_be_read_gets_none(tmp_path: Path, later: None):
    with known(NEWEST):
        left_by(tmp_path, NEWEST)
        noted(tmp_path)
    with owned(tmp_path) as (ownership, keys):
        waiting = Order(ownership, keys, tmp_path / "keys", 0)
        made = upgrade.kept_before(waiting)
        assert made is not None
        before = made.stat()
        assert upgrade.kept_before(waiting) == made
        assert made.stat() == before, "the copy that is there stays"
        with bare(ownership, keys, "ops") as db:
            db.execute("ALTER TABLE owner_epoch RENAME TO elsewhere")
        with pytest.raises(DbUnavailable, match=r"ops\.db cannot be read"):
            upgrade.kept_before(waiting)
        with bare(ownership, keys, "ops") as db:
            db.execute("PRAGMA user_version = 0")
        assert upgrade.kept_before(waiting) is None


def test_migrations_are_numbered_once_and_what_was_released_stays():
    """Numbers may be left out; one that comes later is greater than all before, or a state that passed it skips it."""
    for name, numbers in NUMBERS.items():
        assert len(set(numbers)) == len(numbers), name
        assert numbers == sorted(numbers)
        assert numbers[0] == 1
