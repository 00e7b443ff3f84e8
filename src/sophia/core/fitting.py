"""How much of a text an answer has room for."""

import msgspec


def fitting(text: str, room: int) -> str:
    """The longest beginning of `text` that takes at most `room` bytes as JSON, and one character at least."""
    if len(msgspec.json.encode(text)) <= room:
        return text
    fits, beyond = 1, len(text)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if len(msgspec.json.encode(text[:middle])) <= room:
            fits = middle
        else:
            beyond = middle
    return text[:fits]
