"""Registered folders: what comes, changes, moves and goes in them is taken in behind the calls."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sophia.capabilities.documents import folders, waiting
from sophia.core.errors import Conflict
from sophia.extraction.extracted import Extracted, Unextracted
from sophia.importers import ingest, inotify, paths
from sophia.importers.keeping import Keeper
from sophia.importers.reading import Ready
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture
def notes(home: House) -> Path:
    """A granted folder with two texts in two levels."""
    folder = home.directory / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# Alpha\n\nThe avocet wades.\n", encoding="utf-8")
    (folder / "deep" / "c.md").write_text("The curlew calls.\n", encoding="utf-8")
    home.parts.roots.grant(str(folder), "owner")
    return folder


def settled(home: House) -> None:
    assert home.parts.chores.settle(20)


def registered(home: House, folder: Path, **more: Any) -> str:
    told = home.call(home.agent("full"), "register_folder", path=str(folder), **more)
    settled(home)
    entity_id: str = told["entity_id"]
    return entity_id


def rescanned(home: House, entity_id: str) -> None:
    home.clock.turn(1_000_000)
    home.call(home.owner, "rescan_folder", entity_id=entity_id)
    settled(home)


def found(home: House, word: str) -> list[str]:
    return [one["document_id"] for one in home.call(home.owner, "search_documents", query=word)["items"]]


def mutations(home: House) -> int:
    return home.databases.state.head.seq


def test_a_registered_folder_is_an_entity_and_its_documents_are_linked_to_it(home: House, notes: Path):
    entity_id = registered(home, notes, name="My notes")
    entity = home.call(home.owner, "get_entity", entity_id=entity_id)
    assert (entity["kind"], entity["name"]) == ("folder", "My notes")
    documents = home.call(home.owner, "list_documents", entity_id=entity_id)["items"]
    assert {one["title"]: (one["origin"], one["tier"]) for one in documents} == {
        "Alpha": ("folder", "indexed"), "c": ("folder", "indexed"),
    }  # fmt: skip
    worker = home.agent("observer", scope=[entity_id])
    assert home.call(worker, "search_documents", query="curlew")["total"] == 1
    told = home.call(worker, "ingest_status", entity_id=entity_id)
    assert {name: told[name] for name in ("scanned", "searchable", "indexed", "queued", "failed")} == {
        "scanned": 2, "searchable": 2, "indexed": 2, "queued": 0, "failed": [],
    }  # fmt: skip


def test_registering_again_changes_only_what_is_said(home: House, notes: Path):
    entity_id = registered(home, notes)
    before = mutations(home)
    assert registered(home, notes) == entity_id
    assert mutations(home) == before
    told = home.call(home.owner, "register_folder", path=str(notes), watch=False, exclude=["deep"], name="Less")
    assert (told["entity_id"], told["watch"], told["exclude"], told["name"]) == (entity_id, False, ["deep"], "Less")
    settled(home)
    assert (len(found(home, "avocet")), found(home, "curlew")) == (1, [])


@pytest.mark.guarantee("J15")
def test_a_rescan_of_what_did_not_change_writes_nothing(home: House, notes: Path):
    (notes / "picture.png").write_bytes(b"\x89PNG")
    (notes / "broken.md").write_bytes(b"\xff\xff")
    entity_id = registered(home, notes)
    before, state = mutations(home), home.dump()
    rescanned(home, entity_id)
    assert mutations(home) == before
    assert home.dump() == state


def test_a_changed_file_is_the_same_document_with_the_text_of_now(home: House, notes: Path):
    entity_id = registered(home, notes)
    (document_id,) = found(home, "avocet")
    (notes / "a.md").write_text("# Beta\n\nThe knot flocks.\n", encoding="utf-8")
    rescanned(home, entity_id)
    assert (found(home, "knot"), found(home, "avocet")) == ([document_id], [])


@pytest.mark.guarantee("V6")
def test_a_fact_whose_quote_is_edited_away_says_so(home: House, notes: Path):
    entity_id = registered(home, notes)
    (document_id,) = found(home, "avocet")
    agent = home.agent("full")
    claim = {"id": "one", "entity": entity_id, "predicate": "bird", "object": "avocet", "quote": "The avocet wades."}
    (verdict,) = home.call(agent, "submit_claim_graph", source_id=document_id, claims=[claim])["verdicts"]
    explained = home.call(agent, "explain_fact", fact_id=verdict["fact_id"])
    assert explained["verdict"] == "holds"
    (notes / "a.md").write_text("# Alpha\n\nThe knot flocks.\n", encoding="utf-8")
    rescanned(home, entity_id)
    explained = home.call(agent, "explain_fact", fact_id=verdict["fact_id"])
    assert explained["verdict"] == "quote_lost"


def test_a_moved_file_keeps_its_document(home: House, notes: Path):
    entity_id = registered(home, notes)
    (document_id,) = found(home, "curlew")
    (notes / "other").mkdir()
    (notes / "deep" / "c.md").rename(notes / "other" / "d.md")
    rescanned(home, entity_id)
    assert found(home, "curlew") == [document_id]
    assert home.call(home.owner, "get_document", document_id=document_id)["location"] == str(notes / "other" / "d.md")
    assert home.call(home.owner, "list_documents", status="archived")["total"] == 0


def test_a_copy_is_a_document_of_its_own_and_takes_nothing_over(home: House, notes: Path):
    entity_id = registered(home, notes)
    (document_id,) = found(home, "curlew")
    shutil.copy(notes / "deep" / "c.md", notes / "copy.md")
    rescanned(home, entity_id)
    assert len(found(home, "curlew")) == 2
    assert home.call(home.owner, "get_document", document_id=document_id)["location"] == str(notes / "deep" / "c.md")


def test_a_file_that_moves_into_another_registered_folder_is_linked_to_that_one(home: House, notes: Path):
    one = registered(home, notes)
    (home.directory / "other").mkdir()
    home.parts.roots.grant(str(home.directory / "other"), "owner")
    two = registered(home, home.directory / "other")
    (document_id,) = found(home, "curlew")
    (notes / "deep" / "c.md").rename(home.directory / "other" / "c.md")
    for entity_id in (two, one):
        rescanned(home, entity_id)
    assert found(home, "curlew") == [document_id]
    assert home.call(home.owner, "get_document", document_id=document_id)["entity_ids"] == [two]


def test_a_deleted_file_is_archived_with_its_text_and_comes_back_with_the_file(home: House, notes: Path):
    entity_id = registered(home, notes)
    (document_id,) = found(home, "avocet")
    text = (notes / "a.md").read_text()
    (notes / "a.md").unlink()
    rescanned(home, entity_id)
    assert found(home, "avocet") == []
    gone = home.call(home.owner, "get_document", document_id=document_id)
    assert (gone["status"], "gone_at" in gone) == ("archived", True)
    assert "avocet" in home.call(home.owner, "fetch_document", document_id=document_id)["text"]
    (notes / "a.md").write_text(text)
    rescanned(home, entity_id)
    back = home.call(home.owner, "get_document", document_id=document_id)
    assert (back["status"], "gone_at" in back, found(home, "avocet")) == ("active", False, [document_id])


def test_what_a_person_archived_does_not_come_back_with_the_file(home: House, notes: Path):
    entity_id = registered(home, notes)
    (document_id,) = found(home, "avocet")
    home.call(home.owner, "archive_document", document_id=document_id)
    (notes / "a.md").write_text("avocet again")
    rescanned(home, entity_id)
    (notes / "a.md").unlink()
    rescanned(home, entity_id)
    (notes / "a.md").write_text("avocet once more")
    rescanned(home, entity_id)
    assert found(home, "avocet") == []


@pytest.mark.parametrize("how", ["deleted", "hollow", "renamed", "linked", "unreadable"])
@pytest.mark.guarantee("FS2")
def test_a_folder_that_is_not_there_takes_no_documents_with_it(home: House, notes: Path, how: str):
    entity_id = registered(home, notes)
    before = mutations(home)
    outside = home.directory / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("The sandpiper is secret.")
    if how == "renamed":
        notes.rename(home.directory / "elsewhere")
    elif how == "linked":
        notes.rename(home.directory / "elsewhere")
        notes.symlink_to(outside)
    elif how == "unreadable":
        notes.rename(home.directory / "elsewhere")
        notes.write_text("a file stands there")
    else:
        notes.rename(home.directory / "kept")
        if how == "hollow":
            notes.mkdir()
    rescanned(home, entity_id)
    assert (mutations(home), len(found(home, "avocet")), found(home, "sandpiper")) == (before, 1, [])
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert told["folders"] == [{"entity_id": entity_id, "state": "gone"}]
    assert "not there" in told["warning"]
    if how == "hollow":
        (notes / "new.md").write_text("The whimbrel is new.")
        rescanned(home, entity_id)
        assert (len(found(home, "whimbrel")), found(home, "avocet")) == (1, [])


@pytest.mark.guarantee("FS2")
def test_a_file_swapped_for_a_link_between_the_look_and_the_reading_is_not_followed(home: House, notes: Path):
    secret = home.directory / "secret.md"
    secret.write_text("The sandpiper is secret.")
    home.call(home.agent("full"), "register_folder", path=str(notes))
    (chore,) = [one for one in home.parts.chores.chores if one.name == "ingest"]
    assert chore.step() == 0
    (notes / "a.md").unlink()
    (notes / "a.md").symlink_to(secret)
    shutil.rmtree(notes / "deep")
    (home.directory / "d").mkdir()
    (home.directory / "d" / "c.md").write_text("The sandpiper is secret.")
    (notes / "deep").symlink_to(home.directory / "d")
    settled(home)
    assert (found(home, "sandpiper"), found(home, "avocet"), found(home, "curlew")) == ([], [], [])


@pytest.mark.guarantee("FS3")
def test_files_that_cannot_be_read_are_named_with_the_reason_and_the_others_go_on(home: House, notes: Path):
    with (notes / "huge.md").open("wb") as file:
        file.truncate(10 * 1024**3)
    (notes / "broken.md").write_bytes(b"\xff\xff")
    (notes / "deep" / "picture.png").write_bytes(b"\x89PNG")
    os.mkfifo(notes / "pipe.md")
    entity_id = registered(home, notes)
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert {one["path"]: one["reason"] for one in told["failed"]} == {
        "huge.md": "too_large", "broken.md": "not_text", "deep/picture.png": "unsupported_type",
    }  # fmt: skip
    assert (told["scanned"], told["searchable"], told["queued"], told["failed_total"]) == (3, 2, 0, 3)
    (scanned,) = home.call(home.owner, "list_documents", tier="scanned")["items"]
    assert (scanned["title"], scanned["chars"], len(scanned["content_sha256"])) == ("broken", 0, 64)
    refused = home.refused(home.owner, "fetch_document", document_id=scanned["document_id"])
    assert refused["code"] == "conflict"
    of_one = home.call(home.owner, "ingest_status", document_id=scanned["document_id"])
    assert [one["reason"] for one in of_one["failed"]] == ["not_text"]
    (notes / "broken.md").write_text("The bittern booms.")
    rescanned(home, entity_id)
    assert found(home, "bittern") == [scanned["document_id"]]


def test_files_of_every_kind_are_read_and_say_where_their_text_stood(home: House, notes: Path):
    (notes / "page.html").write_text("<title>Terns</title><p>The sooty tern.</p>")
    (notes / "table.csv").write_text("bird,seen\ngodwit,12\nsmew,3\n")
    (notes / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    entity_id = registered(home, notes)
    assert (len(found(home, "tern")), len(found(home, "smew"))) == (1, 1)
    text = home.call(home.owner, "fetch_document", document_id=found(home, "smew")[0])
    (place,) = [one for one in text["places"] if "smew" in text["text"][one["start"] : one["end"]]]
    assert place["place"] == "line 3"
    _until(home, lambda: bool(home.call(home.owner, "ingest_status", entity_id=entity_id)["failed"]))
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert {one["path"]: one["reason"] for one in told["failed"]} == {"torn.pdf": "corrupt"}


class Faulty:
    """Takes no text out of the files whose name begins with `bad`, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def extracted(self, data: bytes, name: str, mime: str | None = None) -> Extracted | Unextracted:
        self.asked.append(name)
        if name.startswith("bad"):
            return Unextracted("timed_out", "Too slow.")
        return Extracted(data.decode(), name, "application/pdf")

    def close(self) -> None:
        pass


