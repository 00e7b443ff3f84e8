"""One ranking of what several signals found, in pages: the end of every search, whatever is searched."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sophia.core.listing import Part
from sophia.core.page import Key, Window
from sophia.search.fusion import Fused, K, fuse


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found, best first; scores fall along it, and compare within it only."""

    found: list[Fused]

    @classmethod
    def of(cls, signals: Mapping[str, Sequence[str]]) -> "Ranking":
        """The signals, fused."""
        return cls(fuse(signals))

    @property
    def ids(self) -> list[str]:
        return [one.id for one in self.found]

    def reordered(self, order: Sequence[int], name: str) -> "Ranking":
        """The first `len(order)` in this order instead. A score then tells the place and nothing else."""
        first = [self.found[at] for at in order]
        moved = [replace(one, ranks={**one.ranks, name: rank}) for rank, one in enumerate(first, 1)]
        whole = moved + self.found[len(order) :]
        return Ranking([replace(one, score=1 / (K + rank)) for rank, one in enumerate(whole, 1)])

    def led_by(self, leading: Sequence[str]) -> "Ranking":
        """These first, as far as they were found."""
        if not leading:
            return self
        places = {document_id: place for place, document_id in enumerate(leading)}
        whole = sorted(self.found, key=lambda one: places.get(one.id, len(places)))
        best = 0.0
        told: list[Fused] = []
        for one in reversed(whole):
            best = max(best, one.score)
            told.append(one if one.score == best else replace(one, score=best))
        return Ranking(told[::-1])

    def part(self, window: Window, column: str) -> Part:
        """The part of the window, best first: behind what the last one ended with, wherever that ranks by now.

        Where that is gone, behind the rank that it had.
        """
        ids, first = self.ids, 0
        if window.after is not None:
            rank, last = window.after
            first = ids.index(str(last)) + 1 if last in ids else int(rank or 0)
        chosen = ids[first : first + window.limit]
        keys: list[Key] = [(first + n, each) for n, each in enumerate(chosen, 1)]
        return Part([{column: each} for each in chosen], keys, len(ids), more=first + len(chosen) < len(ids))
