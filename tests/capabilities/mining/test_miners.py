"""What a text says that needs no understanding to be read."""

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.miners import MAX_MINED, mined

NOTE = """---
title: Kickoff
author: Anna Meier
date: 2026-03-12
tags: [alpha, "beta"]
draft: true
nested:
  - not: read
---
# Kickoff

Due: 12 March 2026
**Total:** 1,200.50 EUR
- **Budget**: €12.30
Website: https://example.com/kickoff
Wir treffen uns: irgendwann
Contact: Anna Meier <anna@example.com>, or [Bob Roe](mailto:bob@example.org)
See https://doi.org/10.1000/xyz123. and RFC 9110, arXiv:2401.01234, ISBN 978-0-306-40615-7, ISBN 978-0-306-40615-8.

| Person | Born | City |
|---|---|---|
| Cleo Sato | 1990-01-02 | **Berlin** |
| Dan Hall | 1 February 1980 | Rome |

| Command | What it does |
|---|---|
| make | builds |
"""


def found(text: str) -> set[tuple[str | None, str, str, str]]:
    return {
        (one.subject.name if one.subject else None, one.predicate, one.object, one.object_type.value)
        for one in mined(text)
    }


def test_a_note_says_what_stands_in_it_and_nothing_else():
    assert found(NOTE) == {
        (None, "author", "Anna Meier", "text"),
        (None, "dated_on", "2026-03-12", "date"),
        (None, "category", "alpha", "text"),
        (None, "category", "beta", "text"),
        (None, "due_on", "2026-03-12", "date"),
        (None, "total", "1,200.50 EUR", "amount"),
        (None, "budget", "€12.30", "amount"),
        (None, "website", "https://example.com/kickoff", "url"),
        ("Anna Meier", "email", "anna@example.com", "email"),
        ("Bob Roe", "email", "bob@example.org", "email"),
        (None, "cites", "10.1000/xyz123", "text"),
        (None, "cites", "RFC 9110", "text"),
        (None, "cites", "2401.01234", "text"),
        (None, "cites", "978-0-306-40615-7", "text"),
        ("Cleo Sato", "born_on", "1990-01-02", "date"),
        ("Cleo Sato", "city", "Berlin", "text"),
        ("Dan Hall", "born_on", "1980-02-01", "date"),
        ("Dan Hall", "city", "Rome", "text"),
    }


def test_a_name_is_told_without_the_words_before_it():
    assert found("Copyright Anna Meier <anna@example.com>") == {("Anna Meier", "email", "anna@example.com", "email")}
    assert found("Contact anna <anna@example.com>") == set()


def test_a_table_whose_label_says_what_stands_below_it_is_read():
    assert found("| Package | Licence |\n|---|---|\n| `click` | BSD-3-Clause |\n") == {
        ("click", "licence", "BSD-3-Clause", "text")
    }


@pytest.mark.parametrize(
    "text",
    [
        "Due: 01/02/2026",  # the first of February or the second of January
        "Total: 1,200 EUR",  # one thousand two hundred, or one and a fifth
        "Total: 12 $",  # which dollar
        "Due: some day in March 2026",
        "He said: 12 March 2026 was fine, and then left.",
        "author: Anna",  # no front matter
        "---\nauthor: Anna\n",  # never closed
        "a@b <not an address>",
        "10.5/3 is no DOI, RFC 1 no RFC, ISBN 123 no ISBN",
        "| a | b |\n| 1 | 2 |",  # no table
        "| Name | Note |\n|---|---|\n| x | plain words |",
        "| Name | Born |\n|---|---|\n| x | 1990-01-01 |\n| x | 1991-01-01 |",  # who is x?
        "| No | Born |\n|---|---|\n| 1 | 1990-01-01 |",
    ],
)
def test_what_could_be_misread_is_not_read(text: str):
    assert mined(text) == []


def test_the_same_statement_is_taken_once_and_a_long_text_gives_so_many():
    assert len(mined("Due: 2026-03-12\n" * 50)) == 1
    many = "\n".join(f"Cost {'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}: {n + 1}.50 EUR" for n in range(500))
    assert len(mined(many)) == MAX_MINED


LINES = st.sampled_from(NOTE.splitlines()) | st.text(max_size=80)


@given(st.lists(LINES, max_size=30))
def test_every_statement_stands_where_it_says(lines: list[str]):
    text = "\n".join(lines)
    for one in mined(text):
        assert text[one.start : one.start + len(one.quote)] == one.quote
        assert 0 < len(one.quote) <= 300
        assert one.object_type is not ValueType.TEXT or one.object in one.quote.replace("*", "")