@pytest.fixture
def faulty(home: House) -> Faulty:
    made = Faulty()
    object.__setattr__(home.parts.intake, "extracting", made)
    return made


def _until(home: House, done: Callable[[], bool]) -> None:
    for _ in range(20):
        settled(home)
        if done():
            return
        home.clock.turn(5_000_000)
    pytest.fail("it never came to that")


def test_a_file_that_fails_three_times_rests_until_it_changes(home: House, notes: Path, faulty: Faulty):
    (notes / "bad.pdf").write_text("the booming bittern")
    (notes / "good.pdf").write_text("the quiet quail")
    entity_id = registered(home, notes)

    def status() -> list[dict[str, Any]]:
        failed: list[dict[str, Any]] = home.call(home.owner, "ingest_status", entity_id=entity_id)["failed"]
        return failed

    assert len(found(home, "quail")) == 1
    assert home.call(home.owner, "ingest_status", entity_id=entity_id)["queued"] == 1
    assert status() == [{"path": "bad.pdf", "reason": "timed_out", "entity_id": entity_id}]
    _until(home, lambda: status()[0].get("quarantined", False))
    assert status() == [{"path": "bad.pdf", "reason": "timed_out", "entity_id": entity_id, "quarantined": True}]
    assert faulty.asked.count("bad.pdf") == 3
    home.clock.turn(10**9)
    settled(home)
    assert faulty.asked.count("bad.pdf") == 3
    rescanned(home, entity_id)
    assert faulty.asked.count("bad.pdf") == 4
    (notes / "bad.pdf").rename(notes / "fine.pdf")
    rescanned(home, entity_id)
    assert (len(found(home, "bittern")), status()) == (1, [])


