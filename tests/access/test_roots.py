"""The folders that the owner grants: granted, listed, taken back, and logged."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sophia.core.errors import BadArguments, NotFound
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def test_a_grant_is_kept_once_and_by_its_real_path(home: House, tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    roots = home.parts.roots
    root = roots.grant(str(tmp_path / "link"), "owner")
    assert root.path == str((tmp_path / "real").resolve())
    assert roots.grant(str(tmp_path / "real"), "owner") == root
    assert [one.told()["path"] for one in roots.grants.listed()] == [root.path]
    assert roots.revoke(str(tmp_path / "link"), "owner") == root
    assert roots.grants.listed() == []
    again = roots.grant(str(tmp_path / "real"), "owner")
    assert roots.revoke(again.root_id, "owner").path == root.path
    with pytest.raises(NotFound):
        roots.revoke(root.path, "owner")
    with home.databases.ops.reading() as rows:
        whats = [
            row["what"] for row in rows.rows("SELECT what FROM security_event WHERE what LIKE 'root_%' ORDER BY n")
        ]
    assert whats == ["root_granted", "root_revoked", "root_granted", "root_revoked"]


def test_only_a_folder_that_is_not_sophias_own_is_granted(home: House, tmp_path: Path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused = [
        tmp_path / "file",
        tmp_path / "missing",
        home.directory / "data",
        home.directory / "keys",
        Path("relative"),
    ]
    for path in refused:
        with pytest.raises(BadArguments):
            home.parts.roots.grant(str(path), "owner")
    assert home.parts.roots.grants.listed() == []
