"""The built-in predicates are one consistent list."""

from sophia.capabilities.knowledge import predicates
from sophia.capabilities.knowledge.predicates import BUILT_IN, BY_NAME
from sophia.capabilities.knowledge.values import ValueType


def test_there_are_about_sixty_of_distinct_snake_case_names() -> None:
    assert 60 <= len(BUILT_IN) <= 75
    assert len(BY_NAME) == len(BUILT_IN)
    assert all(predicates.is_name(predicate.name) for predicate in BUILT_IN)


def test_every_inverse_exists_and_leads_back() -> None:
    for predicate in BUILT_IN:
        assert (predicate.inverse is not None) == (predicate.value_type is ValueType.ENTITY), predicate
        if predicate.inverse is not None:
            assert BY_NAME[predicate.inverse].inverse == predicate.name


def test_an_unknown_predicate_is_text_of_many_values() -> None:
    claimed = predicates.unknown("favourite_tea")
    assert (claimed.value_type, claimed.single_valued, claimed.inverse) == (ValueType.TEXT, False, None)


def test_only_snake_case_names_a_predicate() -> None:
    for good in ("a", "works_for", "iso_9001"):
        assert predicates.is_name(good)
    for bad in ("", "Works", "works-for", "_x", "x_", "a__b", "9a", "works for", "\u00fcber", "x" * 65, "a\n"):
        assert not predicates.is_name(bad)
