"""Folders under watch: what happens in them is gathered until it rests, and a storm of it is one look."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from sophia.importers import inotify
from sophia.importers.inotify import Happening
from sophia.importers.survey import WHOLE, Area
from sophia.importers.watching import Unrest, Watcher


@pytest.fixture
def told() -> Event:
    return Event()


@pytest.fixture
def watcher(told: Event) -> Iterator[Watcher]:
    made = Watcher(told.set)
    made.begin()
    yield made
    made.close()


def enter(watcher: Watcher, folder: Path, path: str = "") -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    watcher.entering("e-one")(path, descriptor)
    os.close(descriptor)


def unrest(watcher: Watcher, told: Event) -> Unrest:
    assert told.wait(10)
    told.clear()
    return watcher.taken()["e-one"]


def test_what_happens_to_a_file_is_told_with_its_folder(watcher: Watcher, told: Event, tmp_path: Path):
    (tmp_path / "old.md").write_text("old")
    enter(watcher, tmp_path)
    (tmp_path / "new.md").write_text("new")
    (tmp_path / "old.md").unlink()
    (tmp_path / ".hidden").write_text("nobody's concern")
    found = unrest(watcher, told)
    assert (found.where, found.touched) == ((Area("", deep=False),), {"new.md", "old.md"})
    assert watcher.taken() == {}


def test_a_new_folder_is_looked_through_and_the_place_of_a_moved_one_is_forgotten(
    watcher: Watcher, told: Event, tmp_path: Path
):
    (tmp_path / "inner").mkdir()
    enter(watcher, tmp_path)
    enter(watcher, tmp_path / "inner", "inner/")
    (tmp_path / "made").mkdir()
    assert Area("made/") in unrest(watcher, told).where
    (tmp_path / "inner").rename(tmp_path / "moved")
    assert {Area("inner/"), Area("moved/")} <= set(unrest(watcher, told).where)
    (tmp_path / "moved" / "a.md").write_text("nobody watches here any more")
    enter(watcher, tmp_path / "moved", "moved/")
    (tmp_path / "moved" / "b.md").write_text("now it is watched by its new name")
    assert unrest(watcher, told).touched == {"moved/b.md"}


def test_a_folder_that_goes_itself_is_looked_at_as_a_whole(watcher: Watcher, told: Event, tmp_path: Path):
    (tmp_path / "gone").mkdir()
    enter(watcher, tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert unrest(watcher, told).where == WHOLE


def test_a_folder_is_watched_whatever_its_name_is_by_now(watcher: Watcher, told: Event, tmp_path: Path):
    """The watch is of the folder that was opened: a link in its place leads nowhere."""
    (tmp_path / "real").mkdir()
    (tmp_path / "outside").mkdir()
    descriptor = os.open(tmp_path / "real", os.O_RDONLY | os.O_DIRECTORY)
    (tmp_path / "real").rename(tmp_path / "moved")
    (tmp_path / "real").symlink_to(tmp_path / "outside")
    watcher.entering("e-one")("", descriptor)
    os.close(descriptor)
    (tmp_path / "outside" / "a.md").write_text("not watched")
    (tmp_path / "moved" / "b.md").write_text("watched")
    assert unrest(watcher, told).touched == {"b.md"}


def test_ten_thousand_events_are_one_look_at_the_whole(watcher: Watcher, told: Event, tmp_path: Path):
    enter(watcher, tmp_path)
    for n in range(5_000):
        (tmp_path / f"{n}.md").touch()
    assert unrest(watcher, told).where == WHOLE
    left = watcher.taken()
    assert not left or left["e-one"].where == WHOLE


def test_nothing_is_told_of_a_folder_that_was_left(watcher: Watcher, told: Event, tmp_path: Path):
    enter(watcher, tmp_path)
    watcher.leave("e-one")
    (tmp_path / "a.md").write_text("a")
    assert not told.wait(0.5)
    assert watcher.taken() == {}


def test_an_idle_watcher_uses_no_time(watcher: Watcher, tmp_path: Path):
    enter(watcher, tmp_path)
    before = time.process_time()
    time.sleep(0.5)
    assert time.process_time() - before < 0.05


@pytest.mark.parametrize("where", ["begun", "watch"])
def test_a_folder_that_cannot_be_watched_is_known_to_be(
    told: Event, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(inotify.Inotify, where, full)
    watcher = Watcher(told.set)
    watcher.begin()
    enter(watcher, tmp_path)
    assert list(watcher.without) == ["e-one"]
    watcher.leave("e-one")
    assert watcher.without == {}
    watcher.close()


def test_many_places_and_lost_events_are_the_whole():
    def of(*happened: Happening) -> tuple[Area, ...]:
        made = Unrest()
        for one in happened:
            made.add(one)
        return made.where

    assert of(Happening("e", "", "", True, lost=True)) == WHOLE
    assert of(Happening("e", "a/", "", True)) == (Area("a/"),)
    assert of(*(Happening("e", f"{n}/", "x.md", False) for n in range(100))) == WHOLE
    assert of(Happening("e", "a/", ".x", True)) == ()
    joined, later = Unrest(), Unrest(whole=True, touched={"a"})
    joined.join(later)
    assert (joined.where, joined.touched) == (WHOLE, {"a"})
