"""Other programs' files: written at once or not at all."""

import os
from pathlib import Path

import pytest

from sophia.cli.config_file import MOST, ConfigFile
from sophia.core.errors import Conflict, NotPermitted


def test_what_another_program_wrote_in_between_is_not_lost(tmp_path: Path):
    file = ConfigFile(tmp_path, ("a.json",))
    (tmp_path / "a.json").write_text("one")
    assert file.text() == "one"
    (tmp_path / "a.json").write_text("another's")
    with pytest.raises(Conflict, match="Try again"):
        file.write("ours", private=True)
    assert (tmp_path / "a.json").read_text() == "another's"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_what_came_to_be_in_between_is_not_lost(tmp_path: Path):
    file = ConfigFile(tmp_path, ("a.json",))
    assert file.text() == ""
    (tmp_path / "a.json").write_text("another's")
    with pytest.raises(Conflict):
        file.write("ours", private=False)


def test_a_new_file_is_as_open_as_its_user_makes_files(tmp_path: Path):
    before = os.umask(0o027)
    try:
        file = ConfigFile(tmp_path, ("below", "a.json"))
        file.text()
        file.write("x", private=False)
        assert file.path.stat().st_mode & 0o777 == 0o640
        file.write("y", private=True)
        assert file.path.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)


@pytest.mark.parametrize("kind", ["folder", "pipe", "binary", "huge"])
def test_what_is_no_text_is_refused(tmp_path: Path, kind: str):
    path = tmp_path / "a.json"
    match kind:
        case "folder":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "binary":
            path.write_bytes(b"\xff\xfe\x00")
        case _:
            path.touch()
            os.truncate(path, MOST + 1)
    with pytest.raises(NotPermitted):
        ConfigFile(tmp_path, ("a.json",)).text()


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = ConfigFile(tmp_path, ("a.json",))
    file.text()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "full")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(NotPermitted, match="could not be written"):
        file.write("x", private=True)
    assert not [*tmp_path.iterdir()]
