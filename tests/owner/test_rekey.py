"""A fresh key opens the data, the old one does not, and a rotation that is cut off leaves one that does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sophia.store.keys import home_of, passphrase_holds, set_passphrase
from tests.support.beneath import bare, faults, owned
from tests.support.desk import desk
from tests.support.house import house

ROOT = Path(__file__).parents[2]


def keys_of(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (place / "keys").glob("*.key")}


def test_the_daemon_goes_on_under_a_fresh_key(tmp_path: Path):
    with house(directory=tmp_path) as home:
        home.entity("before")
        before = keys_of(tmp_path)
        at = desk(home)
        assert at.ask("rekey")["key_home"] == "file"
        assert set(keys_of(tmp_path).values()).isdisjoint(before.values())
        assert len(keys_of(tmp_path)) == 1
        home.entity("after")
        assert [event["about"] for event in at.logged("rekeyed")] == ["file"]
        assert desk(home, "terminal").refused("rekey")["code"] == "presence_required"
    with house(directory=tmp_path) as home:
        assert home.call(home.owner, "list_entities")["total"] == 2


def test_what_is_under_a_passphrase_stays_under_it(tmp_path: Path):
    with house(directory=tmp_path) as home:
        place = (home.ownership, tmp_path / "keys")
        set_passphrase(*place, keyring_allowed=False, new_passphrase="open sesame")
        wrapped = (tmp_path / "data" / "key.json").read_bytes()
        at = desk(home)
        assert at.refused("rekey", {"current": "other"})["code"] == "not_permitted"
        assert at.refused("rekey")["code"] == "not_permitted"
        assert (tmp_path / "data" / "key.json").read_bytes() == wrapped
        assert at.ask("rekey", {"current": "open sesame"})["key_home"] == "passphrase"
        assert (tmp_path / "data" / "key.json").read_bytes() != wrapped
        assert home_of(home.ownership) == "passphrase"
        assert passphrase_holds(home.ownership, "open sesame")
        assert keys_of(tmp_path) == {}


@pytest.mark.guarantee("4.25")
def test_a_rotation_that_is_killed_at_any_moment_leaves_exactly_one_key_that_opens(tmp_path: Path):
    with house(directory=tmp_path) as home:
        home.entity("one")
    command = [sys.executable, "-m", "tests.support.dying_rotation", str(tmp_path), "100"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False)
    assert told.returncode == 0, told.stderr
    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(found) == 100
    assert all(one["opens"] and one["keys"] == 1 for one in found), found
    assert len({one["turn"] for one in found}) == 100, "the control: each of them had rotated before it died"
    with owned(tmp_path) as (ownership, keys), bare(ownership, keys) as db:
        assert faults(db, keys.seal) == []
