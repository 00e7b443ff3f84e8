"""The guarantees and their tests, tied together."""

import os
from pathlib import Path

from tools import gen
from tools.guarantees import Row, covering, rows, uncovered


def test_the_generated_documents_are_fresh():
    assert gen.stale() == [], "run `make gen`"


def test_every_row_is_due_now_or_with_a_feature_or_covered_through_rows_that_exist():
    known = rows()
    for row in known.values():
        assert bool(row.due) is not bool(row.through), row.id
        assert set(row.through) <= known.keys(), row.id


def test_every_claimed_guarantee_is_a_row():
    assert covering().keys() <= rows().keys()


def test_every_row_that_is_due_has_a_test():
    missing = uncovered(rows(), covering())
    assert not missing or os.environ.get("SOPHIA_GUARANTEES_STRICT") != "1", missing


def test_a_row_that_is_due_and_claimed_by_nobody_is_found():
    known = {
        row.id: row for row in (Row("T1", "a", "g", "now"), Row("T2", "b", "g", "now"), Row("D1", "c", "g", "later"))
    }
    assert uncovered(known, {"T1": ["tests/test_x.py::test_y"]}) == ["T2"]


def test_claims_are_read_from_functions_classes_parameters_and_modules(tmp_path: Path):
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_x.py").write_text(
        "import pytest\n"
        'pytestmark = pytest.mark.guarantee("T1")\n'
        '@pytest.mark.guarantee("T2", "T3")\n'
        "def test_a(): pass\n"
        'class TestB:\n    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.guarantee("T4"))])\n'
        "    def test_c(self, x): pass\n",
        encoding="utf-8",
    )
    assert covering(tests) == {
        "T1": ["tests/test_x.py"],
        "T2": ["tests/test_x.py::test_a"],
        "T3": ["tests/test_x.py::test_a"],
        "T4": ["tests/test_x.py::TestB::test_c"],
    }
