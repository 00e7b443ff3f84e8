"""Every write that there is can be taken back, and that again: nothing differs from before, in tables or in indexes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.house import House, house
from tests.support.pictures import differing, picture
from tests.support.samples import AGENTS_OWN, UNJOURNALED, WRITES, samples


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


@pytest.fixture(scope="module")
def asked(home: House) -> dict[str, dict[str, Any]]:
    return samples(home)


def test_there_is_a_sample_of_every_write(asked: dict[str, dict[str, Any]]):
    assert asked.keys() == WRITES.keys()


@pytest.mark.guarantee("J1", "J5", "J6")
@pytest.mark.parametrize("tool", sorted(WRITES.keys() - UNJOURNALED - AGENTS_OWN))
def test_a_write_is_taken_back_and_the_revert_too(home: House, asked: dict[str, dict[str, Any]], tool: str):
    before, entries = picture(home), home.call(home.owner, "list_mutations")["total"]
    home.clock.turn(1_000_000)
    seq = home.call(home.owner, tool, **asked[tool])["mutation_seq"]
    after = picture(home)
    assert differing(before, after)
    assert home.call(home.owner, "list_mutations")["total"] == entries + 1
    told = home.call(home.owner, "get_mutation", mutation_seq=seq)
    for change in told["changes"]:
        now = (
            next(row for row in home.dump()[change["table"]] if row[0] == change["row_id"])
            if change.get("after")
            else ()
        )
        assert set((change.get("after") or {}).values()) <= {*now}

    check = home.call(home.owner, "check_revert", mutation_seq=seq)
    assert check["possible"]
    assert {one["row_id"] for one in check["would_change"]} == {one["row_id"] for one in told["changes"]}
    back = home.call(home.owner, "revert_mutation", mutation_seq=seq)
    assert differing(before, picture(home)) == {}
    assert home.call(home.owner, "get_mutation", mutation_seq=seq)["reverted_by"] == back["mutation_seq"]

    again = home.call(home.owner, "revert_mutation", mutation_seq=back["mutation_seq"])
    assert differing(after, picture(home)) == {}
    assert "reverted_by" not in home.call(home.owner, "get_mutation", mutation_seq=seq)
    assert home.call(home.owner, "list_mutations")["total"] == entries + 3

    home.call(home.owner, "revert_mutation", mutation_seq=again["mutation_seq"])
    assert differing(before, picture(home)) == {}
