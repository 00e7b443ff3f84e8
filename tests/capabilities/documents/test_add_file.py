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
    folder = home.call(home.owner, "register_folder", path=str(root), watch=False)["entity_id"]
    entity = home.entity("Mine")
    scoped = home.agent("full", scope=[folder, entity])
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


@pytest.fixture
def shelves(home: House) -> dict[str, str]:
    """Three registered folders below one grant, one of them in another, with a file in each; their entities by name."""
    all_of = home.directory / "all"
    for name in ("ada", "ada/inner", "bo"):
        (all_of / name).mkdir(parents=True)
        (all_of / name / "own.md").write_text(f"The canary of {name}.\n", encoding="utf-8")
    (all_of / "nobody.md").write_text("The canary of nobody.\n", encoding="utf-8")
    home.parts.roots.grant(str(all_of), "owner")
    made = {}
    for name in ("ada", "ada/inner", "bo"):
        told = home.call(home.owner, "register_folder", path=str(all_of / name), exclude=["kept.md"], watch=False)
        made[name] = told["entity_id"]
    return made


def no_path(home: House, agent: Agent, tool: str, paths: list[Path], **more: object) -> None:
    """All of these are refused in one and the same words, and nothing is written."""
    before = home.dump()
    told = [home.refused(agent, tool, path=str(path), **more) for path in paths]
    for error in told:
        error.pop("error_id")
    assert all(error == told[0] for error in told), told
    assert told[0]["code"] == "not_permitted"
    assert home.dump() == before


@pytest.mark.guarantee("C2")
@pytest.mark.guarantee("C3")
def test_a_list_scoped_agent_adds_files_of_its_own_folders_only(home: House, shelves: dict[str, str]):
    place, (ada, inner, bo) = home.directory / "all", shelves.values()
    agent = home.agent("full", scope=[ada])
    (place / "ada" / "kept.md").write_text("The canary of the owner.\n")
    (place / "ada" / ".hidden.md").write_text("The canary of the owner.\n")
    others = [
        place / "bo" / "own.md", place / "bo" / "absent.md", place / "ada" / "inner" / "own.md",
        place / "ada" / "inner" / "absent.md", place / "nobody.md", place / "absent.md", place / "ada" / ".hidden.md",
        place / "ada" / "kept.md", place / "ada" / ".." / "bo" / "own.md", place / "ada", place / "ada" / "absent.md",
        Path("/etc/passwd"), Path("note.md"),
    ]  # fmt: skip
    no_path(home, agent, "add_file", others, entity_ids=[ada])
    no_path(home, home.agent("full", scope=[]), "add_file", [place / "ada" / "own.md", *others])
    told = home.call(agent, "add_file", path=f"{place}//ada/./own.md", entity_ids=[ada])["document"]
    assert told["entity_ids"] == [ada]
    both = home.agent("full", scope=[inner, bo])
    for name in ("ada/inner", "bo"):
        home.call(both, "add_file", path=str(place / name / "own.md"), entity_ids=[shelves[name]])
    no_path(home, both, "add_file", [place / "ada" / "own.md", place / "ada" / "absent.md"], entity_ids=[bo])
    told = home.call(home.agent("full"), "add_file", path=str(place / "nobody.md"))["document"]
    assert told["title"] == "nobody"


@pytest.mark.guarantee("C2")
def test_a_file_whose_document_is_out_of_scope_is_no_way_to_it(home: House, shelves: dict[str, str]):
    path, ada = home.directory / "all" / "ada" / "own.md", shelves["ada"]
    secret = home.entity("Secret")
    held = home.call(home.owner, "add_file", path=str(path), entity_ids=[ada, secret])["document"]["document_id"]
    agent = home.agent("full", scope=[ada])
    no_path(home, agent, "add_file", [path, path.parent / "absent.md"], entity_ids=[ada])
    home.call(home.owner, "archive_document", document_id=held)
    no_path(home, agent, "add_file", [path, path.parent / "absent.md"], entity_ids=[ada])
    home.call(home.agent("full", scope=[ada, secret]), "add_file", path=str(path), entity_ids=[ada])


@pytest.mark.guarantee("C2")
def test_a_folder_by_another_spelling_is_still_the_folder(home: House, shelves: dict[str, str]):
    """To a file system that knows no case, these are one; on any other, what looks like it is no way in either."""
    place = home.directory / "all" / "ada"
    (place / "INNER").mkdir()
    (place / "INNER" / "own.md").write_text("The canary of inner.\n")
    agent = home.agent("full", scope=[shelves["ada"]])
    no_path(home, agent, "add_file", [place / "INNER" / "own.md", place / "absent.md"], entity_ids=[shelves["ada"]])


@pytest.mark.guarantee("C3")
def test_a_list_scoped_agent_learns_of_no_folder_by_registering_it(home: House, shelves: dict[str, str]):
    place = home.directory / "all"
    agent = home.agent("full", scope=[shelves["ada"]])
    no_path(
        home, agent, "register_folder", [place, place / "bo", place / "absent", place / "ada", Path("/"), Path("x")]
    )
