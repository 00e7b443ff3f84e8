"""A pytest plugin: a test's guarantees exist, are not skipped where they count, and in the end none is missing."""

import os
from collections.abc import Generator

import pytest

from tools.guarantees import covering, rows, uncovered


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = rows()
    for item in items:
        for marker in item.iter_markers("guarantee"):
            unknown = [row_id for row_id in marker.args if row_id not in known]
            if unknown or not marker.args:
                raise pytest.UsageError(f"{item.nodeid} names guarantees that tests/spec lacks: {unknown}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.get_closest_marker("guarantee") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"A guarantee may not be skipped here: {report.longrepr}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    missing = uncovered(rows(), covering())
    if missing:
        terminalreporter.write_line(f"{len(missing)} guarantees due now have no test yet: see docs/guarantees.md")
