"""What comes of reading a file: its text with where each part of it stood, or why it has none."""

from collections.abc import Callable

import msgspec

from sophia.extraction.limits import Limits


class Piece(msgspec.Struct, frozen=True, array_like=True):
    """`text[start:end]`, in code points of the stored text, and where it stood in the original: `page 3`."""

    start: int
    end: int
    place: str


class Extracted(msgspec.Struct, frozen=True, tag="text"):
    """The stored text of a file, its title and its kind; `pieces`, in order, where a line number would not do."""

    text: str
    title: str
    mime: str
    pieces: tuple[Piece, ...] = ()


class Unextracted(msgspec.Struct, frozen=True, tag="none"):
    """A file without a text, and what to tell of it.

    The reason is one of `not_text`, `unsupported_type`, `too_large`, `encrypted`, `corrupt`, `no_text`, `timed_out`
    and `out_of_memory`.
    """

    reason: str
    message: str


TIMED_OUT = Unextracted("timed_out", "Reading it takes longer than one file may take.")
OUT_OF_MEMORY = Unextracted("out_of_memory", "Reading it takes more memory than one file may have.")


class Refused(Exception):
    """A reader's word that there is no text in this file: it becomes an `Unextracted`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.unextracted = Unextracted(reason, message)


Reader = Callable[[bytes, str, Limits], Extracted]
"""Reads the bytes of a file of that name. `Refused` where it has no text."""
