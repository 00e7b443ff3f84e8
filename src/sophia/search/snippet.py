"""The part of a passage that is shown for a search, cut from the row itself."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

WIDTH = 240

_WORD = re.compile(r"\w+")
_CASELESS = re.compile("[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323af]")
_KEPT = 3
"""So many letters of a word its stem has at least."""
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "edly", "ies", "ed", "es", "ly", "s", "e", "y")


@dataclass(frozen=True, slots=True)
class Snippet:
    """`text` stands at `start:end` of the passage; `highlights` are spans of the passage inside it."""

    text: str
    start: int
    end: int
    highlights: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Meant:
    """What terms look like where they stand: words by their stems, and the others as they are written."""

    stems: dict[str, str]
    begun: re.Pattern[str] | None
    """The words of a lower-case ASCII passage that begin like one of the stems."""
    begun_or_folded: re.Pattern[str] | None
    """The same of any passage, and the words that folding changes."""
    written: tuple[tuple[re.Pattern[str], str], ...]


def snippet(passage: str, terms: Sequence[str], width: int = WIDTH) -> Snippet:
    """The stretch of at most `width` characters that shows most of the different terms, else the beginning.

    `terms` are as `lexicon.terms` gives them.
    """
    hits = _hits(passage, _meant(tuple(terms)))
    start, end = _window(passage, hits, width)
    shown = tuple((left, right) for left, right, _ in hits if start <= left and right <= end)
    return Snippet(passage[start:end], start, end, shown)


@lru_cache(maxsize=32)
def _meant(terms: tuple[str, ...]) -> _Meant:
    stems = {_stem(term): term for term in terms if _WORD.fullmatch(term) and not _CASELESS.search(term)}
    begun = rf"\b(?:{'|'.join(sorted({re.escape(stem[:_KEPT]) for stem in stems}))})\w*"
    patterns = [(re.compile(r"\s+".join(map(re.escape, term.split())), re.IGNORECASE), term)
                for term in terms if _stem(term) not in stems]  # fmt: skip
    return _Meant(
        stems,
        re.compile(begun) if stems else None,
        re.compile(rf"{begun}|\b\w*[^\W\x00-\x7f]\w*", re.IGNORECASE) if stems else None,
        tuple(patterns),
    )


def _hits(passage: str, meant: _Meant) -> list[tuple[int, int, str]]:
    """Where which term stands, in order and without overlaps: whole words by their stem, CJK wherever it is."""
    found = [
        (match.start(), match.end(), meant.stems[stem])
        for match in _candidates(passage, meant)
        if (stem := _stem(match[0])) in meant.stems
    ]
    for pattern, term in meant.written:
        found += [(match.start(), match.end(), term) for match in pattern.finditer(passage)]
    found.sort(key=lambda hit: (hit[0], -hit[1]))
    apart: list[tuple[int, int, str]] = []
    for hit in found:
        if hit[0] < hit[1] and (not apart or hit[0] >= apart[-1][1]):
            apart.append(hit)
    return apart


def _candidates(passage: str, meant: _Meant) -> Iterator[re.Match[str]]:
    if meant.begun is None or meant.begun_or_folded is None:
        return iter(())
    return meant.begun.finditer(passage.lower()) if passage.isascii() else meant.begun_or_folded.finditer(passage)


def _window(passage: str, hits: list[tuple[int, int, str]], width: int) -> tuple[int, int]:
    if len(passage) <= width or not hits:
        return _between_words(passage, 0, min(width, len(passage)))
    starts = [left for left, _, _ in hits]
    best, best_terms = 0, 0
    for first, (left, _, _) in enumerate(hits):
        inside = [hit for hit in hits[first : bisect_left(starts, left + width)] if hit[1] <= left + width]
        seen = len({term for _, _, term in inside})
        if seen > best_terms:
            best, best_terms = first, seen
    left, right, _ = hits[best]
    last = max([hit[1] for hit in hits[best:] if hit[1] <= left + width], default=right)
    start = max(0, min(left - max(0, width - (last - left)) // 3, len(passage) - width))
    return _between_words(passage, start, min(len(passage), start + width), keep=(left, min(last, start + width)))


def _between_words(passage: str, start: int, end: int, keep: tuple[int, int] | None = None) -> tuple[int, int]:
    """The span moved inwards to the ends of words, without losing what is to be kept."""
    left, right = keep or (end, start + 1)
    while 0 < start < left and passage[start - 1].isalnum() and passage[start].isalnum():
        start += 1
    first, stop = start, end
    while max(right, first + 1) < stop < len(passage) and passage[stop - 1].isalnum() and passage[stop].isalnum():
        stop -= 1
    return first, stop if stop > max(right, first + 1) else end


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    bare = (c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))
    return "".join(bare)


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """The word without its accents and its ending, as far as showing it needs."""
    word = _fold(word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _KEPT:
            root = word[: -len(ending)]
            return root[:-1] if len(root) > _KEPT and root[-1] == root[-2] else root
    return word
