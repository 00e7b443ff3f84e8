"""Long values made short enough for a list, with what is needed to recognize the whole of them."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of one request is told."""

    text: int
    """Characters of one text."""
    room: int
    """Bytes of JSON, for the arguments and for the preview each."""


BRIEF = Bounds(text=400, room=24_000)
"""For one of many: two hundred such requests fit in a frame of the owner's socket."""
AMPLE = Bounds(text=250_000, room=6_000_000)
"""For one alone, where it is too long to be sent whole."""
WHOLE = 15_000_000
"""Bytes up to which one request is told as it is: a frame of the owner's socket takes a little more."""


def size(value: Any) -> int:
    """The bytes that the value takes in a frame, or a few more."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def arguments(given: dict[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The arguments, each with its long texts cut; those that are still too long together are cut as JSON."""
    told = {name: _cut(value, bounds.text) for name, value in given.items()}
    if size(told) <= bounds.room:
        return told
    return {
        name: value if size(value) <= bounds.text else _spelled(given[name], bounds.text)
        for name, value in told.items()
    }


def preview(given: dict[str, Any], bounds: Bounds) -> dict[str, Any]:
    """The preview with the long texts of its images cut, and as many of its changes as there is room for."""
    kept: list[dict[str, Any]] = []
    used = 0
    for change in given["changes"]:
        told = {name: _cut(value, bounds.text) for name, value in change.items()}
        if size(told) > bounds.room // 4:
            told |= {name: _spelled(change[name], bounds.text) for name in ("before", "after") if change[name]}
        used += size(told)
        if used > bounds.room:
            break
        kept.append(told)
    return {**{name: _cut(value, bounds.text) for name, value in given.items() if name != "changes"}, "changes": kept}


def _cut(value: Any, longest: int) -> Any:
    match value:
        case str() if len(value) > longest:
            return _shortened(value, longest)
        case dict():
            return {name: _cut(item, longest) for name, item in value.items()}
        case list():
            return [_cut(item, longest) for item in value]
        case _:
            return value


def _spelled(value: Any, longest: int) -> str:
    return _shortened(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), longest)


def _shortened(text: str, longest: int) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:longest]}… ({len(text)} characters, SHA-256 {digest})"
