"""An import that is killed leaves nothing by half, and made again it comes to what an undisturbed one does."""

import json
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from sophia.opening import Opened, opened
from sophia.store.verify import verified
from tests.support.daemon import Place, place, running
from tests.support.process import settings

pytestmark = pytest.mark.long

FILES = 240
Picture = dict[str, tuple[Any, ...]]


def notes(root: Path) -> Path:
    """A folder of notes, each with a word of its own."""
    folder = root / "notes"
    for n in range(FILES):
        path = folder / f"part{n % 7}" / f"note{n}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# Note {n}\n\n" + f"The quokka of {n} is called zebra{n:05d}.\n\n" * (1 + n % 40))
    return folder


def asked(house: Opened, tool: str, **arguments: Any) -> dict[str, Any]:
    answer = house.parts.dispatcher.call(house.parts.owner, tool, arguments)
    told: dict[str, Any] = json.loads(answer.payload)
    assert not answer.is_error, told
    return told


def listed(house: Opened, tool: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = asked(house, tool, limit=200, **cursor)
        rows += page["items"]
        if "cursor" not in page:
            return rows
        cursor = {"cursor": page["cursor"]}


def picture(root: Path) -> Picture:
    """What is held of each file, by its path: all of it is whole, and linked, and found."""
    house = opened(settings(root))
    try:
        assert house.databases.state.read_only is None
        assert house.parts.chores.settle(60)
        assert verified(house.ownership, house.keys).whole
        documents = [row for row in listed(house, "list_documents") if row["tier"] != "scanned"]
        names = {row["entity_id"]: (row["kind"], row["name"]) for row in listed(house, "list_entities")}
        found: Picture = {}
        for row in documents:
            assert row["location"] not in found, "no file is held twice"
            text = Path(row["location"]).read_text()
            assert row["chars"] == len(text)
            linked = sorted(names[one] for one in row["entity_ids"])
            found[row["location"]] = (
                row["title"],
                row["content_sha256"],
                row["tier"] == "scanned",
                row["status"],
                linked,
            )
        for location in random.Random(3).sample(sorted(found), min(len(found), 12)):
            word = f"zebra{int(Path(location).stem[4:]):05d}"
            hits = asked(house, "search_documents", query=word)["items"]
            assert hits[0]["title"] == found[location][0]
        return found | {"entities": tuple(sorted(names.values()))}
    finally:
        house.close()


def imports(at: Place, folder: Path) -> "subprocess.Popen[bytes]":
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        at.command("import", str(folder), "--json"), env=at.environ, stdin=quiet, stdout=quiet, stderr=quiet,
        start_new_session=True,
    )  # fmt: skip


def undisturbed(folder: Path) -> tuple[Picture, float]:
    """What an import comes to, and how long the command takes."""
    with place() as at:
        begun = time.monotonic()
        assert imports(at, folder).wait(100) == 0
        return picture(at.root), time.monotonic() - begun


def done_again(at: Place, folder: Path, whole: Picture) -> int:
    """How many files the killed import had taken in; the same import, made again, takes in the rest."""
    partly = picture(at.root)
    assert {key: value for key, value in partly.items() if key != "entities"}.items() <= whole.items()
    assert imports(at, folder).wait(100) == 0
    assert picture(at.root) == whole
    again = at.ask("import", str(folder))
    assert again["documents"] == again["entities"] == 0, "and once more changes nothing"
    return len(partly) - 1


def killed_over_and_over(tmp_path: Path, times: int) -> None:
    folder = notes(tmp_path)
    whole, took = undisturbed(folder)
    assert len(whole) == FILES + 1
    chance = random.Random(times)
    for n in range(times):
        wait = took * (0.25 + 0.75 * (n + chance.random()) / times)
        with place() as at:
            if n % 2:
                with running(at) as daemon:
                    importing = imports(at, folder)
                    time.sleep(wait)
                    daemon.process.kill()
                    daemon.process.wait(20)
                    importing.wait(30)
            else:
                importing = imports(at, folder)
                time.sleep(wait)
                importing.kill()
                importing.wait(30)
            done_again(at, folder, whole)


@pytest.mark.guarantee("4.1")
@pytest.mark.timeout(300)
def test_an_import_that_is_killed_at_any_moment_is_whole_or_gone_on_with(tmp_path: Path):
    killed_over_and_over(tmp_path, 4)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.guarantee("4.1")
def test_an_import_that_is_killed_at_many_moments_is_whole_or_gone_on_with(tmp_path: Path):
    killed_over_and_over(tmp_path, 60)


@pytest.mark.guarantee("4.3")
@pytest.mark.timeout(300)
def test_an_import_that_is_killed_at_a_named_point_is_whole_or_gone_on_with(tmp_path: Path):
    folder = notes(tmp_path)
    whole, _ = undisturbed(folder)
    for failpoint in ("before_journal:kill", "before_commit:kill", "after_commit:kill", "ops_after_commit:kill"):
        with place() as at:
            dying = Place(at.root, at.environ | {"SOPHIA_FAILPOINT": failpoint})
            assert imports(dying, folder).wait(100) == -9
            done_again(at, folder, whole)
