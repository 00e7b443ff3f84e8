"""A text in passages: nothing lost, offsets exact, no passage too long."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from sophia.search.passages import LONGEST, OVERLAP, TARGET, Passage, passages

PARAGRAPH = "This sentence is one of many that say little. " * 8


def held(text: str, found: list[Passage]) -> None:
    covered: set[int] = set()
    for passage in found:
        assert 0 <= passage.start < passage.end <= len(text)
        assert passage.end - passage.start <= LONGEST
        assert not text[passage.start].isspace()
        assert not text[passage.end - 1].isspace()
        covered.update(range(passage.start, passage.end))
    for before, after in pairwise(found):
        assert before.start < after.start
        assert before.end < after.end
        assert before.end - after.start <= OVERLAP
    assert all(text[at].isspace() for at in set(range(len(text))) - covered)


pieces = st.sampled_from(
    [
        "word ",
        "A sentence. ",
        "\n",
        "\n\n",
        "# Head\n",
        "```\n",
        "文。",
        "x" * 700,
        PARAGRAPH,
        "\u3000",
        "\U0001f389",
        "~~~\n",
    ]
)


@given(st.lists(pieces, max_size=40).map("".join))
def test_everything_but_white_space_is_in_a_passage_and_none_is_too_long(text: str):
    held(text, passages(text))


@given(st.text(max_size=200))
def test_a_short_text_is_held_too(text: str):
    held(text, passages(text))


def test_a_heading_begins_a_passage_and_names_it():
    text = "Before.\n\n# One\n\nText one.\n\n## Two ##\nText two.\n"
    found = [(text[p.start : p.end], p.heading) for p in passages(text)]
    assert found == [("Before.", None), ("# One\n\nText one.", "One"), ("## Two ##\nText two.", "Two")]


def test_a_heading_with_nothing_under_it_stays_with_the_next():
    text = "# Title\n\n## Part\n\nText.\n# Alone\n"
    found = [(text[p.start : p.end], p.heading) for p in passages(text)]
    assert found == [("# Title\n\n## Part\n\nText.", "Part"), ("# Alone", "Alone")]


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_comment_in_code_is_no_heading(fence: str):
    text = f"# Real\n\n{fence}python\n# not a heading\n``\n{fence}\n\n# After\n"
    assert [p.heading for p in passages(text)] == ["Real", "After"]


def test_paragraphs_are_kept_whole_where_they_fit():
    text = "\n\n".join(f"{number} {PARAGRAPH.strip()}" for number in range(12))
    for passage in passages(text):
        assert text[passage.start].isdigit()
        assert text[: passage.end].endswith(".")
        assert TARGET // 2 < passage.end - passage.start <= LONGEST


def test_a_long_paragraph_is_cut_after_sentences_and_repeats_at_most_one():
    text = PARAGRAPH * 20
    found = passages(text)
    assert len(found) > 3
    for before, after in pairwise(found):
        assert text[: before.end].endswith(".")
        assert text[after.start :].startswith("This")
        assert 0 < before.end - after.start <= OVERLAP


def test_a_text_without_any_break_is_cut_all_the_same():
    assert [(p.start, p.end) for p in passages("x" * 2500)] == [(0, 1200), (1200, 2400), (2400, 2500)]
    assert passages("") == []
    assert passages(" \n\t") == []
