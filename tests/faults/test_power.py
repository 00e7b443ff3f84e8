"""The plug is pulled, and the disk fails: what was acknowledged is there, and what was not is not there by half."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from sophia.core.caller import Owner
from sophia.core.errors import SophiaError, StorageFull, Unavailable
from sophia.core.refusals import DbUnavailable
from sophia.core.scope import EVERYTHING
from sophia.store import engine, writer
from sophia.store.databases import prepare
from sophia.store.engine import connect
from sophia.store.failpoints import Failpoints
from sophia.store.journal import Entry
from sophia.store.keys import Keys
from sophia.store.ownership import Ownership
from sophia.store.state import State
from tests.support.beneath import faults, owned
from tests.support.clock import TurnableClock
from tests.support.disk import Disk, plugged_in

OWNER = Owner("u-owner", EVERYTHING)
RUNS = 120


@dataclass
class Bench:
    """An owned directory with an empty state to start from, and a disk to run it on."""

    place: Path
    ownership: Ownership
    keys: Keys
    disk: Disk
    vfs: str

    @property
    def path(self) -> Path:
        return self.ownership.directory / "state.db"

    def started(self) -> State:
        """The state on the faulty disk, as it was made."""
        for name in ("state.db", "state.db-wal", "state.db-shm"):
            (self.ownership.directory / name).unlink(missing_ok=True)
        shutil.copy(self.place / "empty.db", self.path)
        self.disk.durable.clear()
        self.disk.begin()

        def exclusive() -> apsw.Connection:
            return connect(self.ownership, self.path, self.keys.state, vfs=self.vfs, exclusive=True)

        state = State(exclusive, self.keys.seal, TurnableClock(), Failpoints())
        state.take_epoch()
        return state

    def found(self, image: dict[str, bytes]) -> tuple[int, list[object]]:
        """What is there of such a disk: the last mutation, and all that is wrong."""
        for name in ("state.db", "state.db-wal", "state.db-shm"):
            (self.ownership.directory / name).unlink(missing_ok=True)
        for name, content in image.items():
            (self.ownership.directory / name).write_bytes(content)
        try:
            db = connect(self.ownership, self.path, self.keys.state)
        except DbUnavailable as error:
            return 0, [error.message]
        try:
            return db.execute("SELECT seq FROM journal_head").get, faults(db, self.keys.seal)
        except apsw.Error as error:
            return 0, [type(error).__name__]
        finally:
            db.close()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(writer, "FOLD_PAGES", 20)  # so that the short runs fold the log back too
    with owned(tmp_path) as (ownership, keys):
        disk, vfs = plugged_in()
        prepare(ownership, tmp_path / "data" / "state.db", keys.state, "state")
        shutil.move(tmp_path / "data" / "state.db", tmp_path / "empty.db")
        yield Bench(tmp_path, ownership, keys, disk, vfs)


def write(state: State, n: int, size: int = 100) -> int:
    """One acknowledged write of two rows; its number."""
    with state.writing(OWNER, Entry("u-owner", "owner", "owner", "t", f"c-{n}", n)) as unit:
        for row_id in (f"e-{n}", f"e-{n}b"):
            unit.tx.insert("entity", id=row_id, kind="k", name="x" * size, name_key="x", created_at=n, updated_at=n)
        if n > 3:
            unit.tx.update("entity", f"e-{n - 2}", name="y" * size, updated_at=n)
    return state.head.seq


def outcome(bench: Bench, seed: int) -> str:
    """What the loss of power at a random moment left: `whole`, `lost` or `broken`."""
    chance = random.Random(seed)
    state = bench.started()
    acknowledged = 0
    for n in range(1, chance.randrange(3, 25)):
        acknowledged = write(state, n, chance.randrange(2000))
    image = bench.disk.after_power_loss(chance)
    state.close()
    last, wrong = bench.found(image)
    return "broken" if wrong else "lost" if last < acknowledged else "whole"


@pytest.mark.guarantee("4.4")
@pytest.mark.timeout(300)
def test_no_loss_of_power_loses_what_was_acknowledged(bench: Bench):
    assert Counter(outcome(bench, seed) for seed in range(RUNS)) == {"whole": RUNS}


@pytest.mark.guarantee("4.4")
def test_without_a_sync_at_each_commit_acknowledged_writes_are_lost(bench: Bench, monkeypatch: pytest.MonkeyPatch):
    weaker = tuple(("synchronous", "normal", 1) if name == "synchronous" else (name, value, read)
                   for name, value, read in engine.PRAGMAS)  # fmt: skip
    monkeypatch.setattr(engine, "PRAGMAS", weaker)
    assert Counter(outcome(bench, seed) for seed in range(10))["lost"] > 0, "the control loses some"


@pytest.mark.guarantee("4.5", "J2")
@pytest.mark.parametrize("error", [apsw.FullError, apsw.IOError])
def test_whichever_operation_of_the_disk_fails_the_write_is_whole_or_not_there(bench: Bench, error: type[apsw.Error]):
    refused = {apsw.FullError: StorageFull, apsw.IOError: Unavailable}[error]
    failures = 0
    for at in range(1, 10_000):
        state = bench.started()
        for n in range(1, 5):
            write(state, n)
        bench.disk.begin(at, error)
        acknowledged, ended = state.head.seq, None
        for n in range(5, 9):
            try:
                acknowledged = write(state, n)
            except SophiaError as failed:
                ended = failed
                assert state.head.seq == acknowledged
                assert state.trouble
                acknowledged = write(state, n)  # the next write works, as soon as the disk does
                assert state.trouble is None
        fired = bench.disk.failed
        bench.disk.begin()
        if not fired:
            state.close()
            break
        assert ended is None or isinstance(ended, refused), ended
        failures += ended is not None
        db = state.writer.db
        assert state.head.seq == acknowledged == 8
        db.authorizer = None
        assert faults(db, bench.keys.seal) == []
        state.close()
    else:
        pytest.fail("the run never ended without a failure")
    assert failures > 10
