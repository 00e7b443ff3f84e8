"""What every patch is tried on."""

from pathlib import Path

import pytest

from tests.mutants.test_mutants import compiled


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("template"))
