"""One daemon for all tests of a module that only use it."""

from collections.abc import Iterator

import pytest

from tests.support.daemon import Daemon, running


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with running() as one:
        yield one
