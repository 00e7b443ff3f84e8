"""What every search by words says of itself: which signals ran, and why each hit stands where it does."""

from collections.abc import Mapping, Sequence

from sophia.core.page import Row
from sophia.core.scope import Scope
from sophia.search.fusion import Fused, K

PAGE: dict[str, object] = {
    "fusion": {
        "type": "object",
        "properties": {
            "method": {"const": "rrf"},
            "k": {"type": "integer"},
            "signals": {"type": "array", "items": {"enum": ["bm25", "dense"]}},
        },
        "required": ["method", "k", "signals"],
    },
    "reranked": {"type": "boolean"},
    "no_match": {"type": "boolean"},
    "total_is_capped": {"type": "boolean"},
}
"""The schemas of what a page of hits says besides them."""


class Explanation(Row, frozen=True):
    """Why a hit stands where it does: its rank in each signal, and the signals' scores where they may be told."""

    ranks: dict[str, int]
    scores: dict[str, float] | None = None


def of(
    signals: Sequence[str], *, reranked: bool = False, found: bool = True, capped: bool = False
) -> dict[str, object]:
    """What a search says of itself."""
    told: dict[str, object] = {
        "fusion": {"method": "rrf", "k": K, "signals": list(signals)},
        "reranked": reranked,
    }
    return {**told, **({} if found else {"no_match": True}), **({"total_is_capped": True} if capped else {})}


def explained(one: Fused, scored: Mapping[str, Mapping[str, float]], scope: Scope) -> Explanation:
    """The ranks among what the caller can see, and the scores of the signals.

    BM25 weighs words by the whole corpus, and so would tell of what is hidden: only who sees all is told it.
    """
    scores = {
        name: round(values[one.id], 4)
        for name, values in scored.items()
        if one.id in values and (name != "bm25" or scope.is_all)
    }
    return Explanation(ranks=one.ranks, scores=scores or None)
