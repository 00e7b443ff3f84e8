"""The blended order of the best candidates: what each signal says of one, against what it says of the others."""

from collections.abc import Sequence
from statistics import fmean, pstdev

BLENDED = 50
"""How many of the best candidates are ordered anew."""
COMPARED = 20
"""Of how many of them the words are compared, one by one."""


def standing(values: Sequence[float]) -> list[float]:
    """How far each value lies from the middle of all, in standard deviations."""
    middle, spread = fmean(values), pstdev(values)
    return [(value - middle) / spread if spread > 0 else 0.0 for value in values]


def blended(bm25: Sequence[float], dense: Sequence[float], likeness: Sequence[float]) -> list[int]:
    """The order, as places in what was given, by `z(2·MaxSim + BM25 + dense)`; more is better in all three.

    `likeness` is told of the first COMPARED at most. They are weighed against each other; the rest follow behind them,
    weighed against each other by the two signals that they have.
    """
    compared = len(likeness)
    first = _weighed(0, [likeness, likeness, bm25[:compared], dense[:compared]])
    return first + _weighed(compared, [bm25[compared:], dense[compared:]])


def _weighed(start: int, signals: Sequence[Sequence[float]]) -> list[int]:
    """The places from `start` on, by what the signals come to together."""
    sums = [sum(each) for each in zip(*(standing(values) for values in signals if values), strict=True)]
    return [start + at for at in sorted(range(len(sums)), key=lambda at: (-sums[at], at))]
