"""A unit of reading sees one moment, and leaves its connection as if it had never been."""

import json
from collections.abc import Iterator

import apsw
import pytest

from sophia.core.errors import DeadlineExceeded, Unavailable
from sophia.store.deadline import Deadline
from tests.support.house import House, house

MANY = json.dumps(list(range(2_000)))
LONG = "SELECT count(*) FROM json_each(:many) a, json_each(:many) b WHERE a.value + b.value < 0"


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def test_what_is_written_meanwhile_is_not_seen_before_the_next_unit(home: House):
    home.entity("First")
    count = "SELECT count(*) FROM entity"
    with home.databases.state.reading(home.owner) as rows:
        before = rows.value(count)
        home.entity("Second")
        assert rows.value(count) == before
    with home.databases.state.reading(home.owner) as rows:
        assert rows.value(count) == before + 1


def test_nothing_can_be_read_once_the_unit_is_over(home: House):
    home.entity("First")
    with home.databases.state.reading(home.owner) as rows:
        pass
    with pytest.raises(PermissionError):
        rows.value("SELECT count(*) FROM entity")


def test_an_error_inside_ends_the_unit_and_stays_what_it_is(home: House):
    state = home.databases.state
    with pytest.raises(KeyError), state.reading(home.owner):
        raise KeyError
    with state.reading(home.owner) as rows:
        assert rows.value("SELECT count(*) FROM entity") == 0
    assert len(state._readers.made) == 1


def test_a_statement_that_outlasts_the_deadline_is_stopped(home: House, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Deadline, "set", lambda self, *_: setattr(self, "_until", 0.0))
    with pytest.raises(DeadlineExceeded), home.databases.state.reading(home.owner) as rows:
        rows.value(LONG, many=MANY)


def test_a_connection_that_fails_at_once_goes_back_all_the_same(home: House):
    state = home.databases.state
    with state.reading(home.owner):
        pass
    (reader,) = state._readers.made
    reader.db.execute("BEGIN")
    with pytest.raises(Exception, match="transaction"), state.reading(home.owner):
        pass
    with state.reading(home.owner) as rows:
        assert rows.value("SELECT count(*) FROM entity") == 0


def test_a_failure_of_the_engine_leaves_as_what_it_means(home: House):
    with pytest.raises(Unavailable, match="storage failed"), home.databases.state.reading(home.owner):
        raise apsw.IOError
