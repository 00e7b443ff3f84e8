"""What the SQL in the source must not do."""

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"
REPREPARED = re.compile(r"\b(?:LIMIT|OFFSET)\s+[:?@$]")


def test_no_limit_is_a_bare_parameter():
    """`LIMIT 0 + :limit` is prepared once; of a bare one the engine looks at the value, and prepares at every call."""
    found = [
        str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if REPREPARED.search(path.read_text("utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("sql", ["LIMIT :limit", "LIMIT ?", "ORDER BY id\n LIMIT\n :n"])
def test_the_pattern_finds_what_it_is_for(sql: str):
    assert REPREPARED.search(sql)
    assert not REPREPARED.search("LIMIT 0 + :limit")
