"""A scope means what it says literally, and nothing at all where it is unclear."""

import json

import pytest
from hypothesis import given, strategies as st

from sophia.core.errors import BadArguments
from sophia.core.scope import EVERYTHING, MAX_SCOPE, NOTHING, Scope, asked, loaded

IDS = st.text("abc123-", min_size=1, max_size=12).map("e-".__add__)
LISTED = st.frozensets(IDS).map(Scope)


def test_only_the_literal_all_means_every_entity():
    assert asked("all") == EVERYTHING
    assert EVERYTHING.is_all
    assert EVERYTHING.told() == "all"
    assert not NOTHING.is_all
    assert NOTHING.told() == []


@pytest.mark.parametrize(
    "value",
    [
        None, "", "ALL", "all ", ["all"], {}, "e-1", [""], ["e-1", "e-1"], [1], ["e-1'"], ["e-%"], ["e-\0"], ["e-é"],
        ["e-"], ["e-" + "a" * 63], ["x-1"], True, [f"e-{n}" for n in range(MAX_SCOPE + 1)],
    ],
    ids=lambda value: f"{value!r}"[:24],
)  # fmt: skip
def test_anything_unclear_is_refused_at_the_mint(value: object):
    with pytest.raises(BadArguments) as refused:
        asked(value)
    assert refused.value.argument == "entity_scope"


def test_a_list_of_entity_ids_is_taken_as_it_is():
    assert asked(["e-2", "e-1"]).told() == ["e-1", "e-2"]
    assert asked([]) == NOTHING
    assert len(asked([f"e-{n}" for n in range(MAX_SCOPE)]).told()) == MAX_SCOPE


@pytest.mark.parametrize(
    "text", [None, 7, b'"all"', "", "all", '"ALL"', "{", "{}", "null", '["e-1", 2]', '[""]', '"e-1"']
)
def test_a_stored_text_that_means_nothing_clear_is_told_apart_from_an_empty_scope(text: object):
    assert loaded(text) is None


@given(LISTED)
def test_a_stored_scope_is_read_back_as_itself(scope: Scope):
    assert loaded(scope.stored()) == scope
    assert json.loads(scope.as_json) == scope.told()


def test_the_whole_scope_is_read_back_and_lists_nothing():
    assert loaded(EVERYTHING.stored()) == EVERYTHING
    assert EVERYTHING.as_json == "[]"


@given(child=LISTED, parent=LISTED)
def test_a_scope_narrows_another_when_it_lists_a_part_of_it(child: Scope, parent: Scope):
    assert child.narrows(parent) is set(child.told()).issubset(parent.told())
    assert child.narrows(EVERYTHING)
    assert not EVERYTHING.narrows(parent)
    assert not EVERYTHING.narrows(EVERYTHING)