def test_a_file_that_cannot_be_kept_stops_no_other(home: House, notes: Path, monkeypatch: pytest.MonkeyPatch):
    whole = Keeper.keep

    def picky(keeper: Keeper, one: Ready) -> None:
        if one.find.path == "a.md" and one.reason is None:
            raise Conflict("Not this one.")
        whole(keeper, one)

    monkeypatch.setattr(Keeper, "keep", picky)
    entity_id = registered(home, notes)
    assert (found(home, "avocet"), len(found(home, "curlew"))) == ([], 1)
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert [(one["path"], one["reason"]) for one in told["failed"]] == [("a.md", "conflict")]


def test_a_begun_import_that_is_refused_is_given_up(home: House, notes: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*_: object) -> None:
        raise Conflict("Never.")

    with home.databases.state.writing(home.owner, home.parts.intake.entry("test")) as unit:
        waiting.wish(unit.tx, "imp-begun", [str(notes)], 1)
    monkeypatch.setattr(paths, "resumed", refused)
    settled(home)
    with home.databases.state.reading(home.owner) as db:
        assert waiting.wishes(db) == []


def test_a_file_whose_reading_takes_long_is_a_scanned_document_before(home: House, notes: Path, faulty: Faulty):
    (notes / "slow.pdf").write_text("the slow loris")
    home.call(home.agent("full"), "register_folder", path=str(notes))
    (chore,) = [one for one in home.parts.chores.chores if one.name == "ingest"]
    chore.step()
    chore.step()
    (scanned,) = home.call(home.owner, "list_documents", tier="scanned")["items"]
    assert (scanned["title"], scanned["mime"]) == ("slow", "application/pdf")
    settled(home)
    assert found(home, "loris") == [scanned["document_id"]]


