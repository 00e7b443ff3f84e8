"""Mailboxes (mbox): one message after the other, each read by a process of its own, in threads."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from email.policy import compat32
from typing import BinaryIO

from sophia.extraction.extracted import Unextracted
from sophia.extraction.kinds import EML
from sophia.importers.brought import Brought, Item, LeftOut, Place

KIND = "mbox"
MAX_MESSAGE = 25 * 1024 * 1024
MAX_HEAD = 256 * 1024
_FROM = re.compile(rb"From \S+ +\w{3} \w{3} +\d{1,2} \d\d:\d\d")
_QUOTED = re.compile(rb">+From ")
_ID = re.compile(r"<[^<>\s]{1,500}>")
_BLANK = re.compile(rb"\r?\n\r?\n")


def wanted(path: str) -> bool:
    """Whether a file is a mailbox, by its name."""
    return path.lower().endswith((".mbox", ".mbx")) or path.rpartition("/")[2].lower() == "mbox"


def read(place: Place) -> Iterator[Item]:
    """Each message as a document, with the subject that its thread began with."""
    for path in place.paths:
        threads = Threads()
        with place.shelf.stream(path) as file:
            for number, data in enumerate(messages(file), 1):
                yield _message(place, f"{place.at(path)}#{number}", place.at(path), data, threads)


def _message(place: Place, numbered: str, location: str, data: bytes | None, threads: "Threads") -> Item:
    if data is None:
        return LeftOut(numbered, "too_large")
    assert place.extracting is not None  # noqa: S101 - whoever opens a mailbox brings who reads it
    told = place.extracting.extracted(data, "message.eml", EML)
    if isinstance(told, Unextracted):
        return LeftOut(numbered, told.reason)
    title = told.title if told.title != "message" else "Mail"
    message_id, thread = threads.placed(data, title)
    named = f"{location}#{message_id}" if message_id else numbered
    began = f"Thread: {thread}\n" if thread else ""
    return Brought(named, title, began + told.text, mime="text/plain")


def messages(file: BinaryIO) -> Iterator[bytes | None]:
    """The messages as they were sent; `None` for one that is too large, which is not held."""
    kept: list[bytes] = []
    size, begun, blank = 0, False, True
    while line := file.readline(MAX_HEAD):
        if blank and _FROM.match(line):
            if begun:
                yield _whole(kept, size)
            kept, size, begun = [], 0, True
        elif begun:
            size += len(line)
            if size > MAX_MESSAGE:
                kept = []
            else:
                kept.append(line[1:] if _QUOTED.match(line) else line)
        blank = line in (b"\n", b"\r\n")
    if begun:
        yield _whole(kept, size)


def _whole(kept: list[bytes], size: int) -> bytes | None:
    return None if size > MAX_MESSAGE else b"".join(kept)


@dataclass
class Threads:
    """The threads of a mailbox, as far as it is read: of each message how its thread was called when it began."""

    _began: dict[str, str] = field(default_factory=dict)

    def placed(self, data: bytes, title: str) -> tuple[str | None, str | None]:
        """The id of a message, and how its thread is called where another message began that."""
        blank = _BLANK.search(data, 0, MAX_HEAD)
        message = BytesHeaderParser(policy=compat32).parsebytes(data[: blank.end() if blank else MAX_HEAD])
        found = _ID.findall(str(message.get("Message-ID", "")))
        above = _ID.findall(f"{message.get('References', '')} {message.get('In-Reply-To', '')}")
        began = next((self._began[one] for one in above if one in self._began), None)
        if found:
            self._began[found[0]] = began or title
        return (found[0] if found else None), began
