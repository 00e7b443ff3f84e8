import dataclasses
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sophia.core.refusals import LockfileSwapped
from sophia.store.ownership import Ownership, acquire, release
from sophia.store.watchdog import drifted, refusal


@pytest.fixture
def owned(tmp_path: Path) -> Iterator[Ownership]:
    ownership = acquire(tmp_path / "data")
    yield ownership
    release(ownership)


def test_an_owner_at_rest_has_not_drifted(owned: Ownership):
    (owned.directory / "state.db").touch()
    assert drifted(owned) is None


def test_a_lock_file_that_is_unlinked_is_drift(owned: Ownership):
    owned.lock_path.unlink()
    assert drifted(owned) == "the lock file has 0 names"
    owned.lock_path.touch()
    assert drifted(owned) is not None


def test_a_lock_file_that_is_moved_or_replaced_is_drift(owned: Ownership):
    owned.lock_path.rename(owned.directory / "moved")
    assert drifted(owned) == "the lock file is no longer at its path"
    owned.lock_path.touch()
    assert drifted(owned) == "another lock file stands at its path"


def test_a_lock_file_with_a_second_name_is_drift(owned: Ownership):
    os.link(owned.lock_path, owned.directory / "second")
    assert drifted(owned) == "the lock file has 2 names"


def test_a_directory_that_is_moved_or_replaced_is_drift(owned: Ownership):
    moved = owned.directory.with_name("moved")
    owned.directory.rename(moved)
    assert drifted(owned) == "the data directory is no longer at its path"
    newcomer = acquire(owned.directory)
    assert drifted(owned) == "another data directory stands at its path"
    assert drifted(newcomer) is None
    release(newcomer)


def test_a_descriptor_that_somebody_closed_is_drift(owned: Ownership):
    spare = os.dup(owned.lock_fd)
    os.close(owned.lock_fd)
    try:
        assert drifted(owned) == "the lock's descriptor was closed"
        with (owned.directory / "other").open("wb") as other:
            os.dup2(other.fileno(), owned.lock_fd)
            assert drifted(owned) == "the lock's descriptor was closed, and is now another file's"
    finally:
        os.dup2(spare, owned.lock_fd)
        os.close(spare)


def test_an_ownership_that_was_given_up_is_drift(owned: Ownership):
    release(owned)
    assert drifted(owned) == "the lock was given up"


def test_a_daemon_that_has_drifted_says_so_and_ends_with_83(owned: Ownership):
    refused = refusal(owned, "the lock file has 0 names")
    assert isinstance(refused, LockfileSwapped)
    assert refused.exit_code == 83
    assert "the lock file has 0 names" in refused.message
    assert refused.details == {"path": str(owned.directory)}


def test_drift_cannot_be_hidden_by_changing_the_value(owned: Ownership):
    with pytest.raises(dataclasses.FrozenInstanceError):
        owned.directory = Path("/")  # type: ignore[misc]
