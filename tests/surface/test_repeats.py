"""Every write that says that repeating it changes nothing: the second time it leaves no entry in the journal."""

from collections.abc import Iterator

import pytest

from tests.support.house import House, house
from tests.support.samples import WRITES, samples

REPEATABLE = [name for name, tool in WRITES.items() if tool.traits.idempotent]


@pytest.fixture
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.mark.guarantee("J15")
@pytest.mark.parametrize("tool", REPEATABLE)
def test_what_changes_nothing_leaves_no_entry(home: House, tool: str):
    asked = samples(home)[tool]
    first = home.call(home.owner, tool, **asked)
    before = home.call(home.owner, "list_mutations")["total"]
    home.clock.turn(60_000_000)
    again = home.call(home.owner, tool, **asked)
    assert home.call(home.owner, "list_mutations")["total"] == before
    assert "mutation_seq" not in again
    for row in {"entity", "document", "fact"} & first.keys() & again.keys():
        assert again[row] == first[row]
