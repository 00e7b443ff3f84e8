"""A granted folder is walked in order, without a link, a secret or a surprise."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sophia.capabilities.documents.files import opened_folder
from sophia.capabilities.documents.folders import Choice, walk
from sophia.capabilities.documents.grants import Protected
from sophia.core.errors import LimitReached


def walked(root: Path, include: Sequence[str] = (), exclude: Sequence[str] = (), max_files: int = 1000) -> list[str]:
    protected = Protected((root / "data",))
    with opened_folder(str(root), [root], protected) as folder:
        return [seen.path for seen in walk(folder, protected, Choice.of(include, exclude), max_files=max_files)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (
        "b.md",
        "a.txt",
        "sub/c.md",
        "sub/deep/d.md",
        "sub.md",
        "data/state.db",
        ".hidden.md",
        ".git/config",
        "mcp.json",
    ):
        path = tmp_path / "r" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "r"


def test_plain_files_come_sorted_and_hidden_protected_and_secret_ones_do_not(root: Path):
    assert walked(root) == ["a.txt", "b.md", "sub/c.md", "sub/deep/d.md", "sub.md"]


@pytest.mark.guarantee("FS1", "FS2")
def test_links_pipes_and_hard_links_to_the_data_directory_are_passed_over(root: Path, tmp_path: Path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    (root / "file.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.md")
    os.link(root / "data" / "state.db", root / "copy.md")
    os.link(root / "b.md", root / "also.md")
    assert walked(root) == ["a.txt", "also.md", "b.md", "sub/c.md", "sub/deep/d.md", "sub.md"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems keep only names that are text")
def test_names_that_cannot_be_written_down_are_passed_over(root: Path):
    for name in (b"\xff.md", b"new\nline.md", "\u00fc.md".encode()):
        (root / "sub" / os.fsdecode(name)).write_text("x")
    assert walked(root, include=["sub/*"]) == ["sub/c.md", "sub/\u00fc.md"]


@pytest.mark.parametrize(
    ("include", "exclude", "found"),
    [
        (["*.md"], [], ["b.md", "sub/c.md", "sub/deep/d.md", "sub.md"]),
        (["sub/*.md"], [], ["sub/c.md"]),
        (["sub/**"], [], ["sub/c.md", "sub/deep/d.md"]),
        (["**/d.md"], [], ["sub/deep/d.md"]),
        ([], ["sub"], ["a.txt", "b.md", "sub.md"]),
        ([], ["sub/"], ["a.txt", "b.md", "sub.md"]),
        ([], ["deep/"], ["a.txt", "b.md", "sub/c.md", "sub/deep/d.md", "sub.md"]),
        ([], ["**/deep/**"], ["a.txt", "b.md", "sub/c.md", "sub.md"]),
        (["*.md"], ["sub/**"], ["b.md", "sub.md"]),
        (["absent"], [], []),
    ],
)
def test_patterns_say_what_is_in_and_what_is_out(root: Path, include: list[str], exclude: list[str], found: list[str]):
    assert walked(root, include, exclude) == found


def test_a_folder_beyond_the_bound_is_said_to_be(root: Path):
    assert len(walked(root, max_files=5)) == 5
    with pytest.raises(LimitReached):
        walked(root, max_files=4)


def test_what_vanishes_while_it_is_walked_is_passed_over(root: Path):
    protected = Protected(())
    with opened_folder(str(root), [root], protected) as folder:
        found = walk(folder, protected)
        assert next(found).path == "a.txt"
        (root / "b.md").unlink()
        (root / "sub" / "c.md").unlink()
        assert "b.md" not in [seen.path for seen in found]


def test_no_descriptor_is_left_open_by_a_walk_that_ends_early(root: Path):
    before = len(os.listdir("/dev/fd"))
    walked(root)
    with opened_folder(str(root), [root], Protected(())) as folder:
        found = walk(folder, Protected(()), Choice.of(["sub/deep/*"]))
        next(found)
        found.close()  # type: ignore[attr-defined] # a generator
    assert len(os.listdir("/dev/fd")) == before
