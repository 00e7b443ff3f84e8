"""The part of a passage that is shown for a search, cut from the row itself."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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


def snippet(passage: str, terms: Sequence[str], width: int = WIDTH) -> Snippet:
    """The stretch of at most `width` characters that shows most of the different terms, else the beginning.

    `terms` are as `lexicon.terms` gives them.
    """
    hits = _hits(passage, terms)
    start, end = _window(passage, hits, width)
    shown = tuple((left, right) for left, right, _ in hits if start <= left and right <= end)
    return Snippet(passage[start:end], start, end, shown)


def _hits(passage: str, terms: Sequence[str]) -> list[tuple[int, int, str]]:
    """Where which term stands, in order and without overlaps: whole words by their stem, CJK wherever it is."""
    found: list[tuple[int, int, str]] = []
    stems = {_stem(term): term for term in terms if _WORD.fullmatch(term) and not _CASELESS.search(term)}
    for match in _candidates(passage, stems):
        stem = _stem(match[0])
        if stem in stems:
            found.append((match.start(), match.end(), stems[stem]))
    for term in terms:
        if _stem(term) not in stems:
            pattern = r"\s+".join(re.escape(part) for part in term.split())
            found += [(match.start(), match.end(), term) for match in re.finditer(pattern, passage, re.IGNORECASE)]
    found.sort(key=lambda hit: (hit[0], -hit[1]))
    apart: list[tuple[int, int, str]] = []
    for hit in found:
        if hit[0] < hit[1] and (not apart or hit[0] >= apart[-1][1]):
            apart.append(hit)
    return apart


def _candidates(passage: str, stems: Iterable[str]) -> Iterator[re.Match[str]]:
    """The words that may have one of the stems: those that begin like one, and those that folding changes."""
    beginnings = sorted({re.escape(stem[:_KEPT]) for stem in stems})
    if not beginnings:
        return iter(())
    meant = rf"(?:{'|'.join(beginnings)})\w*"
    if not passage.isascii():
        meant = rf"(?:{meant}|\w*[^\W\x00-\x7f]\w*)"
    return re.finditer(rf"(?<!\w){meant}", passage, re.IGNORECASE)


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


def _stem(word: str) -> str:
    """The word without its accents and its ending, as far as showing it needs."""
    word = _fold(word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _KEPT:
            root = word[: -len(ending)]
            return root[:-1] if len(root) > _KEPT and root[-1] == root[-2] else root
    return word
