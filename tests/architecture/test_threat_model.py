"""What is promised is written down with its limits."""

from pathlib import Path

import pytest

SECURITY = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
OWNERSHIP = (Path(__file__).parents[2] / "src" / "sophia" / "store" / "ownership.py").read_text(encoding="utf-8")


@pytest.mark.guarantee("L21")
def test_the_scope_of_the_one_owner_is_written_where_it_is_promised_and_where_it_is_made():
    for text in (SECURITY, OWNERSHIP):
        told = " ".join(text.lower().split())
        assert "accidental second copy" in told
        assert "same user" in told
        assert "not against every adversary" in told or "not every adversary" in told
