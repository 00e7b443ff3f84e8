"""Text that somebody else wrote, made safe to show on a terminal."""

import unicodedata

_ACTIVE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, direction, zero-width, surrogate, private, unassigned, and line separators."""


def several_lines(text: str) -> str:
    """The text made plain line by line, for where lines may break."""
    return "\n".join(plain(line) for line in text.replace("\t", "    ").split("\n"))


def plain(text: str) -> str:
    """The text with everything that would act on a terminal, or not be seen on it, spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{{{ord(c):x}}}" if unicodedata.category(c) in _ACTIVE else c for c in text)
