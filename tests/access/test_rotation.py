"""Access entries end after thirty days, and never because a clock was set."""

from collections.abc import Iterator

import pytest

from sophia.access.rotation import DAY, KEPT, Rotation
from sophia.core.clock import MINUTE, SECOND
from tests.support.house import House, house


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def looked(home: House) -> None:
    """The chore, as it would be done by now, to the end of what it finds."""
    rotation = Rotation(home.databases.ops, home.clock)
    while rotation.step() == 0:
        pass


def kept(home: House) -> list[int]:
    """How many seconds ago what is kept was touched, oldest first."""
    home.parts.trail.flush()
    with home.databases.ops.reading() as rows:
        found = rows.rows("SELECT at FROM subscriber_agent_entity_access_log ORDER BY at")
    return [(home.clock.now() - row["at"]) // SECOND for row in found]


def touch(home: House) -> str:
    """An entity that an agent just looked at."""
    made = home.entity("Ada")
    home.call(home.agent("observer"), "get_entity", entity_id=made)
    home.parts.trail.flush()
    home.parts.usage.flush()
    return made


@pytest.mark.guarantee("A3")
def test_an_entry_is_kept_for_thirty_days_and_the_counter_for_good(home: House):
    ids = []
    for pause in (24 * 60, 60, 0):  # which makes them 31 days, 30 days and 29 days and 23 hours old
        ids.append(touch(home))
        home.clock.turn(pause * MINUTE)
        looked(home)
    home.clock.turn(30 * DAY - 60 * MINUTE)
    looked(home)
    assert kept(home) == [30 * 24 * 3600, 30 * 24 * 3600 - 3600]
    assert home.call(home.owner, "entity_access_history", entity_id=ids[0])["accesses"] == 1
    home.clock.turn(DAY)
    looked(home)
    assert kept(home) == []
    assert home.call(home.owner, "usage_stats")["calls"] == 0
    assert [home.call(home.owner, "entity_access_history", entity_id=one)["accesses"] for one in ids] == [1, 1, 1]


@pytest.mark.guarantee("A4")
@pytest.mark.parametrize("days", [40, -40])
def test_a_clock_that_jumps_and_comes_back_deletes_nothing(home: House, days: int):
    touch(home)
    looked(home)
    right = home.clock.now()
    home.clock.set_wall(right + days * DAY)
    looked(home)
    home.clock.turn(60 * MINUTE)
    looked(home)
    home.clock.set_wall(right + 60 * MINUTE)
    for _ in range(30):
        looked(home)
        home.clock.turn(60 * MINUTE)
    assert len(kept(home)) == 1


@pytest.mark.guarantee("A4")
def test_a_clock_that_was_set_is_believed_after_a_day_of_going_evenly(home: House):
    touch(home)
    looked(home)
    home.clock.set_wall(home.clock.now() + 40 * DAY)
    for _ in range(24):
        looked(home)
        assert len(kept(home)) == 1
        home.clock.turn(60 * MINUTE)
    looked(home)
    assert kept(home) == []


@pytest.mark.guarantee("A4")
@pytest.mark.parametrize(("days_off", "left"), [(6, 0), (40, 1)])
def test_a_machine_that_was_off_for_long_is_not_believed_at_once(home: House, days_off: int, left: int):
    touch(home)
    looked(home)
    home.clock.turn(25 * DAY)
    looked(home)
    home.clock.set_wall(home.clock.now() + days_off * DAY)
    home.clock.reboot()
    looked(home)
    assert len(kept(home)) == left
    home.clock.turn(DAY)
    looked(home)
    assert kept(home) == []


def test_what_is_due_goes_in_small_batches_and_nothing_is_looked_at_in_between(home: House):
    touch(home)
    with home.databases.ops.writing() as tx:
        tx.run(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1200)"
            " INSERT INTO subscriber_agent_entity_access_log (at, connection_id, tool, entity_id, call_id)"
            " SELECT :at, 'c', 'sophia.get_entity', 'e', n FROM n",
            at=home.clock.now(),
        )
    home.clock.turn(KEPT + SECOND)
    rotation = Rotation(home.databases.ops, home.clock)
    left = []
    while rotation.step() == 0:
        left.append(len(kept(home)))
    assert left == [701, 201]
    assert kept(home) == []
    version = home.databases.ops.version
    home.clock.turn(MINUTE)
    assert rotation.step() == 14 * 60
    assert home.databases.ops.version == version
    home.clock.turn(14 * MINUTE)
    assert rotation.step() == 15 * 60
    rotation.close()
