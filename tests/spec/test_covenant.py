"""The promises to the owner say what proves them, and what does not yet."""

from pathlib import Path

import pytest

from tools.covenant import Promise, document, promises, proven
from tools.guarantees import Row, rows


def test_there_are_five_promises_and_each_rests_on_rows_that_exist():
    found = promises(rows())
    assert len(found) == 5
    assert all(len(promise.rows) > 5 for promise in found)


def test_a_row_is_proven_by_its_tests_or_by_those_it_goes_through():
    known = {
        row.id: row
        for row in (
            Row("A", "a", "g", "now"), Row("B", "b", "g", "now"), Row("L", "l", "g", "later"),
            Row("T", "t", "g", None, ("A",)), Row("U", "u", "g", None, ("A", "L")),
        )
    }  # fmt: skip
    claims = {"A": ["tests/test_x.py::test_y"], "L": ["tests/test_x.py::test_y"]}
    assert [each for each in known if proven(known[each], known, claims)] == ["A", "T"]
    assert [row.id for row in Promise("p", "t", tuple(known.values())).pending(known, claims)] == ["B", "L", "U"]


def test_what_is_pending_is_said_with_the_promise_and_with_the_row(tmp_path: Path):
    waiting = next(row for row in rows().values() if row.due not in (None, "now"))
    path = tmp_path / "covenant.toml"
    path.write_text(f'[[promise]]\nname = "It holds"\ntext = "Yes."\nrows = ["T1", "{waiting.id}"]\n', encoding="utf-8")
    told = document(path)
    assert "| [It holds](#it-holds) | 1 | 1 |" in told
    assert "**Not whole yet: 1 guarantee it rests on is pending.**" in told
    assert f"| {waiting.id} | {waiting.title} | **pending: {waiting.due}** |" in told
    assert "`agent/test_bearer.py::" in told.partition("| T1 |")[2].partition("\n")[0]


def test_a_promise_that_rests_on_nothing_there_is_is_refused(tmp_path: Path):
    path = tmp_path / "covenant.toml"
    for rests in ('rows = ["T1", "T999"]', 'groups = ["No such group"]'):
        path.write_text(f'[[promise]]\nname = "It holds"\ntext = "Yes."\n{rests}\n', encoding="utf-8")
        with pytest.raises(ValueError, match=r"It holds rests on .*(T999|No such group)"):
            promises(rows(), path)
