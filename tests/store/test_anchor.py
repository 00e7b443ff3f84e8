import json
import os
import stat
from pathlib import Path

import pytest

from sophia.store import anchor
from sophia.store.anchor import Anchor, Missing, Tampered

SEAL = bytes(range(32))
KEY_ID = "ab" * 16
SAMPLE = Anchor(seq=41, hash="c0ffee", epoch=3)


@pytest.fixture
def key_dir(tmp_path: Path) -> Path:
    return tmp_path


def test_an_anchor_is_read_as_it_was_written(key_dir: Path):
    anchor.write(key_dir, KEY_ID, SEAL, Anchor(40, "old", 2))
    anchor.write(key_dir, KEY_ID, SEAL, SAMPLE)
    assert anchor.read(key_dir, KEY_ID, SEAL) == SAMPLE
    assert os.listdir(key_dir) == [f"{KEY_ID}.anchor"]
    assert stat.S_IMODE(anchor.path(key_dir, KEY_ID).stat().st_mode) == 0o600


def test_a_missing_anchor_is_told_from_a_tampered_one(key_dir: Path):
    assert anchor.read(key_dir, KEY_ID, SEAL) == Missing()
    anchor.path(key_dir, KEY_ID).write_text("{}")
    assert anchor.read(key_dir, KEY_ID, SEAL) == Tampered("is not an anchor")


@pytest.mark.parametrize(
    "change", [{"seq": 40}, {"hash": "c0ffef"}, {"epoch": 4}, {"mac": "00" * 32}, {"mac": "\u00fc"}]
)
def test_an_anchor_that_was_changed_is_tampered(key_dir: Path, change: dict[str, object]):
    anchor.write(key_dir, KEY_ID, SEAL, SAMPLE)
    path = anchor.path(key_dir, KEY_ID)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert anchor.read(key_dir, KEY_ID, SEAL) == Tampered("was not sealed with this state's key")


@pytest.mark.parametrize("text", ["", "\xff", '{"seq": -1, "hash": "", "epoch": 0, "mac": ""}', "[" * 5000])
def test_what_is_no_anchor_is_tampered(key_dir: Path, text: str):
    anchor.path(key_dir, KEY_ID).write_text(text)
    assert anchor.read(key_dir, KEY_ID, SEAL) == Tampered("is not an anchor")


def test_the_anchor_of_another_state_or_key_is_tampered(key_dir: Path):
    anchor.write(key_dir, KEY_ID, SEAL, SAMPLE)
    other = "cd" * 16
    anchor.path(key_dir, KEY_ID).rename(anchor.path(key_dir, other))
    assert isinstance(anchor.read(key_dir, other, SEAL), Tampered)
    assert isinstance(anchor.read(key_dir, other, bytes(32)), Tampered)


@pytest.mark.timeout(10)
def test_an_anchor_that_is_no_file_is_tampered_without_hanging(key_dir: Path):
    path = anchor.path(key_dir, KEY_ID)
    path.symlink_to("/etc/passwd")
    assert isinstance(anchor.read(key_dir, KEY_ID, SEAL), Tampered)
    path.unlink()
    path.mkdir()
    assert isinstance(anchor.read(key_dir, KEY_ID, SEAL), Tampered)
    path.rmdir()
    os.mkfifo(path)
    assert isinstance(anchor.read(key_dir, KEY_ID, SEAL), Tampered)
