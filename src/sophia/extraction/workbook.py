"""Workbooks (XLSX, XLSM, XLSB, XLS, ODS): a line for each row that shows something, its cells apart by tabs."""

import io
from collections.abc import Iterator

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from sophia.extraction.archive import OLE, encrypted, looked_at
from sophia.extraction.cells import line_of, shown
from sophia.extraction.composition import Composition
from sophia.extraction.extracted import Extracted, Refused
from sophia.extraction.kinds import XLS
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled

MAX_CELLS = 5_000_000
"""The largest stretch of a sheet, empty cells counted."""


def workbook(data: bytes, name: str, limits: Limits, mime: str) -> Extracted:
    """The rows of the sheets that are shown: of formulas, the values that were computed last."""
    if mime != XLS or not data.startswith(OLE):
        looked_at(data, limits)
    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        return _extracted(book, name, limits, mime)
    except PasswordError as error:
        raise encrypted() from error
    except CalamineError as error:
        raise Refused("corrupt", "This workbook is damaged.") from error


def _extracted(book: CalamineWorkbook, name: str, limits: Limits, mime: str) -> Extracted:
    composition = Composition(limits)
    for about in book.sheets_metadata:
        if about.visible != SheetVisibleEnum.Visible or about.typ != SheetTypeEnum.WorkSheet:
            continue
        gap = "\n\n"
        for cell, line in _rows(book.get_sheet_by_name(about.name)):
            if gap == "\n\n":
                composition.add(about.name, about.name, gap)
                gap = "\n"
            composition.add(line, f"{about.name}!{cell}", gap)
    return composition.extracted(titled(name), mime)


def _rows(sheet: CalamineSheet) -> Iterator[tuple[str, str]]:
    """The rows that show something: the name of the first cell that does, and the line."""
    if sheet.start is None:
        return
    if sheet.height * sheet.width > MAX_CELLS:
        raise Refused("too_large", f"A sheet reaches over more than {MAX_CELLS} cells.")
    top, left = sheet.start
    for down, cells in enumerate(sheet.to_python()):
        first = next((n for n, cell in enumerate(cells) if shown(cell)), None)
        if first is not None:
            yield f"{_column(left + first)}{top + down + 1}", line_of(cells[first:])


def _column(n: int) -> str:
    """The letters of a column, counted from 0."""
    letters = ""
    n += 1
    while n:
        n, rest = divmod(n - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
