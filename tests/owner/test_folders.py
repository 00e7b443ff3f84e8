"""The folders that are granted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.desk import AtDesk, desk
from tests.support.house import house


@pytest.fixture(scope="module")
def at() -> Iterator[AtDesk]:
    with house() as one:
        yield desk(one)


def test_a_folder_is_granted_listed_and_taken_back(at: AtDesk, tmp_path: Path):
    link = tmp_path / "link"
    (tmp_path / "notes").mkdir()
    link.symlink_to(tmp_path / "notes")
    told = at.ask("folders grant", {"path": str(link)})
    assert told["path"] == str(tmp_path / "notes")
    at.ask("folders grant", {"path": str(link)})
    assert [one["path"] for one in at.ask("folders list")].count(told["path"]) == 1
    at.ask("folders revoke", {"path": str(link)})
    assert told["path"] not in [one["path"] for one in at.ask("folders list")]
    assert at.refused("folders revoke", {"path": str(link)})["code"] == "not_found"
    again = at.ask("folders grant", {"path": told["path"]})
    at.ask("folders revoke", {"path": again["root_id"]})


@pytest.mark.parametrize("path", ["relative", "/", "/no/such/folder", "/etc/passwd", "/etc\0"])
def test_what_is_no_folder_is_not_granted(at: AtDesk, path: str):
    assert at.refused("folders grant", {"path": path})["code"] == "bad_arguments"


def test_a_grant_is_confirmed_by_name(at: AtDesk, tmp_path: Path):
    details = desk(at.house, "terminal").refused("folders grant", {"path": str(tmp_path)})["details"]
    assert str(tmp_path) in details["sentence"]


def test_an_import_from_elsewhere_is_confirmed(at: AtDesk, tmp_path: Path):
    (tmp_path / "a.md").write_text("a")
    careful = desk(at.house, "terminal")
    details = careful.refused("import", {"paths": [str(tmp_path / "a.md")]})["details"]
    assert str(tmp_path) in details["sentence"]
    at.ask("folders grant", {"path": str(tmp_path)})
    answer = careful.answer("import", {"paths": [str(tmp_path / "a.md")]}, pid=999)
    assert answer.get("error", {}).get("code") not in ("presence_required", "presence_refused")


@pytest.mark.parametrize("paths", [[], ["relative"], ["/no/such/file"], "x", [1]])
def test_what_is_not_there_is_not_taken_in(at: AtDesk, paths: object):
    assert at.refused("import", {"paths": paths})["code"] == "bad_arguments"


def test_what_is_taken_in_is_found_and_its_folder_granted(at: AtDesk, tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "cape.md").write_text("# The cape\n\nThe lighthouse was built in 1874.\n")
    (tmp_path / "notes" / "raw.bin").write_bytes(bytes(range(256)))
    told = at.ask("import", {"paths": [str(tmp_path / "notes")]})
    kept = {"import_session_id", "mutation_seq", "documents", "entities", "facts", "masked", "skipped"}
    assert told.keys() == kept | {"folders"}
    assert (told["documents"], told["entities"]) == (1, 1)
    assert str(tmp_path / "notes") in [one["path"] for one in at.ask("folders list")]
    assert {"step": "reading", "done": 1, "total": 2} in at.steps
    (hit,) = at.ask("search", {"query": "lighthouse"})["items"]
    assert at.ask("show", {"id": hit["id"]})["text"].startswith("# The cape")
    assert at.ask("import", {"paths": [str(tmp_path / "notes")]})["documents"] == 0


def test_a_grant_is_taken_back_by_a_whole_path_or_its_id(at: AtDesk):
    assert at.refused("folders revoke", {"path": "relative"})["code"] == "bad_arguments"
    assert at.refused("folders revoke", {"path": "root-none"})["code"] == "not_found"
