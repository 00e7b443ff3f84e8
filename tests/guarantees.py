"""A pytest plugin: a test's guarantees exist, are not skipped where they count, and in the end none is missing."""

import os
from collections.abc import Generator

import pytest

from tools.guarantees import covering, rows, uncovered

KNOWN = rows()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("guarantee"):
        unknown = [row_id for row_id in marker.args if row_id not in KNOWN]
        if unknown or not marker.args:
            pytest.fail(f"names guarantees that tests/spec/guarantees.toml lacks: {unknown}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.get_closest_marker("guarantee") and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"A guarantee may not be skipped here: {report.longrepr}"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return  # to read every test takes two seconds, which a run of a few has no use for
    missing = uncovered(KNOWN, covering())
    if missing:
        terminalreporter.write_line(f"{len(missing)} guarantees due now have no test yet: see docs/guarantees.md")
