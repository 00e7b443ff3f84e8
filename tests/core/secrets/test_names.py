"""The names of secrets are looked for in whatever text they stand."""

import pytest

from sophia.core.secrets.names import STEMS, sought


@pytest.mark.parametrize("stem", sorted({stem for stem, _, _ in STEMS}))
@pytest.mark.parametrize("around", ["{}", "My {}: x", "a_{}_b", "\u00fcber {} \u5bc6"])
def test_every_name_is_seen_that_may_stand_in_a_text(stem: str, around: str):
    found = sought(around.format(stem.upper()))
    assert stem in {form.stem for form in found.forms}


def test_a_text_that_holds_no_name_is_asked_for_none():
    assert sought("The avocet wades in the shallow water.").forms == ()
