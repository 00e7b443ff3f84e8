"""What people are shown: tables while there is room for them, and nothing that only fills lines."""

from typing import Any

import pytest

from sophia.cli.screen import Screen

NAMES = {name: name for name in ("one", "two", "three", "four", "five")}


def row(width: int) -> dict[str, Any]:
    return {name: name[0] * width for name in NAMES}


def test_a_table_stays_one_while_its_words_have_room(capsys: pytest.CaptureFixture[str]):
    Screen().table([row(20), row(10)], NAMES, "none")
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [*NAMES]
    assert lines[3].split() == [*row(20).values()]
    assert lines[4].split() == [*row(10).values()]


def test_rows_that_have_no_room_beside_each_other_stand_below(capsys: pytest.CaptureFixture[str]):
    Screen().table([row(40), {**row(40), "two": None}], NAMES, "none")
    shown = capsys.readouterr().out
    first, second = shown.strip().split("\n\n")
    assert [line.split() for line in first.splitlines()] == [[name, name[0] * 40] for name in NAMES]
    assert "two" not in second


def test_a_narrow_table_breaks_its_words(capsys: pytest.CaptureFixture[str]):
    Screen().table([{"check": "folder", "told": "x" * 200}], {"check": "check", "told": "found"}, "none")
    shown = capsys.readouterr().out
    assert shown.count("x") == 200
    assert "folder" in shown.splitlines()[3]


def test_no_line_ends_in_blanks_and_what_is_empty_is_not_named(capsys: pytest.CaptureFixture[str]):
    Screen().pairs({"status": "ok", "a longer name": "a longer value", "reasons": [], "none": None, "count": 0})
    assert capsys.readouterr().out == "status         ok\na longer name  a longer value\ncount          0\n"


def test_a_passage_keeps_its_lines_and_acts_on_no_terminal(capsys: pytest.CaptureFixture[str]):
    Screen().passage("Boats (doc-1)", "Boats\n\nTern    7.4\x1b[2J\n")
    Screen().passage("Tern (e-1)", "")
    assert capsys.readouterr().out == "Boats (doc-1)\n    Boats\n    Tern    7.4\\u{1b}[2J\n\nTern (e-1)\n\n"
