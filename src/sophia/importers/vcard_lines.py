"""The lines of contacts: card by card, with what is folded put together, and what is encoded read."""

import quopri
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

MAX_CARD = 2_000_000
LINE = re.compile(
    r"(?:[\w-]+\.)?(?P<name>[A-Za-z][\w-]*)(?P<parameters>(?:;(?:[^\":;]|\"[^\"]*\")*)*):(?P<value>.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Line:
    """One property of a card: the lines that it is written on, and what they say."""

    name: str
    value: str
    written: str


def cards(file: BinaryIO) -> Iterator[tuple[int, list[bytes] | None]]:
    """The lines of each card, with the number of its first; `None` for one that is too large or has no end."""
    held: list[bytes] | None = None
    began = size = 0
    for number, line in enumerate(iter(lambda: file.readline(MAX_CARD), b""), 1):
        word = line.strip().upper().lstrip(b"\xef\xbb\xbf")
        if word == b"BEGIN:VCARD":
            if held is not None:
                yield began, None
            held, began, size = [], number, 0
        elif word == b"END:VCARD" and held is not None:
            yield began, held if size <= MAX_CARD else None
            held = None
        elif held is not None:
            size += len(line)
            if size <= MAX_CARD:
                held.append(line)
    if held is not None:
        yield began, None


def unfolded(raw: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Each property as it is written, in one line, and as it reads: folded lines and soft line breaks put together."""
    waiting: list[bytes] = []
    for line in raw:
        bare = line.rstrip(b"\r\n")
        soft = bool(waiting) and waiting[0].upper().find(b"QUOTED-PRINTABLE") >= 0 and waiting[-1].endswith(b"=")
        if waiting and (bare[:1] in (b" ", b"\t") or soft):
            waiting.append(bare if soft and bare[:1] not in (b" ", b"\t") else bare[1:])
            continue
        if waiting:
            yield _joined(waiting)
        waiting = [bare] if bare.strip() else []
    if waiting:
        yield _joined(waiting)


def _joined(parts: Sequence[bytes]) -> tuple[str, str]:
    whole = b"".join(part[:-1] if part.endswith(b"=") and n < len(parts) - 1 else part for n, part in enumerate(parts))
    text = _decoded(whole, b"")
    return text, text


def plain(value: str, parameters: str) -> str:
    """The value as it reads, out of the way of writing that its parameters name."""
    if "QUOTED-PRINTABLE" not in parameters:
        return value
    charset = re.search(r"CHARSET=\"?([\w-]+)", parameters)
    return _decoded(quopri.decodestring(value.encode()), (charset[1] if charset else "utf-8").encode())


def _decoded(data: bytes, charset: bytes) -> str:
    for encoding in filter(None, (charset.decode("ascii", "replace"), "utf-8", "cp1252")):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    return data.decode("utf-8", "replace")
