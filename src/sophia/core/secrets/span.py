"""Where a secret stands in a text, and of what kind it is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The secret at `start:end`."""

    start: int
    end: int
    kind: str
