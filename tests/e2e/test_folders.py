"""A daemon and a folder: what happens to the files is found by a search soon after, and a crash loses none of it."""

import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.daemon import Daemon, place, running


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with running() as one:
        yield one


@pytest.fixture
def notes(daemon: Daemon, request: pytest.FixtureRequest) -> Iterator[Path]:
    folder = daemon.root / request.node.name[:40]
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("# Alpha\n\nThe avocet wades.\n")
    (folder / "deep" / "c.md").write_text("The curlew calls.\n")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def soon(what: Callable[[], bool], within_s: float = 15.0) -> None:
    """Wait until it is so, with a deadline."""
    end = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < end, "it did not come to that in time"
        time.sleep(0.05)


def ids(daemon: Daemon, word: str, entity_id: str) -> list[str]:
    told = called(daemon, "search_documents", query=word, entity_id=entity_id)
    return [one["document_id"] for one in told["items"]]


def called(daemon: Daemon, tool: str, **arguments: Any) -> dict[str, Any]:
    told: dict[str, Any] = daemon.ask("call", tool, json.dumps(arguments))
    return told


def imported(daemon: Daemon, folder: Path) -> str:
    entity_id: str = daemon.ask("import", str(folder))["folders"][0]["entity_id"]
    return entity_id


@pytest.mark.guarantee("FS2")
def test_what_happens_in_an_imported_folder_is_found_soon_after(daemon: Daemon, notes: Path):
    entity_id = imported(daemon, notes)
    (first,) = ids(daemon, "avocet", entity_id)
    (notes / "b.md").write_text("The bunting sings.\n")
    soon(lambda: len(ids(daemon, "bunting", entity_id)) == 1)
    (notes / "a.md").write_text("# Alpha\n\nThe knot flocks.\n")
    soon(lambda: ids(daemon, "knot", entity_id) == [first])
    assert ids(daemon, "avocet", entity_id) == []
    (moved,) = ids(daemon, "curlew", entity_id)
    (notes / "deep").rename(notes / "renamed")
    location = str(notes / "renamed" / "c.md")
    soon(lambda: called(daemon, "get_document", document_id=moved)["location"] == location)
    (notes / "renamed" / "d.md").write_text("The dunlin probes.\n")
    soon(lambda: len(ids(daemon, "dunlin", entity_id)) == 1)
    (notes / "b.md").unlink()
    soon(lambda: ids(daemon, "bunting", entity_id) == [])
    outside = daemon.root / "outside"
    outside.mkdir()
    (outside / "s.md").write_text("The sandpiper is secret.\n")
    shutil.rmtree(notes / "renamed")
    (notes / "renamed").symlink_to(outside)
    soon(lambda: ids(daemon, "curlew", entity_id) == [])
    (outside / "t.md").write_text("The sandpiper again.\n")
    (notes / "last.md").write_text("The last lapwing.\n")
    soon(lambda: len(ids(daemon, "lapwing", entity_id)) == 1)
    assert ids(daemon, "sandpiper", entity_id) == []
    notes.rename(daemon.root / "away")
    soon(lambda: "warning" in called(daemon, "ingest_status", entity_id=entity_id))
    assert len(ids(daemon, "lapwing", entity_id)) == 1
    assert daemon.ask("verify")["ok"]


def test_a_storm_of_events_comes_to_the_files_that_there_are(daemon: Daemon, notes: Path):
    entity_id = imported(daemon, notes)
    for n in range(3_000):
        (notes / f"{n}.md").write_text(f"The wren number{n} sings.\n")
    for n in range(0, 3_000, 2):
        (notes / f"{n}.md").unlink()
    soon(lambda: len(ids(daemon, "number2999", entity_id)) == 1, 60)

    def rested() -> bool:
        told = called(daemon, "ingest_status", entity_id=entity_id)
        return bool(told["queued"] == 0 and told["searchable"] == 1_502)

    soon(rested, 60)


def test_what_happened_while_no_daemon_ran_is_found_after_the_start():
    with place() as at:
        folder = at.root / "notes"
        folder.mkdir()
        (folder / "a.md").write_text("The avocet wades.\n")
        (folder / "b.md").write_text("The bunting sings.\n")
        with running(at) as daemon:
            entity_id = imported(daemon, folder)
            daemon.stopped()
        (folder / "a.md").unlink()
        (folder / "b.md").rename(folder / "c.md")
        (folder / "d.md").write_text("The dunlin probes.\n")
        with running(at) as daemon:
            soon(lambda: len(ids(daemon, "dunlin", entity_id)) == 1)
            soon(lambda: ids(daemon, "avocet", entity_id) == [])
            assert len(ids(daemon, "bunting", entity_id)) == 1


@pytest.mark.parametrize("point", ["after_commit:kill:1", "before_commit:kill:2"])
def test_an_import_that_was_killed_is_done_after_the_start_whole_and_once(point: str):
    with place() as at:
        folder = many(at.root / "notes", 300)
        with running(at, SOPHIA_FAILPOINT=point) as daemon:
            assert daemon.sophia("import", str(folder)).code != 0
            assert daemon.process.wait(20) == -signal.SIGKILL
        with running(at) as daemon:
            soon(lambda: done(daemon, 300), 20)
            assert called(daemon, "list_documents", limit=1)["total"] == 300
            (entity,) = called(daemon, "list_entities", kind="folder")["items"]
            told = daemon.ask("import", str(folder))
            assert (told["documents"], told["mutation_seq"]) == (0, None)
            assert told["folders"][0]["entity_id"] == entity["entity_id"]
            assert daemon.ask("verify")["ok"]


@pytest.mark.parametrize("point", ["before_commit:kill:3", "after_commit:kill:6"])
def test_a_folder_that_is_taken_in_behind_the_calls_goes_on_where_a_kill_left_it(point: str):
    with place() as at:
        folder = many(at.root / "notes", 300)
        with running(at, SOPHIA_FAILPOINT=point) as daemon:
            daemon.ask("folders", "grant", str(folder))
            called(daemon, "register_folder", path=str(folder))
            assert daemon.process.wait(20) == -signal.SIGKILL
        with running(at) as daemon:
            soon(lambda: done(daemon, 300), 20)
            assert called(daemon, "list_documents", limit=1)["total"] == 300
            assert daemon.ask("verify")["ok"]


def many(folder: Path, count: int) -> Path:
    """A folder with so many notes."""
    folder.mkdir()
    for n in range(count):
        (folder / f"{n}.md").write_text(f"# Note {n}\n\n" + f"The wren number{n} sings. " * 40)
    return folder


def done(daemon: Daemon, count: int) -> bool:
    """Whether so many documents are searchable, and nothing waits."""
    told = called(daemon, "ingest_status")
    return bool(told["queued"] == 0 and told["searchable"] == count)
