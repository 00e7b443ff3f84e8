"""Of a workbook, the values that are shown are read."""

import datetime as dt
from typing import Any

import pytest

from tests.support.files import docx_of, ods_of, xls_of, xlsx_of
from tests.support.reading import places, read, unread


def write(book: Any) -> None:
    book.remove_timezone = True
    sheet = book.add_worksheet("Bücher e\u0301")
    sheet.write_row(2, 1, ["name", "n", "", "last"])
    sheet.write_row(3, 1, ["Zoe\u0308\nß", 3, 0.1 + 0.2, True])
    sheet.write_formula(5, 27, "=1+1", None, 2)
    day, minute = (book.add_format({"num_format": shown}) for shown in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm"))
    sheet.write_datetime(6, 0, dt.datetime(2026, 3, 12, tzinfo=dt.UTC), day)
    sheet.write_datetime(7, 0, dt.datetime(2026, 3, 12, 9, 30, tzinfo=dt.UTC), minute)
    sheet.write(8, 0, 12345678901234)
    hidden = book.add_worksheet("Hidden")
    hidden.write(0, 0, "secret")
    hidden.hide()
    book.add_worksheet("Empty")


def test_rows_know_their_sheet_and_cell_and_formulas_their_value():
    found = read(xlsx_of(write), "b.xlsx")
    assert places(found) == [
        ("Bücher é", "Bücher é"),
        ("name\tn\t\tlast", "Bücher é!B3"),
        ("Zoë ß\t3\t0.3\tTRUE", "Bücher é!B4"),
        ("2", "Bücher é!AB6"),
        ("2026-03-12", "Bücher é!A7"),
        ("2026-03-12 09:30:00", "Bücher é!A8"),
        ("12345678901234", "Bücher é!A9"),
    ]
    assert found.title == "b"


def test_workbooks_of_other_programs_are_read():
    assert places(read(ods_of([["a", "ß"], ["", "x"]]), "o.ods"))[1:] == [("a\tß", "Data!A1"), ("x", "Data!B2")]
    found = read(xls_of([["name", "n"], ["Zoë", 3.5]]), "o.xls")
    assert places(found)[1:] == [("name\tn", "Old!A1"), ("Zoë\t3.5", "Old!A2")]
    assert found.mime == "application/vnd.ms-excel"


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods", "a.xlsb"])
def test_what_is_no_workbook_is_told(name: str):
    for data in (b"", b"a,b\n", b"%PDF-1.7", docx_of(lambda _: None), xlsx_of(write)[:3000], xls_of([["x"]])[:600]):
        assert unread(data, name).reason == "corrupt"


def test_a_workbook_that_shows_nothing_has_no_text():
    assert unread(xlsx_of(lambda book: book.add_worksheet()), "a.xlsx").reason == "no_text"


def test_more_rows_than_the_bound_are_told():
    def long(book: Any) -> None:
        sheet = book.add_worksheet()
        for row in range(100_000):
            sheet.write(row, 0, row)

    assert unread(xlsx_of(long, constant_memory=True), "a.xlsx").reason == "too_large"


def test_a_sheet_that_reaches_far_over_nothing_is_told():
    def wide(book: Any) -> None:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "x")
        sheet.write(9_999, 999, "y")

    assert unread(xlsx_of(wide), "a.xlsx").reason == "too_large"
