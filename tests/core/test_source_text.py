"""A text has one stored form, in which offsets are counted."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from sophia.core import source_text
from sophia.core.errors import TooLarge
from sophia.core.source_text import Origin, stored


@pytest.mark.guarantee("V3")
@given(st.text(st.characters(codec=None)))
def test_storing_twice_changes_nothing(text: str) -> None:
    once = stored(text)
    assert stored(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert not {"\r", "\0"} & set(once)
    once.encode("utf-8")


@pytest.mark.guarantee("V3")
def test_line_ends_marks_and_forms_become_one() -> None:
    assert stored("\ufeffcafe\u0301\r\nnext\rlast\n") == "caf\u00e9\nnext\nlast\n"


def test_what_a_database_cannot_hold_is_shown_as_replaced_and_moves_no_offset() -> None:
    assert stored("a\0b\ud800c") == "a\ufffdb\ufffdc"


def test_compatibility_forms_and_inner_marks_stay_as_they_were_written() -> None:
    assert stored("o\ufb03ce \u00a0 \u00ad \ufeff x\u00b2") == "o\ufb03ce \u00a0 \u00ad \ufeff x\u00b2"


def test_a_text_beyond_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_text, "MAX_CHARACTERS", 5)
    assert stored("12345") == "12345"
    with pytest.raises(TooLarge):
        stored("123456")


def test_another_text_has_another_revision() -> None:
    assert source_text.revision("a") != source_text.revision("a ")
    assert source_text.revision("a") == source_text.revision("a")


def test_only_what_an_agent_wrote_grounds_nothing() -> None:
    assert [origin for origin in Origin if not origin.grounds] == [Origin.AGENT]