def test_a_folder_that_cannot_be_watched_is_looked_through_now_and_then_and_health_says_so(
    home: House, notes: Path, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inotify.Inotify, "watch", full)
    registered(home, notes)
    told = home.call(home.owner, "health")
    assert told["status"] == "degraded"
    assert any("cannot be watched" in reason for reason in told["reasons"])
    (notes / "new.md").write_text("The new nightjar.")
    settled(home)
    assert found(home, "nightjar") == []
    (chore,) = [one for one in home.parts.chores.chores if one.name == "ingest"]
    assert chore.step() == ingest.LOOK_AGAIN_S
    home.clock.turn(int(ingest.LOOK_AGAIN_S * 1_000_000))
    settled(home)
    assert len(found(home, "nightjar")) == 1


def test_a_folder_that_comes_back_is_found_by_itself(home: House, notes: Path):
    entity_id = registered(home, notes)
    notes.rename(home.directory / "away")
    rescanned(home, entity_id)
    (home.directory / "away" / "a.md").write_text("The returning roller.")
    (home.directory / "away").rename(notes)
    home.clock.turn(int(ingest.LOOK_AGAIN_S * 1_000_000))
    settled(home)
    assert len(found(home, "roller")) == 1
    assert "folders" not in home.call(home.owner, "ingest_status", entity_id=entity_id)


