"""What is remembered of secrets costs what an act brings, and not what was ever kept out."""

from collections.abc import Iterator

import pytest

from sophia.access import secrets
from sophia.core.secrets.masked import Hit
from tests.support.house import House, house


@pytest.fixture(scope="module")
def home() -> Iterator[House]:
    with house() as standing:
        yield standing


def hits(first: int, many: int) -> list[Hit]:
    return [Hit("password", f"{n:064x}"[::-1], "") for n in range(first, first + many)]


def test_each_value_is_kept_once_and_allowed_by_its_whole_hash(home: House):
    kept = home.parts.secrets
    kept.keep(hits(1, 30), "agent", "a call")
    kept.keep(hits(20, 30), "agent", "a call")
    assert len(kept.listed()) == 49
    one, other = hits(7, 2)
    kept.allow(one.hit_id, "owner")
    like_it = one.keyed[:60] + "ffff"
    assert kept.masking().allowed([one.keyed, other.keyed, like_it]) == {one.keyed}


def test_no_act_reads_what_others_were_kept_from_bringing(home: House):
    with home.databases.ops.reading() as rows:
        plan = " ".join(str(row["detail"]) for row in rows.rows(f"EXPLAIN QUERY PLAN {secrets._KNOWN}", ids="[]"))
    assert "SEARCH s USING INDEX" in plan
    assert "SCAN s" not in plan
