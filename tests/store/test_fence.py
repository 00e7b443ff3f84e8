"""The owner's epoch inside every write."""

import pytest

from sophia.core.errors import Unavailable
from sophia.store import fence
from sophia.store.engine import connect
from tests.support.house import house


@pytest.mark.guarantee("L14")
def test_an_owner_that_was_replaced_writes_nothing_any_more():
    with house() as old:
        old.entity("Before")
        before = old.dump()
        newer = connect(old.ownership, old.directory / "data" / "state.db", old.keys.state)
        fence.take_epoch(newer)
        newer.close()
        error = old.refused(old.owner, "create_entity", kind="thing", name="After")
        assert error["code"] == "unavailable"
        assert "Another daemon owns this state" in error["message"]
        with pytest.raises(Unavailable), old.databases.state.parties():
            pass
        assert old.dump() == before
