"""Ids: a readable prefix, then something time-ordered that nobody can guess."""

from typing import Protocol

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)


class Ids(Protocol):
    """Where ids come from. Passed in, so that a preview can be compared with the run."""

    def new(self, prefix: str) -> str:
        """A fresh id such as `e-01k9…`: the prefix, a dash, 26 characters that sort by time."""


def ulid(milliseconds: int, entropy: int) -> str:
    """The 26 characters of the ULID specification (48 bits of time, 80 of chance), in lower case."""
    number = (milliseconds << 80) | (entropy & ((1 << 80) - 1))
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])
