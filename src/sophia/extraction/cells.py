"""The cells of a row, as they are shown."""

import datetime as dt
from collections.abc import Sequence


def line_of(cells: Sequence[object]) -> str:
    """The cells apart by tabs, on one line, without the empty ones at its end; empty where nothing is shown."""
    return "\t".join(map(shown, cells)).rstrip("\t ")


def shown(cell: object) -> str:
    """A value as a person reads it: whole numbers without a fraction, dates as ISO 8601."""
    match cell:
        case None:
            return ""
        case str():
            return " ".join(cell.split("\n")).replace("\t", " ").replace("\r", "").strip()
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return f"{cell:.15g}"
        case dt.datetime():
            return cell.isoformat(" ").removesuffix(" 00:00:00")
        case _:
            return str(cell)
