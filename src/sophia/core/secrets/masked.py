"""A text without its secrets: a placeholder stands for each, with its kind, its last four characters and its hit."""

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType

from sophia.core.secrets.assigned import assigned
from sophia.core.secrets.columns import columned
from sophia.core.secrets.names import sought
from sophia.core.secrets.private_keys import armoured
from sophia.core.secrets.shapes import shaped
from sophia.core.secrets.span import Span
from sophia.core.secrets.unveiled import unveiled

Keyed = Callable[[bytes], str]
"""The keyed hash of a value, as lowercase hex: only who has the key can tell that two are of the same value."""
Allowed = Callable[[Collection[str]], Collection[str]]
"""Which of these keyed hashes are of values that the owner allows."""
HIT_DIGITS = 10
MAX_REPEATED = 50
"""How many different values are looked for in the rest of their text, too."""
LONG_ENOUGH = 8
_OPENS = "[secret "
_PLACEHOLDER = re.compile(r"\[secret [a-z0-9_]{1,40} …[^\s\]]{0,4} hit-[0-9a-f]{10}\]")
_UNSHOWN = re.compile(r"[^!-~]|[\[\]<>\"'`\\|]")


def hit_id(keyed: str) -> str:
    """The id of what has this keyed hash."""
    return f"hit-{keyed[:HIT_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Hit:
    """One secret that was kept out: never its value, only what tells it from others."""

    kind: str
    keyed: str
    last_four: str

    @property
    def hit_id(self) -> str:
        """The id that a person names it by."""
        return hit_id(self.keyed)

    @property
    def placeholder(self) -> str:
        """What stands in its place."""
        return f"{_OPENS}{self.kind} …{self.last_four} {self.hit_id}]"


@dataclass(frozen=True, slots=True)
class Masked:
    """The text as it may be kept, and what was kept out of it."""

    text: str
    hits: tuple[Hit, ...] = ()
    _ends: tuple[int, ...] = ()
    _shifts: tuple[int, ...] = ()
    _starts: tuple[int, ...] = ()

    def moved(self, offset: int) -> int:
        """Where the place before the character at `offset` of the given text is now: of one in a secret, behind it."""
        index = bisect_left(self._starts, offset) - 1
        if index < 0:
            return offset
        return max(offset, self._ends[index]) + self._shifts[index]


def secrets(text: str, known: Mapping[str, str] = MappingProxyType({})) -> list[Span]:
    """The secrets in the text, in order, none over another: what is known by its shape goes before what is named.

    `known` are values that stand elsewhere under a name that makes them secrets, with the kind of each.
    """
    plain = unveiled(text)
    return [plain.span(each) for each in _found(plain.text, known)]


def _found(text: str, known: Mapping[str, str]) -> list[Span]:
    """The secrets in a plain text."""
    found = [*armoured(text), *shaped(text)]
    said = sought(text)
    named = [*assigned(said), *columned(said)]
    if not found and not named and not known:
        return []
    placeholders = [Span(*each.span(), "") for each in _PLACEHOLDER.finditer(text)] if _OPENS in text else []
    kept = _apart(found, placeholders)
    kept += _apart(named, [*kept, *placeholders])
    return sorted(kept + _apart(_repeated(text, {**known, **telling(text, kept)}), [*kept, *placeholders]))


def masked(text: str, keyed: Keyed, allowed: Allowed) -> Masked:
    """The text with a placeholder for every secret that the owner did not allow. Masking twice changes nothing."""
    return replaced(text, secrets(text), keyed, allowed)


def replaced(text: str, spans: Sequence[Span], keyed: Keyed, allowed: Allowed) -> Masked:
    """The text with a placeholder for each of these secrets in it."""
    if not spans:
        return Masked(text)
    hits = [_hit(span, unveiled(text[span.start : span.end]).text, keyed) for span in spans]
    passing = allowed({hit.keyed for hit in hits})
    parts, kept, starts, ends, shifts, at, shift = [], [], [], [], [], 0, 0
    for span, hit in zip(spans, hits, strict=True):
        if hit.keyed in passing:
            continue
        parts += [text[at : span.start], hit.placeholder]
        shift += len(hit.placeholder) - (span.end - span.start)
        at = span.end
        kept.append(hit)
        starts.append(span.start)
        ends.append(span.end)
        shifts.append(shift)
    parts.append(text[at:])
    distinct = tuple(dict.fromkeys(kept))
    return Masked("".join(parts), distinct, tuple(ends), tuple(shifts), tuple(starts))


def _hit(span: Span, value: str, keyed: Keyed) -> Hit:
    return Hit(span.kind, keyed(value.encode("utf-8", "surrogatepass")), last_four(value))


def last_four(value: str) -> str:
    """What is shown of a value: its last four characters, nothing of one that has few more."""
    body = (
        re.sub(r"-----END [A-Z0-9 ]*-----\s*$", "", value).rstrip("=\n\r \\n") if value.startswith("-----") else value
    )
    return _UNSHOWN.sub("*", body[-4:]) if len(body) >= LONG_ENOUGH else ""


def _apart(spans: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    """Those of the spans that lie over none that is taken, nor over one before them, and these."""
    marks = sorted((span.start, span.end) for span in taken)
    kept: list[Span] = []
    at, beyond = 0, 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        while at < len(marks) and marks[at][1] <= span.start:
            at += 1
        clear = at == len(marks) or marks[at][0] >= span.end
        if clear and span.start >= beyond:
            kept.append(span)
            beyond = span.end
    return kept


def telling(text: str, spans: Iterable[Span]) -> dict[str, str]:
    """The values of these secrets that are secrets wherever they stand, with the kind of each."""
    kinds = {text[span.start : span.end]: span.kind for span in spans if span.end - span.start >= LONG_ENOUGH}
    return {value: kind for value, kind in kinds.items() if not value.isalpha() and not value.isdigit()}


def _repeated(text: str, known: Mapping[str, str]) -> list[Span]:
    """Where in the text these values stand."""
    found: list[Span] = []
    for value, kind in islice(known.items(), MAX_REPEATED):
        at = text.find(value)
        while at >= 0:
            found.append(Span(at, at + len(value), kind))
            at = text.find(value, at + len(value))
    return found
