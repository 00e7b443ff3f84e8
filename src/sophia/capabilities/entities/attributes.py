"""The free attributes of an entity: any JSON object, within bounds."""

from typing import Any

from sophia.core import canonical
from sophia.core.errors import BadArguments, TooLarge

MAX_BYTES = 32 * 1024
MAX_DEPTH = 8


def stored(attributes: dict[str, Any]) -> str:
    """The canonical JSON of the attributes; `BadArguments` or `TooLarge` where they are out of bounds."""
    if _depth(attributes) > MAX_DEPTH:
        raise BadArguments(f"attributes nest at most {MAX_DEPTH} deep.", argument="attributes")
    try:
        text = canonical.encode(attributes)
    except ValueError as error:
        raise BadArguments(f"attributes: {error}", argument="attributes") from None
    if len(text) > MAX_BYTES:
        raise TooLarge(
            f"attributes have {len(text)} bytes of JSON, more than {MAX_BYTES}.", argument="attributes",
            hint="Put long texts into documents and link them.",
        )  # fmt: skip
    return text.decode()


def changed(before: dict[str, Any], changes: dict[str, Any]) -> str:
    """The attributes with these keys set, and those that are null taken away. Only what comes of it is bounded."""
    kept = {**before, **changes}
    return stored({name: value for name, value in kept.items() if name not in changes or value is not None})


def _depth(value: object) -> int:
    deepest, layer = 0, [value]
    while layer:
        layer = [
            item
            for each in layer
            for item in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
        ]
        deepest += 1
    return deepest - 1
