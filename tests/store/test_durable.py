import fcntl
import os
import stat
from pathlib import Path

import pytest

from sophia.store import durable


def test_a_file_is_replaced_as_a_whole_and_is_its_owners_only(tmp_path: Path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o644)
    before = os.umask(0o277)
    try:
        durable.write(path, b"new")
    finally:
        os.umask(before)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["file"]


def test_a_disk_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "file"
    durable.write(path, b"old")

    def failing(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match="Input/output"):
        durable.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_an_earlier_attempt_left_is_in_nobodys_way(tmp_path: Path):
    (tmp_path / "file.new").symlink_to(tmp_path / "victim")
    durable.write(tmp_path / "file", b"new")
    assert os.listdir(tmp_path) == ["file"]


def test_content_reaches_the_disk_before_the_name_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    done: list[str] = []
    real_sync, real_replace = os.fsync, Path.replace

    def sync(fd: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        real_sync(fd)

    def replace(self: Path, target: Path) -> Path:
        done.append("rename")
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    durable.write(tmp_path / "file", b"new")
    assert done == ["file", "folder", "rename", "folder"]


def test_a_system_with_a_fuller_sync_is_asked_for_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    monkeypatch.setattr(fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", lambda _, command: asked.append(command))
    durable.write(tmp_path / "file", b"new")
    assert asked == [51]


def test_removing_what_is_not_there_is_no_error(tmp_path: Path):
    durable.write(tmp_path / "file", b"x")
    durable.remove(tmp_path / "file")
    durable.remove(tmp_path / "file")
    assert os.listdir(tmp_path) == []
