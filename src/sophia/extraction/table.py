"""Tables of text (CSV, TSV): a line for each record, its cells apart by tabs."""

import csv
import io

from sophia.core.source_text import stored
from sophia.extraction.cells import line_of
from sophia.extraction.composition import Composition
from sophia.extraction.encodings import decoded
from sophia.extraction.extracted import Extracted, Refused
from sophia.extraction.kinds import CSV, TSV
from sophia.extraction.limits import Limits
from sophia.extraction.titles import titled

SEPARATORS = ",;\t|"
"""What may stand between cells, the likeliest first."""
LOOKED_AT = 20
"""By how many records the separator is told."""
MAX_CELL = 1_000_000


def comma_separated(data: bytes, name: str, limits: Limits) -> Extracted:
    """The records of a CSV file, whatever separates its cells; the first is its header."""
    text = decoded(data).removeprefix("\ufeff")
    return _table(text, _separator(text), name, CSV, limits)


def tab_separated(data: bytes, name: str, limits: Limits) -> Extracted:
    """The records of a TSV file; the first is its header."""
    return _table(decoded(data).removeprefix("\ufeff"), "\t", name, TSV, limits)


def _table(text: str, separator: str, name: str, mime: str, limits: Limits) -> Extracted:
    composition = Composition(limits)
    if len(text) > 4 * limits.characters:
        raise Refused("too_large", f"Its text is longer than {limits.characters} characters.")
    csv.field_size_limit(MAX_CELL)
    records = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=False)
    line, header = 1, True
    try:
        for cells in records:
            place = f"header, line {line}" if header else f"line {line}"
            said = line_of(cells)
            composition.add(said, place)
            header, line = header and not said, records.line_num + 1
    except csv.Error as error:
        if "field limit" in str(error):
            raise Refused("too_large", f"Line {line} holds a cell of more than {MAX_CELL} characters.") from error
        raise Refused("corrupt", f"This is no table: line {line} cannot be read.") from error
    return composition.extracted(titled(name), mime)


def _separator(text: str) -> str:
    """What gives the first records the same number of cells, and the most of them."""
    sample = io.StringIO(stored(text[:200_000]), newline="")
    best, most = SEPARATORS[0], 1
    for separator in SEPARATORS:
        sample.seek(0)
        widths = _widths(sample, separator)
        if widths and min(widths) == max(widths) > most:
            best, most = separator, widths[0]
    return best if most > 1 else max(SEPARATORS, key=text.partition("\n")[0].count)


def _widths(sample: io.StringIO, separator: str) -> list[int]:
    try:
        records = (cells for cells in csv.reader(sample, delimiter=separator) if cells)
        return [len(cells) for cells, _ in zip(records, range(LOOKED_AT), strict=False)]
    except csv.Error:
        return []
