"""What kind of value a text is by itself: a day, an amount, an address, a link; nothing where it could be several."""

from sophia.capabilities.knowledge import dates
from sophia.capabilities.knowledge.values import Value, ValueType, parsed

_TRIED = (ValueType.DATE, ValueType.AMOUNT, ValueType.EMAIL)


def typed(text: str) -> ValueType | None:
    """The type whose value the whole text is."""
    for kind in _TRIED:
        if isinstance(parsed(kind, text), Value):
            return kind
    if "://" in text and isinstance(parsed(ValueType.URL, text), Value):
        return ValueType.URL
    return None


def day(text: str) -> str | None:
    """The day, as `YYYY-MM-DD`, that the whole text names in any writing, where it can be only one."""
    found = dates.days(text)
    if len(found) != 1 or len(found[0].readings) != 1 or found[0].start != 0 or found[0].end < len(text.rstrip(". ")):
        return None
    return next(iter(found[0].readings)).isoformat()


def said(text: str) -> tuple[str, ValueType] | None:
    """The value and its type, where the whole text is one; `None` for plain words."""
    named = day(text)
    if named is not None:
        return named, ValueType.DATE
    kind = typed(text)
    return (text, kind) if kind is not None else None
