"""What every test stands on: a directory of its own, the guarantees, the profiles of hypothesis."""

import os
import signal
import sys

import pytest

from tests import pinned

try:
    PINNED = pinned.pin(os.environ)
except pinned.NotPinnedError as refusal:
    sys.stderr.write(f"The tests do not run: {refusal}\n")
    sys.exit(3)
pinned.guard()
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs in the background would have it ignored

from hypothesis import HealthCheck, settings  # noqa: E402 (nothing is imported before the directory is pinned)

pytest_plugins = ["tests.guarantees"]

settings.register_profile(
    "fast",
    max_examples=50,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.register_profile("deep", parent=settings.get_profile("fast"), max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--soak", action="store_true", help="run the long tests, and only these")


@pytest.hookimpl(trylast=True)  # after they were shuffled
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = bool(config.getoption("--soak"))
    left_out = [item for item in items if bool(item.get_closest_marker("soak")) is not wanted]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
