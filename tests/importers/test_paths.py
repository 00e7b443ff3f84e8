"""`sophia import`: folders and files taken in as one mutation, once."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.capabilities.documents import waiting
from sophia.core.errors import BadArguments, Unavailable
from sophia.importers import paths
from sophia.importers.paths import import_paths
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def notes(home: House) -> Path:
    """A folder with three texts in two levels, and what is no text."""
    folder = home.directory / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# Alpha\n\nThe avocet wades.\n", encoding="utf-8")
    (folder / "b.txt").write_text("The bunting sings.\n", encoding="utf-8")
    (folder / "deep" / "c.rst").write_text("The curlew calls.\n", encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "broken.md").write_bytes(b"\xff\xff")
    (folder / ".hidden.md").write_text("hidden", encoding="utf-8")
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "read.md").write_text("theirs", encoding="utf-8")
    return folder


def imported(home: House, *given: Path) -> dict[str, Any]:
    return import_paths(home.parts.intake, [str(path) for path in given], lambda _stage, _done, _of: None).told()


def reasons(told: dict[str, Any]) -> dict[str, str]:
    return {Path(one["path"]).name: one["reason"] for one in told["skipped"]}


def test_a_folder_becomes_an_entity_with_its_files_as_documents(home: House, notes: Path):
    told = imported(home, notes)
    assert (told["documents"], told["entities"], told["facts"]) == (3, 1, 0)
    assert told["import_session_id"].startswith("imp-")
    assert reasons(told) == {"picture.png": "unsupported_type", "broken.md": "not_text"}
    (folder,) = home.call(home.owner, "list_entities", kind="folder")["items"]
    assert (folder["name"], folder["attributes"]) == ("notes", {"location": str(notes)})
    listed = home.call(home.owner, "list_documents")["items"]
    assert {item["title"]: item["tier"] for item in listed} == {
        "Alpha": "searchable", "b": "searchable", "c": "searchable", "broken": "scanned",
    }  # fmt: skip
    assert told["folders"] == [{"entity_id": folder["entity_id"], "path": str(notes)}]
    assert {item["origin"] for item in listed} == {"import"}
    assert {item["mime"] for item in listed} == {"text/markdown", "text/plain"}
    assert all(item["entity_ids"] == [folder["entity_id"]] for item in listed)
    worker = home.agent("observer", scope=[folder["entity_id"]])
    assert home.call(worker, "search_documents", query="curlew")["total"] == 1


def test_an_import_is_one_mutation(home: House, notes: Path):
    told = imported(home, notes)
    with home.databases.state.reading(home.owner) as db:
        (mutation,) = db.rows("SELECT seq, rows, import_session_id, connection_id, tool FROM mutation m")
    assert mutation["seq"] == told["mutation_seq"]
    assert mutation["import_session_id"] == told["import_session_id"]
    assert (mutation["connection_id"], mutation["rows"]) == ("owner", 14)


def test_importing_again_changes_nothing(home: House, notes: Path):
    imported(home, notes)
    before = home.dump()
    again = imported(home, notes)
    assert home.dump() == before
    assert again["mutation_seq"] is None
    assert (again["documents"], again["entities"]) == (0, 0)


def test_a_changed_file_is_the_same_document_with_the_text_of_now(home: House, notes: Path):
    imported(home, notes)
    first = home.call(home.owner, "search_documents", query="avocet")["items"][0]["document_id"]
    home.clock.turn(1_000_000)
    (notes / "a.md").write_text("# Beta\n\nThe knot flocks.\n", encoding="utf-8")
    told = imported(home, notes)
    assert (told["documents"], told["entities"]) == (1, 0)
    document = home.call(home.owner, "get_document", document_id=first)
    assert document["title"] == "Beta"
    assert document["updated_at"] > document["created_at"]
    assert home.call(home.owner, "search_documents", query="knot")["items"][0]["document_id"] == first
    assert home.call(home.owner, "search_documents", query="avocet")["total"] == 0


def test_an_imported_folder_is_granted(home: House, notes: Path):
    agent = home.agent("full")
    assert home.refused(agent, "add_file", path=str(notes / "a.md"))["code"] == "not_permitted"
    imported(home, notes)
    told = home.call(agent, "add_file", path=str(notes / "a.md"))
    assert "warning" in told
    assert told["document"]["origin"] == "import"


def test_a_file_by_itself_grants_and_links_nothing_and_its_folder_may_follow(home: House, notes: Path):
    told = imported(home, notes / "a.md")
    assert (told["documents"], told["entities"]) == (1, 0)
    document = home.call(home.owner, "list_documents")["items"][0]
    assert "entity_ids" not in document
    assert home.parts.roots.grants.listed() == []
    imported(home, notes)
    linked = home.call(home.owner, "get_document", document_id=document["document_id"])
    assert len(linked["entity_ids"]) == 1
    worker = home.agent("observer", scope=linked["entity_ids"])
    assert home.call(worker, "search_documents", query="avocet")["total"] == 1


def test_a_file_belongs_to_the_innermost_of_the_folders_that_it_lies_in(home: House, notes: Path):
    outer = imported(home, notes)["folders"][0]["entity_id"]
    before = home.call(home.owner, "search_documents", query="curlew")["items"]
    told = imported(home, notes / "deep")
    assert (told["documents"], told["entities"]) == (0, 1)
    assert home.call(home.owner, "search_documents", query="curlew")["items"] == before
    inner = told["folders"][0]["entity_id"]
    document = home.call(home.owner, "get_document", document_id=before[0]["document_id"])
    assert document["entity_ids"] == [inner]
    assert home.call(home.agent("observer", scope=[inner]), "search_documents", query="curlew")["total"] == 1
    assert home.call(home.agent("observer", scope=[outer]), "search_documents", query="curlew")["total"] == 0
    state = home.dump()
    assert imported(home, notes)["mutation_seq"] is None
    assert home.dump() == state


def test_what_was_archived_stays_archived(home: House, notes: Path):
    imported(home, notes)
    archived = home.call(home.owner, "search_documents", query="avocet")["items"][0]["document_id"]
    home.call(home.owner, "archive_document", document_id=archived)
    (notes / "a.md").write_text("avocet again", encoding="utf-8")
    told = imported(home, notes)
    assert told["documents"] == 0
    assert reasons(told)["a.md"] == "archived"
    assert home.call(home.owner, "search_documents", query="avocet")["total"] == 0


@pytest.mark.guarantee("FS3")
def test_one_bad_file_never_stops_the_others(home: House, notes: Path, monkeypatch: pytest.MonkeyPatch):
    with (notes / "huge.md").open("wb") as file:
        file.truncate(10 * 1024**3)
    (notes / "long.md").write_text("x" * 4_000_001, encoding="utf-8")
    (notes / "loop").symlink_to(notes)
    told = imported(home, notes)
    assert told["documents"] == 3
    assert reasons(told) == {
        "picture.png": "unsupported_type", "broken.md": "not_text", "huge.md": "too_large", "long.md": "too_large",
    }  # fmt: skip


def test_what_does_not_fit_in_one_import_comes_with_the_next(home: House, notes: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(paths, "MAX_TEXT", 50)
    first = imported(home, notes)
    assert first["documents"] == 2
    assert reasons(first)["c.rst"] == "limit_reached"
    assert imported(home, notes)["documents"] == 1


def test_sophias_own_folder_is_not_imported_nor_what_of_it_lies_below(home: House, notes: Path):
    for path in (home.directory / "data", home.directory / "keys", notes / "nothing here"):
        with pytest.raises(BadArguments):
            imported(home, path)
    with pytest.raises(BadArguments):
        import_paths(home.parts.intake, ["relative"], lambda _stage, _done, _of: None)
    told = imported(home, home.directory)
    assert told["documents"] == 3
    assert not [one for one in told["skipped"] if Path(one["path"]).is_relative_to(home.directory / "data")]


def test_what_moved_and_went_since_the_last_import_is_noticed_and_what_is_no_file_is_counted(home: House, notes: Path):
    imported(home, notes)
    (moved,) = home.call(home.owner, "search_documents", query="curlew")["items"]
    (notes / "deep" / "c.rst").rename(notes / "c.rst")
    (notes / "a.md").unlink()
    (notes / "link.md").symlink_to(notes / "b.txt")
    (notes / "loop").symlink_to(notes)
    os.mkfifo(notes / "pipe.md")
    told = imported(home, notes)
    assert told["documents"] == 1
    (folder,) = told["folders"]
    assert (folder["archived"], folder["passed_over"]) == (1, {"link": 2, "pipe": 1})
    (found,) = home.call(home.owner, "search_documents", query="curlew")["items"]
    assert found["document_id"] == moved["document_id"]
    assert home.call(home.owner, "search_documents", query="avocet")["total"] == 0


@pytest.mark.parametrize("other", ["above.md", "z.md"], ids=["before", "after"])
def test_a_file_that_is_back_with_other_words_keeps_them_beside_a_new_one_with_its_old(
    home: House, notes: Path, other: str
):
    imported(home, notes)
    words = (notes / "a.md").read_text()
    (notes / "a.md").unlink()
    imported(home, notes)
    (notes / "a.md").write_text("# Alpha\n\nThe auk dives.\n")
    (notes / other).write_text(words)
    imported(home, notes)
    with home.databases.state.reading(home.owner) as db:
        rows = db.rows("SELECT d.location, t.text FROM document d JOIN document_text t USING (id)")
    said = {Path(row["location"]).name: row["text"] for row in rows}
    assert (said["a.md"], said[other]) == ("# Alpha\n\nThe auk dives.\n", words)
    assert [home.call(home.owner, "search_documents", query=one)["total"] for one in ("auk", "avocet")] == [1, 1]
    assert imported(home, notes)["documents"] == 0


def test_an_import_that_was_begun_and_not_done_is_done_behind_the_calls(home: House, notes: Path):
    with home.databases.state.writing(home.owner, home.parts.intake.entry("test")) as unit:
        waiting.wish(unit.tx, "imp-begun", [str(notes), str(notes / "absent")], 1)
    home.parts.roots.grant(str(notes), "owner")
    assert home.parts.chores.settle(10)
    with home.databases.state.reading(home.owner) as db:
        mutation = db.rows("SELECT import_session_id FROM mutation m ORDER BY seq")[0]
    assert mutation["import_session_id"] == "imp-begun"
    assert home.call(home.owner, "search_documents", query="curlew")["total"] == 1
    assert imported(home, notes)["mutation_seq"] is None


def test_an_import_that_is_refused_is_not_tried_again(home: House, notes: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object, **__: object) -> None:
        raise Unavailable("Not now.")

    with monkeypatch.context() as patched:
        patched.setattr(paths, "_import", refused)
        with pytest.raises(Unavailable):
            imported(home, notes)
    assert home.parts.chores.settle(10)
    assert home.call(home.owner, "list_documents")["total"] == 0


def test_a_file_by_itself_belongs_to_the_registered_folder_that_it_lies_in(home: House, notes: Path):
    entity_id = imported(home, notes)["folders"][0]["entity_id"]
    (notes / "deep" / "new.md").write_text("The whimbrel.")
    told = imported(home, notes / "deep" / "new.md")
    assert (told["documents"], told["folders"]) == (1, [])
    (found,) = home.call(home.owner, "search_documents", query="whimbrel")["items"]
    document = home.call(home.owner, "get_document", document_id=found["document_id"])
    assert document["entity_ids"] == [entity_id]
    assert imported(home, notes)["mutation_seq"] is None


def test_progress_comes_to_its_end(home: House, notes: Path):
    told: list[tuple[str, int, int]] = []
    import_paths(home.parts.intake, [str(notes)], lambda *step: told.append(step))
    assert [stage for stage, done, of in told if done == of] == ["reading", "writing"]
    assert [done for stage, done, _ in told if stage == "writing"] == [1, 2, 3, 4, 5]


def test_an_import_names_what_cannot_be_named_or_lies_too_deep(home: House, notes: Path):
    (notes / os.fsdecode(b"latin-\xe9.md")).write_text("Unseen.")
    deep = notes.joinpath(*["d"] * 65)
    deep.mkdir(parents=True)
    (deep / "deepest.md").write_text("Unseen.")
    for _ in range(2):
        told = imported(home, notes)
        assert reasons(told) == {"latin-\ufffd.md": "unprintable_name", "d": "too_deep"} | {
            name: reason for name, reason in reasons(told).items() if reason not in ("unprintable_name", "too_deep")
        }
        assert told["folders"][0]["passed_over"] == {"too_deep": 1, "unprintable_name": 1}
        json.dumps(told).encode()
    status = home.call(home.owner, "ingest_status")
    assert {one["reason"] for one in status["failed"]} >= {"unprintable_name", "too_deep"}
