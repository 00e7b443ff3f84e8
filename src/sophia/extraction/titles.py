"""What a file is called by: one line, from its own words or its name."""

from pathlib import PurePath

from sophia.core.source_text import stored

MAX_TITLE = 200


def titled(name: str, *said: str | None) -> str:
    """The first of the titles that says something, else the file's name without its ending."""
    return next(filter(None, map(_line, said)), None) or _line(PurePath(name).stem) or "untitled"


def _line(title: str | None) -> str:
    return " ".join(stored((title or "")[: 2 * MAX_TITLE]).split())[:MAX_TITLE].strip()
