"""One running server for the modules that leave it as they found it."""

from collections.abc import Iterator

import pytest

from tests.support.wire import Wire, running


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with running() as wire:
        yield wire
