"""The way in of one act: nothing that it brings is kept with a secret in it, and what was kept out is told."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from sophia.core.secrets import likeness
from sophia.core.secrets.assigned import named
from sophia.core.secrets.bearer import holds_bearer
from sophia.core.secrets.likeness import Given
from sophia.core.secrets.masked import Allowed, Hit, Keyed, Masked, masked, replaced, secrets, telling
from sophia.core.secrets.span import Span
from sophia.core.secrets.unveiled import unveiled

MAX_TOLD = 5
_PAIRS = (("predicate", "object"), ("name", "value"), ("key", "value"))
"""Arguments that name what another one holds."""
_ID = re.compile(r"[a-z]{1,6}-[0-9a-hjkmnp-tv-z]{26}")
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass
class Masking:
    """Masks what one act brings: its arguments, and the texts of the files that it reads."""

    keyed: Keyed
    allowed: Allowed
    generation: Callable[[], str]
    """What changes with what the owner allows."""
    found: dict[Hit, None] = field(default_factory=dict)

    @property
    def hits(self) -> tuple[Hit, ...]:
        """What was kept out so far."""
        return tuple(self.found)

    @property
    def warning(self) -> str | None:
        """A sentence that names what was kept out, `None` for nothing."""
        return told(self.hits)

    def text(self, text: str) -> Masked:
        """The text as it may be kept."""
        result = masked(text, self.keyed, self.allowed)
        self.found |= dict.fromkeys(result.hits)
        return result

    def arguments(self, raw: dict[str, Any]) -> dict[str, Any]:
        """The arguments as they may be kept; the same object where nothing had to go.

        A value counts as named by the key that it stands under, and what is a secret in one argument is one in all.
        """
        known: dict[str, str] = {}
        _gather(raw, None, known, outermost=True)
        if not known:
            return raw
        clean: dict[str, Any] = self._clean(raw, None, known, outermost=True)
        return clean

    def digest(self, content: bytes) -> str:
        """What tells a source from another from which something was kept out: nobody can try values against it."""
        return self.keyed(hashlib.sha256(content).digest() + self._generation)

    @cached_property
    def _generation(self) -> bytes:
        """What the owner allowed when this act first asked: of a change since, the next act sees another digest."""
        return self.generation().encode()

    def _clean(self, value: Any, kind: str | None, known: Mapping[str, str], *, outermost: bool = False) -> Any:
        match value:
            case str():
                result = replaced(value, _spans(value, kind, known), self.keyed, self.allowed)
                self.found |= dict.fromkeys(result.hits)
                return result.text
            case dict():
                kinds = _kinds(value, outermost=outermost)
                return {
                    name if outermost else self._clean(name, None, known): self._clean(item, kinds.get(name), known)
                    for name, item in value.items()
                }
            case list():
                return [self._clean(item, kind, known) for item in value]
            case _:
                return value


def told(hits: tuple[Hit, ...]) -> str | None:
    """A sentence that names these hits, `None` for none."""
    if not hits:
        return None
    shown = ", ".join(f"{hit.kind} ({hit.hit_id})" for hit in hits[:MAX_TOLD])
    more = f" and {len(hits) - MAX_TOLD} more" if len(hits) > MAX_TOLD else ""
    return (
        f"Kept out as secrets, with a placeholder in place of each: {shown}{more}. "
        "Where one is none, the owner can allow it by its id and the write can be made again."
    )


def _gather(value: Any, kind: str | None, known: dict[str, str], *, outermost: bool = False) -> None:
    match value:
        case str():
            for span in _spans(value, kind, _NONE):
                known.setdefault(unveiled(value[span.start : span.end]).text, span.kind)
        case dict():
            kinds = _kinds(value, outermost=outermost)
            for name, item in value.items():
                if not outermost:
                    _gather(name, None, known)
                _gather(item, kinds.get(name), known)
        case list():
            for item in value:
                _gather(item, kind, known)
        case _:
            pass


def _spans(text: str, kind: str | None, known: Mapping[str, str]) -> list[Span]:
    if len(text) < likeness.SHORTEST or _ID.fullmatch(text) or holds_bearer(text):
        return []  # a bearer is refused, not masked
    if kind is not None and likeness.is_secret(unveiled(text).text.strip(), kind, Given.QUOTED):
        return [Span(0, len(text), kind)]
    return secrets(text, telling_of(known))


def telling_of(known: Mapping[str, str]) -> dict[str, str]:
    """Those of the values that are secrets wherever they stand."""
    return {value: kind for value, kind in known.items() if telling(value, [Span(0, len(value), kind)])}


def _kinds(mapping: Mapping[Any, Any], *, outermost: bool) -> dict[str, str]:
    """By key, the kind of secret that its value is named to be. A tool's own arguments are no names."""
    kinds: dict[str, str] = {}
    if not outermost:
        kinds = {name: kind for name in mapping if isinstance(name, str) and (kind := named(name))}
    for name, holder in _PAIRS:
        said = mapping.get(name)
        if isinstance(said, str) and holder in mapping and (kind := named(said)):
            kinds[holder] = kind
    return kinds
