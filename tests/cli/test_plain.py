"""What others wrote, on a terminal."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from sophia.cli.plain import plain, several_lines


@pytest.mark.guarantee("P12")
@given(st.text())
def test_nothing_that_acts_or_hides_is_left(text: str):
    shown = plain(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("Ada", "Ada"),
        ("Žofie 日本", "Žofie 日本"),
        ("a\x1b[2Jb", "a\\u{1b}[2Jb"),
        ("a\u202eb", "a\\u{202e}b"),
    ],
)
def test_the_rest_stays_as_it_is(text: str, shown: str):
    assert plain(text) == shown


def test_lines_may_break_where_there_is_room_for_them():
    assert several_lines("a\r\nb\tc\x07") == "a\\u{d}\nb    c\\u{7}"
