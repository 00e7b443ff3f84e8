"""A page or a log that was touched is found, and never served as data."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from sophia.core.refusals import Refusal
from sophia.store.engine import connect
from sophia.store.keys import Keys
from sophia.store.ownership import Ownership
from tests.support.beneath import faults, owned
from tests.support.house import house

PAGE = 4096


@dataclass
class Files:
    """A small state in files that can be touched, and what it holds."""

    place: Path
    ownership: Ownership
    keys: Keys
    whole: bytes
    log: bytes
    kept: list[tuple[object, ...]]

    @property
    def path(self) -> Path:
        return self.ownership.directory / "state.db"

    def verdict(self, content: bytes, log: bytes | None = None) -> str:
        """What a reading of everything makes of such files: `refused`, `found`, `prefix`, `same` or `wrong`."""
        for name in ("state.db-wal", "state.db-shm"):
            (self.ownership.directory / name).unlink(missing_ok=True)
        self.path.write_bytes(content)
        if log is not None:
            (self.ownership.directory / "state.db-wal").write_bytes(log)
        try:
            db = connect(self.ownership, self.path, self.keys.state)
        except Refusal:
            return "refused"
        try:
            wrong = faults(db, self.keys.seal)
            rows = entities(db)
        except apsw.Error:
            return "found"
        finally:
            db.close()
        if wrong:
            return "found"
        return "same" if rows == self.kept else "prefix" if rows == self.kept[: len(rows)] else "wrong"


def entities(db: apsw.Connection) -> list[tuple[object, ...]]:
    return db.execute("SELECT id, name FROM main.entity ORDER BY id").fetchall()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    """Two entities in the file, eight more in the log beside it."""
    place = tmp_path_factory.mktemp("files")
    with house(directory=place) as home:
        for n in range(2):
            home.entity(f"early {n} " + "x" * 150)
        home.databases.state.checkpoint()
        for n in range(8):
            home.entity(f"late {n} " + "y" * 150)
        whole = (place / "data" / "state.db").read_bytes()
        log = (place / "data" / "state.db-wal").read_bytes()
    with owned(place) as (ownership, keys):
        db = connect(ownership, ownership.directory / "state.db", keys.state)
        kept = entities(db)
        db.close()
        folded = ownership.directory / "state.db"
        shutil.copy(folded, place / "folded.db")
        yield Files(place, ownership, keys, whole, log, kept)


@pytest.mark.guarantee("4.8")
def test_no_page_with_a_flipped_bit_is_ever_read_as_data(files: Files):
    content = (files.place / "folded.db").read_bytes()
    assert files.verdict(content) == "same"
    pages = len(content) // PAGE
    found = 0
    for page in range(pages):
        at = page * PAGE + (page * 631 + 17) % PAGE  # anywhere in it: data, free space, tag
        touched = bytearray(content)
        touched[at] ^= 1 << page % 8
        verdict = files.verdict(bytes(touched))
        assert verdict in ("refused", "found", "same"), f"page {page + 1}, byte {at % PAGE}: {verdict}"
        found += verdict != "same"
    assert found >= pages - 2, "only a page that holds nothing is read by nobody"


@pytest.mark.guarantee("4.8")
def test_no_truncated_file_is_taken_for_a_whole_one(files: Files):
    content = (files.place / "folded.db").read_bytes()
    pages = len(content) // PAGE
    for cut in [*range(1, pages, 7), pages - 1]:
        assert files.verdict(content[: cut * PAGE]) in ("refused", "found")
    assert files.verdict(content[: 3 * PAGE + 100]) in ("refused", "found")


@pytest.mark.guarantee("4.8")
def test_no_pages_that_changed_places_are_taken_for_each_other(files: Files):
    content = (files.place / "folded.db").read_bytes()
    pages = len(content) // PAGE
    for one in range(1, pages - 1, 5):
        other = (one * 7 + 3) % (pages - 1) + 1
        if one == other:
            continue
        touched = bytearray(content)
        first, second = slice(one * PAGE, (one + 1) * PAGE), slice(other * PAGE, (other + 1) * PAGE)
        touched[first], touched[second] = content[second], content[first]
        assert files.verdict(bytes(touched)) in ("refused", "found")


@pytest.mark.guarantee("4.8", "A8")
def test_an_old_page_that_is_put_back_is_found_by_the_chain_or_by_the_rows(files: Files):
    new = (files.place / "folded.db").read_bytes()
    changed = 0
    for page in range(len(files.whole) // PAGE):
        place = slice(page * PAGE, (page + 1) * PAGE)
        if files.whole[place] == new[place]:
            continue
        touched = bytearray(new)
        touched[place] = files.whole[place]
        verdict = files.verdict(bytes(touched))
        assert verdict in ("refused", "found", "same"), f"page {page + 1}: {verdict}"
        changed += verdict != "same"
    assert changed >= 5, "an old page of each table and index that changed was put back"


@pytest.mark.guarantee("4.9")
def test_a_touched_log_gives_the_writes_before_it_and_never_a_mixture(files: Files):
    header, frame = 32, 24 + PAGE
    frames = (len(files.log) - header) // frame
    assert files.verdict(files.whole, files.log) == "same"
    assert files.verdict(files.whole) == "prefix"
    seen = set()
    for number in range(frames):
        at = header + number * frame + (number * 977) % frame
        touched = bytearray(files.log)
        touched[at] ^= 1 << number % 8
        seen.add(files.verdict(files.whole, bytes(touched)))
        seen.add(files.verdict(files.whole, files.log[:at]))
        assert seen <= {"prefix", "same", "found", "refused"}, f"frame {number + 1}"
    assert "prefix" in seen
    touched = bytearray(files.log)
    touched[5] ^= 1
    assert files.verdict(files.whole, bytes(touched)) == "prefix"
    first, second = slice(header, header + frame), slice(header + frame, header + 2 * frame)
    touched = bytearray(files.log)
    touched[first], touched[second] = files.log[second], files.log[first]
    assert files.verdict(files.whole, bytes(touched)) == "prefix"
