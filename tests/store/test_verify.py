"""A reading of everything finds what was touched, and says where."""

import tracemalloc
from pathlib import Path

import apsw
import pytest

from sophia.store import replay, verify
from sophia.store.verify import verified
from tests.support.beneath import offline, owned
from tests.support.house import house


@pytest.mark.guarantee("A8", "4.8")
def test_what_was_touched_is_found_where_it_is(tmp_path: Path):
    with house(directory=tmp_path) as home:
        entity = home.entity("one")
        home.entity("two")
        home.agent()
    steps: list[str] = []

    def step(told: str, _done: int, _total: int | None) -> None:
        steps.append(told)

    with owned(tmp_path) as (ownership, keys):
        assert verified(ownership, keys, step).whole
    assert steps[-2:] == ["rows", "security log"]
    for name, sql in (
        ("state", f"UPDATE entity SET name = 'other' WHERE id = '{entity}'"),
        ("state", "UPDATE mutation SET tool = 'other' WHERE seq = 2"),
        ("ops", "UPDATE security_event SET who = 'other'"),
    ):
        with offline(tmp_path, name) as (db, _):
            db.execute(sql)
    with owned(tmp_path) as (ownership, keys):
        found = verified(ownership, keys)
    assert not found.whole
    assert found.differing == [("entity", entity)]
    assert found.journal_breaks == [2]
    assert found.log_breaks_at == 1
    assert found.damage == []


@pytest.mark.guarantee("4.8")
def test_damage_is_told_and_nothing_beyond_it_believed(tmp_path: Path):
    with house(directory=tmp_path) as home:
        for n in range(20):
            home.entity(f"n{n}")
    path = tmp_path / "data" / "state.db"
    content = bytearray(path.read_bytes())
    content[8 * 4096 + 100] ^= 1
    path.write_bytes(content)
    with owned(tmp_path) as (ownership, keys):
        found = verified(ownership, keys)
    assert found.damage
    assert not found.whole
    assert (found.journal_breaks, found.differing, found.log_breaks_at) == ([], [], None)


def test_only_so_many_breaks_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(verify, "_MOST_BREAKS", 1)
    with house(directory=tmp_path) as home:
        home.entity("one")
        home.entity("two")
    with offline(tmp_path) as (db, _):
        db.execute("UPDATE mutation SET tool = 'other'")
    with owned(tmp_path) as (ownership, keys):
        assert verified(ownership, keys).journal_breaks == [1]


def test_reading_everything_takes_no_more_memory_for_more_rows(tmp_path: Path):
    peaks = []
    with house(directory=tmp_path) as home:
        for count in (100, 300):
            for n in range(count):
                home.call(home.owner, "add_document", title=f"{count}-{n}", body=f"{n} " * 1000)
            tracemalloc.start()
            assert verified(home.ownership, home.keys).whole
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 600_000 < 300 * 3000, "what was read is not kept"
    assert peaks[1] < peaks[0] + 200_000


def test_how_far_the_reading_is_can_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(verify, "_EVERY", 1)
    monkeypatch.setattr(replay, "_EVERY", 1)
    steps: list[tuple[str, int, int | None]] = []
    with house(directory=tmp_path) as home:
        home.entity("one")
        home.entity("two")
        assert verified(home.ownership, home.keys, lambda *told: steps.append(told)).whole
    assert [done for step, done, total in steps if (step, total) == ("journal", 2)] == [0, 1, 2]
    assert [done for step, done, total in steps if step == "rows"][-1] == 2


def test_what_does_not_open_is_damage(tmp_path: Path):
    with house(directory=tmp_path):
        pass
    (tmp_path / "data" / "ops.db").write_bytes(b"x" * 8192)
    with owned(tmp_path) as (ownership, keys):
        (told,) = verified(ownership, keys).damage
    assert "ops.db does not open" in told


def test_what_cannot_even_be_looked_at_is_damage():
    db = apsw.Connection(":memory:")
    db.close()
    assert verify.unsound(db) == ["ConnectionClosedError"]
