"""The second quarter of the patches: a file is run by one worker, and there are two."""

from pathlib import Path

import pytest

from tests.mutants.test_mutants import PATCHES, verdict

pytestmark = pytest.mark.long


@pytest.mark.parametrize("patch", PATCHES[1::4], ids=lambda patch: patch.stem)
def test_a_guard_that_is_taken_away_is_missed(patch: Path, tmp_path: Path, template: Path):
    told = verdict(patch.read_text(encoding="utf-8"), tmp_path, template)
    assert told.noticed, told.seen
