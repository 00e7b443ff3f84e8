"""When two names are one, and when they are likely to be."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

LIKELY = 0.85
"""From here on two names are shown as a likely duplicate."""
MAX_COMPARED = 200
"""How much of a name is compared."""

_LEGAL_FORMS = (
    "ab ag as bv co company corp corporation gmbh inc incorporated kg limited llc llp ltd nv oy plc pty sa "
    "sarl se spa srl the"
)
_LEGAL = frozenset(_LEGAL_FORMS.split())
_PUNCTUATION = re.compile(r"[^\w\s]|_")


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two names are, from 0 to 1, and why."""

    score: float
    why: str


def key(name: str) -> str:
    """The form under which a name is looked up.

    Equal for names that differ by Unicode form, case, punctuation, white space or invisible characters alone. Accents
    count. A name of punctuation alone keeps it.
    """
    seen = "".join(c for c in name if unicodedata.category(c) not in ("Cf", "Cc") or c.isspace())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
    worded = " ".join(_PUNCTUATION.sub(" ", folded.replace("'", "").replace("’", "")).split())
    return worded or " ".join(folded.split())


def likeness(one: str, other: str) -> Likeness:
    """How alike two names are: `same name`, `same words`, `accents`, `legal form`, `initials` or `spelling`."""
    return compared(key(one), key(other))


def compared(one: str, other: str) -> Likeness:
    """The likeness of two names that are given by their keys."""
    first, second = sorted((one[:MAX_COMPARED], other[:MAX_COMPARED]))
    if not first or not second:
        return Likeness(0.0, "spelling")
    if first == second:
        return Likeness(1.0, "same name")
    first, second = bare(first), bare(second)
    if first == second:
        return Likeness(0.97, "accents")
    left, right = first.split(), second.split()
    if sorted(left) == sorted(right):
        return Likeness(0.95, "same words")
    core, other_core = _core(left), _core(right)
    if core and core == other_core:
        return Likeness(0.93, "legal form")
    if _initials(left, right) or _initials(right, left):
        return Likeness(0.88, "initials")
    return Likeness(round(_ratio(first, second), 4), "spelling")


def best(names: Iterable[str], others: Iterable[str]) -> Likeness:
    """The greatest likeness between any name of one entity and any of another."""
    return best_of_keys([key(name) for name in names], [key(other) for other in others])


def best_of_keys(keys: Iterable[str], others: Sequence[str]) -> Likeness:
    """The greatest likeness between any key of one entity and any of another."""
    return max(
        (compared(one, other) for one in keys for other in others),
        key=lambda found: found.score,
        default=Likeness(0.0, "spelling"),
    )


def bare(text: str) -> str:
    """`text` without its accents."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _core(words: list[str]) -> list[str]:
    return [word for word in words if word not in _LEGAL]


def _initials(short: list[str], long: list[str]) -> bool:
    """Whether `short` writes the words of `long`, at least one of them by its first letter and one in full."""
    pairs = list(zip(short, long, strict=False))
    return (
        len(short) == len(long) > 1
        and all(a == b or (len(a) == 1 and b.startswith(a)) for a, b in pairs)
        and any(a == b and len(a) > 1 for a, b in pairs)
    )


def _ratio(first: str, second: str) -> float:
    """Likeness of spelling. Numbers that differ make names differ: `Flat 12` is not `Flat 13`."""
    if re.findall(r"\d+", first) != re.findall(r"\d+", second):
        return min(0.5, SequenceMatcher(None, first, second, autojunk=False).quick_ratio())
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= LIKELY / 2 else matcher.quick_ratio()
