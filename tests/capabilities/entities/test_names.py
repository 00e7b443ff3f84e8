"""Names that differ by form alone are one name, and names that are nearly one are told as such."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.entities.names import LIKELY, best, key, likeness


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna Meyer", "anna  MEYER"), ("Acme, Inc.", "ACME Inc"), ("Zo\u00eb", "Zoe\u0308"), ("\uff21cme", "Acme"),
        ("Stra\u00dfe", "STRASSE"), ("snake_case", "snake case"), ("O\u2019Neil", "O'Neil"), ("ow\u200bner", "owner"),
        ("x\u00adray", "xray"), ("A\tB", "a b"), ("\ufb01n", "FIN"), ("e-mail", "e mail"), ("L'Oréal", "LOréal"),
    ],
)  # fmt: skip
def test_names_that_differ_by_form_alone_have_one_key(one: str, other: str):
    assert key(one) == key(other)
    assert likeness(one, other).score == 1


@pytest.mark.parametrize(
    ("one", "other"), [("Jose", "Jos\u00e9"), ("Anna", "Hanna"), ("C", "C++"), ("+", "-"), ("A1", "A 1"), ("", "x")]
)
def test_names_that_differ_have_other_keys_unless_by_punctuation_alone(one: str, other: str):
    assert (key(one) == key(other)) == (one == "C")


@given(st.text(max_size=30))
def test_a_key_is_its_own_key_in_every_form(name: str):
    assert key(key(name)) == key(name)
    for form in ("NFC", "NFD"):
        assert key(unicodedata.normalize(form, name)) == key(name)
    assert key(f"  {name}\n") == key(name)


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Jos\u00e9 P\u00e9rez", "Jose Perez", "accents"),
        ("Meyer, Anna", "Anna Meyer", "same words"),
        ("Acme GmbH", "Acme", "legal form"),
        ("The Acme Company", "Acme Inc.", "legal form"),
        ("A. Meyer", "Anna Meyer", "initials"),
        ("Anna Meyer", "Anna Meier", "spelling"),
        ("Microsft", "Microsoft", "spelling"),
    ],
)
def test_a_likely_duplicate_is_told_with_its_reason(one: str, other: str, why: str):
    found = likeness(one, other)
    assert (found.why, found.score >= LIKELY, found.score < 1) == (why, True, True)
    assert likeness(other, one) == found


@pytest.mark.parametrize(
    ("one", "other"),
    [("Flat 12", "Flat 13"), ("Anna Meyer", "Bob Jones"), ("A. B.", "Anna Bell"), ("Acme", ""), ("\u200b", "\u200b")],
)
def test_what_is_not_alike_is_not_called_so(one: str, other: str):
    assert likeness(one, other).score < LIKELY


@given(st.text(max_size=400), st.text(max_size=400))
def test_likeness_is_between_nothing_and_everything_and_sees_both_sides(one: str, other: str):
    found = likeness(one, other)
    assert 0 <= found.score <= 1
    assert likeness(other, one) == found
    if key(one):
        assert likeness(one, one).score == 1


def test_the_best_of_all_names_and_aliases_counts():
    assert best(["Acme", "ACM"], ["Nothing", "acme!"]).score == 1
    assert best([], ["x"]).score == 0