def test_a_folder_that_is_watched_no_more_is_left_alone(home: House, notes: Path):
    registered(home, notes)
    home.call(home.owner, "register_folder", path=str(notes), watch=False)
    settled(home)
    other = home.directory / "other"
    other.mkdir()
    home.parts.roots.grant(str(other), "owner")
    registered(home, other)
    (notes / "a.md").write_text("The unwatched owl.")
    (other / "b.md").write_text("The watched wren.")
    end = time.monotonic() + 15
    while not found(home, "wren"):
        assert time.monotonic() < end
        settled(home)
    assert found(home, "owl") == []


def test_a_nested_folder_takes_its_documents_over(home: House, notes: Path):
    outer = registered(home, notes)
    inner = registered(home, notes / "deep")
    (document_id,) = found(home, "curlew")
    assert home.call(home.owner, "get_document", document_id=document_id)["entity_ids"] == [inner]
    rescanned(home, outer)
    assert found(home, "curlew") == [document_id]
    assert home.call(home.agent("observer", scope=[outer]), "search_documents", query="curlew")["total"] == 0


def test_a_file_that_was_added_before_is_no_second_document(home: House, notes: Path):
    about = home.entity("Birds")
    agent = home.agent("full")
    added = home.call(agent, "add_file", path=str(notes / "a.md"), entity_ids=[about])["document"]["document_id"]
    entity_id = registered(home, notes)
    assert found(home, "avocet") == [added]
    linked = home.call(home.owner, "get_document", document_id=added)["entity_ids"]
    assert sorted(linked) == sorted([about, entity_id])
    home.call(home.owner, "link_document", document_id=added, remove_entity_ids=[entity_id])
    rescanned(home, entity_id)
    assert home.call(home.owner, "get_document", document_id=added)["entity_ids"] == [about]


def test_a_folder_whose_grant_ends_is_read_no_more(home: House, notes: Path):
    entity_id = registered(home, notes)
    home.parts.roots.revoke(str(notes), "owner")
    (notes / "a.md").write_text("The ungranted owl.")
    rescanned(home, entity_id)
    assert (found(home, "owl"), len(found(home, "avocet"))) == ([], 1)
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert told["folders"] == [{"entity_id": entity_id, "state": "not_granted"}]


def test_a_folder_whose_entity_is_archived_is_registered_no_more(home: House, notes: Path):
    entity_id = registered(home, notes)
    home.call(home.owner, "archive_entity", entity_id=entity_id)
    assert home.refused(home.owner, "rescan_folder", entity_id=entity_id)["code"] == "not_found"
    (notes / "a.md").write_text("The unwatched owl.")
    settled(home)
    assert found(home, "owl") == []
    assert registered(home, notes) == entity_id
    assert len(found(home, "owl")) == 1


