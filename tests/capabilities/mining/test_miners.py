"""What a text says that needs no understanding to be read."""

import time

import pytest
from hypothesis import given, strategies as st

from sophia.capabilities.knowledge.values import ValueType
from sophia.capabilities.mining.miners import MAX_MINED, mined
from sophia.capabilities.mining.typed import said

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
    many = "\n".join(
        f"Cost {'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}{'uvwxy'[n // 100]}: {n + 1}.50 EUR"
        for n in range(500)
    )
    assert len(mined(many)) == MAX_MINED


@pytest.mark.parametrize(
    "text",
    [
        "```\nDue: 2026-03-12\nAnna Meier <anna@example.com> RFC 9110\n```\n",
        "~~~~ text\nDue: 2026-03-12\n~~~\n| a | Born |\n|---|---|\n| x | 1990-01-01 |\n",  # never closed
        "> ```\n> RFC 9110\n> ```\n",
        "- ```yaml\n  Due: 2026-03-12\n  ```\n",
        "See `RFC 9110`, ``10.1000/xyz`` and `Anna Meier <anna@example.com>`.",
        "Due: `2026-03-12`",
        "<!-- Due: 2026-03-12\nTotal: 12.30 EUR -->\n<!-- RFC 9110",
        "---\nwhen:\n  date: 2026-03-12\n---\n",  # of something in it, and not of the document
    ],
)
def test_code_and_comments_say_nothing_of_the_document(text: str):
    assert found(text) == set()
    assert found(f"{text}\n") == set()


def test_what_stands_around_code_and_comments_is_read():
    text = "`one` RFC 9110 `two`\n<!-- a --> RFC 2119\n```\nRFC 1149\n```\nDue: 2026-03-12\n```inline``` RFC 8259\n"
    assert {one[2] for one in found(text)} == {"RFC 9110", "RFC 2119", "2026-03-12", "RFC 8259"}


def test_a_label_with_several_values_says_none_and_the_others_stay():
    text = "Total: 12.30 EUR\nDue: 2026-03-12\nTotal: 99.00 EUR\nEmail: a@example.com\nEmail: b@example.com\n"
    assert {one[1:3] for one in found(text)} == {
        ("due_on", "2026-03-12"), ("email", "a@example.com"), ("email", "b@example.com"),
    }  # fmt: skip
    assert found("---\nversion: 1.0\nreviewer: [Anna, Bob]\n---\nVersion: 2026-03-12\n") == {
        (None, "reviewer", "Anna", "text"), (None, "reviewer", "Bob", "text"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Thanks to Cleo Sato and Bob Roe <bob@example.org>.", "Bob Roe"),
        ("Cleo Sato, Bob Roe <bob@example.org>", "Bob Roe"),
        ("Please ask Bob Roe <bob@example.org>", "Bob Roe"),
        ("Ask Bob Roe <bob@example.org>", "Bob Roe"),
        ("It rained in Berlin. Bob Roe <bob@example.org> wrote:", "Bob Roe"),
        ('"Bob Roe" <bob@example.org>', "Bob Roe"),
        ("- Dr. Ludwig van Roe <ludwig@example.org>", "Ludwig van Roe"),
        ("Visit Bob Roe <b@example.org>", None),  # is he called Visit?
        ("Cleo Sato and others <bob@example.org>", None),
        ("Cleo Sato: see bob@example.org", None),
        ("Bob Roe (via Forms) <bob@example.org>", None),
        ("Acme Support <support@example.org>", None),
        ("Acme Weather Office <info@example.org>", None),
        ("| Role | Name | Email |\n|---|---|---|\n| Pilot | Bob Roe | bob@example.org |\n", None),
    ],
)
def test_an_address_is_whose_name_stands_directly_with_it(text: str, name: str | None):
    assert {one[0] for one in found(text) if one[3] == "email"} == ({name} if name else set())


RUNS = (
    " ", "\t", ".", "@", "1", "\u0663", ":", "|", ",", "a", "A", "<", '"', "'", "-", "_", "*", "`", "[", "(", "\n",
    "a.", "A'", "a@", "@a.", "`a", "``a`", "<!--", "```\n", "|-", "--|--\n", "|-|\n", "a: ", "a:\n", "Due: 1", "A b ",
    "Ab ", "a@b.", "<a@b.c>", "](mailto:a@b.c", "10.1234/", "10.1234/a ", "ISBN 1-", "RFC 1", "1 May ", "| a | 1 |\n",
)  # fmt: skip
BEFORE = ("", "---\na: b", "Due: a", "| a | b |\n|---|---|\n| c | d")


@pytest.mark.parametrize("before", BEFORE)
def test_no_text_takes_longer_than_its_length_says(before: str):
    def took(size: int) -> float:
        texts = [before + run * (size // len(run)) + end for run in RUNS for end in ("", "x\n---\n")]
        started = time.process_time()
        for text in texts:
            mined(text)
        return time.process_time() - started

    small = took(1_000)
    assert took(4_000) < 8 * small + 0.2
    assert small < 1


def test_a_value_of_blanks_and_signs_is_soon_none():
    started = time.process_time()
    for run in (" " * 50 + "_", "_ ", "’", "1 ", "."):
        assert said(run * (1900 // len(run))) is None
    assert time.process_time() - started < 0.5


LINES = st.sampled_from(NOTE.splitlines()) | st.text(max_size=80)


@given(st.lists(LINES, max_size=30))
def test_every_statement_stands_where_it_says(lines: list[str]):
    text = "\n".join(lines)
    for one in mined(text):
        assert text[one.start : one.start + len(one.quote)] == one.quote
        assert 0 < len(one.quote) <= 300
        assert one.object_type is not ValueType.TEXT or one.object in one.quote.replace("*", "")
