"""Files that an agent names: read below a folder that the owner granted, and refused in one sentence anywhere else."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sophia.core.caller import Agent
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def root(home: House) -> Path:
    """A granted folder with a file in it."""
    folder = home.directory / "granted"
    folder.mkdir()
    (folder / "note.md").write_text("# The Note\n\nA bittern booms.\n", encoding="utf-8")
    home.parts.roots.grant(str(folder), "owner")
    return folder


@pytest.fixture
def agent(home: House) -> Agent:
    return home.agent("full")


def test_a_file_below_a_granted_folder_becomes_a_document(home: House, root: Path, agent: Agent):
    told = home.call(agent, "add_file", path=str(root / "note.md"), collection="c", tags=["t"])["document"]
    assert (told["title"], told["mime"], told["origin"]) == ("The Note", "text/markdown", "folder")
    assert (told["collection"], told["tags"], told["location"]) == ("c", ["t"], str(root / "note.md"))
    assert home.call(agent, "search_documents", query="bittern")["items"][0]["document_id"] == told["document_id"]
    assert home.call(home.owner, "add_file", path=f"{root}//./note.md")["document"] == told


def test_a_list_scoped_agent_adds_a_file_to_what_it_sees(home: House, root: Path):
    entity = home.entity("Mine")
    scoped = home.agent("full", scope=[entity])
    path = str(root / "note.md")
    assert home.refused(scoped, "add_file", path=path)["code"] == "not_found"
    assert home.call(scoped, "add_file", path=path, entity_ids=[entity])["document"]["entity_ids"] == [entity]


def test_a_file_again_is_its_document_brought_up_to_date(home: House, root: Path, agent: Agent):
    path = root / "note.md"
    first = home.call(agent, "add_file", path=str(path))["document"]
    before = home.dump()
    again = home.call(agent, "add_file", path=str(path))
    assert home.dump() == before
    assert again["document"] == first
    assert "warning" in again
    path.write_text("# The Note\n\nA shoveler dabbles.\n", encoding="utf-8")
    changed = home.call(agent, "add_file", path=str(path))
    assert changed["document"]["document_id"] == first["document_id"]
    assert home.call(agent, "search_documents", query="shoveler")["total"] == 1
    assert home.call(agent, "search_documents", query="bittern")["total"] == 0


@pytest.mark.guarantee("FS1")
def test_everything_else_is_refused_in_the_same_words(home: House, root: Path, agent: Agent, tmp_path: Path):
    outside = tmp_path / "outside.md"
    outside.write_text("secret", encoding="utf-8")
    (root / "link.md").symlink_to(outside)
    (root / "up").symlink_to(root.parent)
    os.mkfifo(root / "pipe.md")
    os.link(home.directory / "data" / "state.db", root / "hard.md")
    inner = home.directory / "data"
    home.parts.roots.grants.grant(str(home.directory), "owner")
    keys = next((home.directory / "keys").iterdir())
    paths = [
        str(outside), str(tmp_path / "missing.md"), f"{root}/../granted/note.md", f"{root}/../data/state.db",
        str(root / "link.md"), str(root / "up" / "granted" / "note.md"), str(root / "pipe.md"), str(root / "hard.md"),
        "/proc/self/environ", "/dev/zero", "/etc/passwd", str(inner / "state.db"), str(inner / "missing"), str(keys),
        str(root), str(root / "missing.md"), "note.md", "~/note.md", "/", "//", ".",
    ]  # fmt: skip
    before = home.dump()
    errors = []
    for path in paths:
        error = home.refused(agent, "add_file", path=path)
        error.pop("error_id")
        errors.append(json.dumps(error, sort_keys=True))
    assert len(set(errors)) == 1
    assert json.loads(errors[0])["code"] == "not_permitted"
    assert home.dump() == before
    assert home.refused(agent, "add_file", path=f"{root}/note.md\0")["code"] == "bad_arguments"
    assert home.call(agent, "add_file", path=str(root / "note.md"))["document"]["title"] == "The Note"


@pytest.mark.guarantee("FS1")
def test_a_grant_that_was_taken_back_opens_nothing(home: House, root: Path, agent: Agent):
    home.parts.roots.revoke(str(root), "owner")
    assert home.refused(agent, "add_file", path=str(root / "note.md"))["code"] == "not_permitted"
    home.parts.roots.grant(str(root), "owner")
    home.call(agent, "add_file", path=str(root / "note.md"))


@pytest.mark.guarantee("FS3")
@pytest.mark.parametrize(
    ("name", "size", "code"), [("big.md", 26 * 1024 * 1024, "too_large"), ("wide.md", 4_000_001, "too_large"),
                               ("image.png", 10, "unsupported")],
)  # fmt: skip
def test_what_cannot_be_taken_in_is_refused_with_a_reason(
    home: House, root: Path, agent: Agent, name: str, size: int, code: str
):
    with (root / name).open("wb") as file:
        file.write(b"x" * min(size, 4_000_001))
        file.truncate(size)
    assert home.refused(agent, "add_file", path=str(root / name))["code"] == code


def test_bytes_that_are_no_text_are_unsupported(home: House, root: Path, agent: Agent):
    (root / "bad.md").write_bytes(b"\xff\xfe\x00\xd8 half a pair")
    (root / "latin.txt").write_bytes("naïve".encode("latin-1"))
    for name in ("bad.md", "latin.txt"):
        assert home.refused(agent, "add_file", path=str(root / name))["code"] == "unsupported"
