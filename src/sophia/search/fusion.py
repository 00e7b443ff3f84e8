"""Reciprocal rank fusion: several rankings of the same things as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

K = 60
"""How little the first ranks count more than the later ones."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One candidate, its fused score, and its rank, from 1, in each signal that found it."""

    id: str
    score: float
    ranks: dict[str, int]


def fuse(rankings: Mapping[str, Sequence[str]], k: int = K) -> list[Fused]:
    """The union of all rankings, best first.

    Each thing's score is the sum of `1 / (k + rank)` over the signals that found it. The order of the signals does not
    matter; equal scores go by best rank, then by id.
    """
    ranks: dict[str, dict[str, int]] = {}
    for signal, ranking in sorted(rankings.items()):
        for rank, found in enumerate(dict.fromkeys(ranking), 1):
            ranks.setdefault(found, {})[signal] = rank
    fused: list[tuple[float, int, str, Fused]] = []
    for found, at in ranks.items():
        ordered = sorted(at.values())
        score = sum([1 / (k + rank) for rank in ordered])
        fused.append((-score, ordered[0], found, Fused(found, score, at)))
    return [one for *_, one in sorted(fused, key=itemgetter(0, 1, 2))]