def test_what_cannot_be_seen_cannot_be_rescanned_and_a_list_registers_nothing(home: House, notes: Path):
    entity_id = registered(home, notes)
    other = home.entity("other")
    agent = home.agent("full", scope=[other])
    assert home.refused(agent, "rescan_folder", entity_id=entity_id)["code"] == "not_found"
    assert home.refused(agent, "ingest_status", entity_id=entity_id)["code"] == "not_found"
    assert home.refused(agent, "register_folder", path=str(notes))["code"] == "not_permitted"
    (notes / "bad.md").write_bytes(b"\xff")
    rescanned(home, entity_id)
    assert home.call(agent, "ingest_status") == home.call(agent, "ingest_status", entity_id=other)
    assert home.call(agent, "ingest_status")["failed_total"] == 0


@pytest.mark.guarantee("FS1")
def test_only_what_was_granted_can_be_registered(home: House, notes: Path, tmp_path: Path):
    agent = home.agent("full")
    (notes / "out").symlink_to(tmp_path)
    (tmp_path / "inner").mkdir()
    asked = [
        str(tmp_path), str(notes.parent), str(notes / ".."), str(notes / "out"), str(notes / "out" / "inner"), "/proc",
        str(notes / "a.md"), str(notes / "absent"), str(home.directory / "data"), str(home.directory / "keys"), "notes",
    ]  # fmt: skip
    told = [home.refused(agent, "register_folder", path=path) for path in asked]
    assert {one["code"] for one in told} == {"not_permitted"}
    assert len({one["message"] for one in told}) == 1
    assert home.refused(agent, "register_folder", path=f"{notes}\0")["code"] == "bad_arguments"


def test_a_folder_beyond_the_bound_says_so_and_loses_nothing(home: House, notes: Path, monkeypatch: pytest.MonkeyPatch):
    entity_id = registered(home, notes)
    monkeypatch.setattr(folders, "MAX_FILES", 1)
    (notes / "0.md").write_text("The first finch.")
    rescanned(home, entity_id)
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert told["folders"] == [{"entity_id": entity_id, "state": "too_many"}]
    assert (len(found(home, "finch")), len(found(home, "curlew"))) == (1, 1)


def test_what_cannot_be_named_or_lies_too_deep_is_told(home: House, notes: Path):
    (notes / "line\nbreak.md").write_text("Unseen.")
    (notes / os.fsdecode(b"latin-\xe9.md")).write_text("Unseen.")
    (notes / os.fsdecode(b"folder-\xe9")).mkdir()
    (notes / "left\x01.log").write_text("Nobody asked for it.")
    deep = "/".join(["d"] * 65)
    (notes / deep).mkdir(parents=True)
    (notes / deep / "deepest.md").write_text("Unseen.")
    entity_id = registered(home, notes, include=["*.md"])
    wanted = {
        ("line\ufffdbreak.md", "unprintable_name"), ("latin-\ufffd.md", "unprintable_name"),
        ("folder-\ufffd/", "unprintable_name"), (f"{deep}/", "too_deep"),
    }  # fmt: skip
    for again in (False, True):
        if again:
            rescanned(home, entity_id)
        told = home.call(home.owner, "ingest_status", entity_id=entity_id)
        assert {(one["path"], one["reason"]) for one in told["failed"]} == wanted
        assert (told["failed_total"], told["queued"], len(found(home, "curlew"))) == (4, 0, 1)
    before = mutations(home)
    (notes / "line\nbreak.md").rename(notes / "line break.md")
    shutil.rmtree(notes / deep.partition("/")[0])
    rescanned(home, entity_id)
    told = home.call(home.owner, "ingest_status", entity_id=entity_id)
    assert {one["path"] for one in told["failed"]} == {"latin-\ufffd.md", "folder-\ufffd/"}
    assert mutations(home) == before + 2  # the text, and what was mined of it
