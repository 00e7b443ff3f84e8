"""What a measurement comes to: a median, its spread, and how it stands to what it was measured against."""

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the table. `samples` has one value for each round."""

    what: str
    unit: str
    samples: list[float]
    against: str = ""
    ratios: list[float] = []
    """Round by round, against the named peer's value of the same round."""
    at_most: float | None = None
    """What is to be reached: of the ratio where there is one, of the value else."""
    note: str = ""

    @property
    def value(self) -> float:
        return median(self.samples)

    @property
    def ratio(self) -> float | None:
        return median(self.ratios) if self.ratios else None

    @property
    def reached(self) -> bool | None:
        """Whether it is; `None` where nothing was to be reached."""
        if self.at_most is None:
            return None
        return (self.value if self.ratio is None else self.ratio) <= self.at_most


def compared(what: str, own: Sequence[float], against: str, other: Sequence[float], at_most: float) -> Figure:
    """A figure in microseconds of CPU, held against a peer's of the same rounds."""
    return Figure(what, "µs", list(own), against, [a / b for a, b in zip(own, other, strict=True)], at_most)


def percentile(values: Iterable[float], share: float) -> float:
    """The value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
